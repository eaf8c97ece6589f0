import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { databaseFromTemplate, eventually, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '@florin/server/tests/simulators/stripe.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pasted } from './pasted.ts';

const { builtSdk } = (await import(new URL('../packaging/build-sdk.mjs', import.meta.url).href)) as {
  builtSdk: { build: () => boolean };
};

const page = readFileSync(fileURLToPath(new URL('../../docs/guides/stripe-js.md', import.meta.url)), 'utf8');
const snippets = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands);
const files = [...page.matchAll(/^\*\*`(.+)`\*\*\n\n```\w+\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => ({
  name,
  text,
}));

let db: TestDatabase;
let florin: TestFlorin;
let stripe: StripeSimulator;
let folder: string;
let shop: ChildProcess | undefined;

beforeAll(async () => {
  expect(builtSdk.build()).toBe(true);
  folder = mkdtempSync(join(tmpdir(), 'florin-stripe-js-'));
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator();
  const dataFolder = { APP_DATA_DIR: join(folder, 'data'), APP_ADMIN_PASSWORD: '' };
  florin = await florinOn(db, { ...dataFolder, APP_PROVIDER_STRIPE_URL: stripe.url });
});

afterAll(async () => {
  if (shop?.exitCode === null) {
    shop.kill();
    await once(shop, 'exit');
  }
  await florin.stop();
  await stripe.close();
  await db.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('the page with Stripe.js, from an empty folder, is paid after a declined card', async () => {
  const script = snippets
    .slice(0, -1)
    .join('\n')
    .replace('sk_test_…', simulatedApiKey)
    .replaceAll('http://127.0.0.1:8080', florin.address);
  await pasted(folder, script);
  for (const { name, text } of files) writeFileSync(join(folder, 'shop', name), text);
  const address = await startShop();

  const html = await (await fetch(address)).text();
  expect(html).toContain('src="https://js.stripe.com/');
  const payer = openPage(await (await fetch(`${address}/pay.js`)).text(), address);
  await eventually('the fields are shown', () => payer.isShown());
  await payer.pays('pm_card_chargeDeclined');
  expect(payer.message()).toContain('declined');
  await payer.pays('pm_card_visa');
  expect(payer.message()).toBe('Paid. Thank you!');
  expect(stripe.charges.filter(({ status }) => status === 'succeeded')).toMatchObject([{ amount: 1999 }]);

  // The payer who comes back finds the order paid, and nothing to pay.
  const again = openPage(await (await fetch(`${address}/pay.js`)).text(), address);
  await eventually('the result is shown', () => again.message() === 'Paid. Thank you!');
  expect(again.isShown()).toBe(false);
});

async function startShop(): Promise<string> {
  const cwd = join(folder, 'shop');
  const env = { PATH: process.env.PATH, PORT: '0' };
  shop = spawn(process.execPath, ['--env-file=.env', 'shop.js'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: shop.stdout as NodeJS.ReadableStream })) return line;
  throw new Error('The shop has ended.');
}

/** Runs the page's script with what it uses of a browser; in place of Stripe's script, the simulator is asked. */
function openPage(script: string, address: string) {
  const message = { textContent: '' };
  let submit: ((event: { preventDefault: () => void }) => Promise<void>) | undefined;
  let card = '';
  const form = {
    hidden: false,
    addEventListener: (_type: string, listener: typeof submit) => {
      submit = listener;
    },
  };
  const elements = { create: () => ({ mount: () => {} }) };
  const stripeScript = (key: string) => {
    expect(key).toBe('pk_test_…');
    let intent = '';
    return {
      elements: ({ clientSecret }: { clientSecret: string }) => {
        intent = clientSecret.split('_secret_')[0] as string;
        return elements;
      },
      confirmPayment: async () => {
        try {
          stripe.account.confirmIntent(intent, { payment_method: card });
          return {};
        } catch (error) {
          return { error: { message: `The card was declined. ${(error as Error).message}` } };
        }
      },
    };
  };
  const run = new Function('document', 'fetch', 'Stripe', 'location', `return (async () => {${script}})();`);
  const document = { getElementById: (id: string) => (id === 'form' ? form : message) };
  const ofShop = (path: string, init?: RequestInit) => fetch(address + path, init);
  const loaded: Promise<void> = run(document, ofShop, stripeScript, { href: address });
  return {
    isShown: () => submit !== undefined,
    message: () => message.textContent,
    pays: async (method: string) => {
      await loaded;
      card = method;
      await submit?.({ preventDefault: () => {} });
    },
  };
}
