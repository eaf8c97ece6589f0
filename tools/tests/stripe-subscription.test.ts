import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenClaims } from '@florin/server/tests/broken-claims.ts';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '@florin/server/tests/simulators/stripe.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pasted } from './pasted.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/guides/stripe-subscription.md', import.meta.url)), 'utf8');
const snippets = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands);

let db: TestDatabase;
let florin: TestFlorin;
let stripe: StripeSimulator;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'florin-stripe-subscription-'));
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator();
  // The first snippet reads the generated password from the data folder.
  const dataFolder = { APP_DATA_DIR: join(folder, 'data'), APP_ADMIN_PASSWORD: '' };
  florin = await florinOn(db, { ...dataFolder, APP_PROVIDER_STRIPE_URL: stripe.url });
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await stripe.close();
  await db.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('the story of a subscription at Stripe, pasted in order, ends with the third renewal paid', async () => {
  const opensPage = snippets.findIndex((commands) => commands.includes('"url"'));
  const script = snippets
    .map((commands) => commands.replace('sk_test_…', simulatedApiKey))
    .toSpliced(opensPage + 1, 0, savedOnThePage)
    .map((commands) => `${commands}\necho`)
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', florin.address);
  const printed = await pasted(folder, script);
  const { data } = JSON.parse(printed.trimEnd().split('\n').at(-1) as string);
  const periods = data.map(({ status, periodStart }: Record<string, string>) => [status, periodStart?.slice(0, 10)]);
  expect(periods.toReversed()).toEqual([
    ['PAID', '2030-01-15'],
    ['PAID', '2030-02-15'],
    ['PAID', '2030-03-15'],
    ['PAID', '2030-04-15'],
  ]);
  const charged = stripe.charges.map(({ status, customer, amount }) => [status, customer, amount]);
  const [ada] = stripe.account.customers.all;
  expect(charged).toEqual(Array(4).fill(['succeeded', ada?.id, 3100]));
});

/** What the reader does in a browser: saves a card on Stripe's page. */
const savedOnThePage = `PAGE=$(curl -s "$FLORIN/api/payment-method/detail?id=$METHOD" -H "$AS_ADMIN" \
  | sed 's/.*"url":"\\([^"]*\\)".*/\\1/')
curl -s "$PAGE" -H 'Content-Type: application/x-www-form-urlencoded' -d 'method=pm_card_visa'`;
