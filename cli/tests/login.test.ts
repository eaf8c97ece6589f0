import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Florin } from '../../sdk/src/index.ts';
import { axeViolations, chromiumPath, openBrowser } from '../../server/src/testing/browser.ts';
import { databaseFromTemplate, type TestDatabase } from '../../server/src/testing/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../server/src/testing/service/florin.ts';
import { TestShell } from './run.ts';

let database: TestDatabase;
let florin: TestFlorin;
let admin: Florin;
let shell: TestShell;

beforeAll(async () => {
  database = await databaseFromTemplate();
  florin = await florinOn(database);
  admin = new Florin({ baseUrl: florin.address });
  await admin.login({ account: 'admin', password: administratorPassword });
  shell = new TestShell({ FLORIN_URL: florin.address });
});

afterAll(async () => {
  shell.remove();
  await florin.stop();
  await database.drop();
});

/** Runs a login, and calls `decide` with its code before it polls for its key. */
function login(decide: (userCode: string) => Promise<unknown>, line = 'login') {
  let printed = '';
  let pauses = 0;
  return shell.run(line, {
    onOutput: (stdout, stderr) => {
      printed = stdout + stderr;
    },
    pause: async () => {
      const [userCode] = /[A-Z]{4}-[A-Z]{4}/.exec(printed) ?? [];
      // The first poll is before the decision, and the second one is too early.
      if (++pauses === 3) await decide(userCode as string);
    },
  });
}

const storedLogin = () => JSON.parse(readFileSync(join(shell.home, '.config/florin/login.json'), 'utf8'));

test('login prints an address and a code, and stores the key that the user approves', async () => {
  const ran = await login((userCode) => admin.devices.decide({ userCode, approve: true, scope: 'transaction_read' }));
  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/with a test key of admin until 20/) });
  expect(ran.stderr).toMatch(/Open http\S+\/device in a browser and enter the code [A-Z]{4}-[A-Z]{4}\n/);
  expect(storedLogin()).toEqual({ url: florin.address, apiKey: expect.stringMatching(/^sk_test_/) });
  const [who] = (await shell.run('whoami --json')).json() as unknown as [object];
  expect(who).toMatchObject({ userName: 'admin', livemode: false, scopes: ['transaction_read'] });
  expect((await shell.run('keys list')).stderr).toContain('florin login --account');
  expect((await shell.run('logout')).stderr).toContain('still works elsewhere');
});

test('login --json prints the code as the first line and the result as the last', async () => {
  const { exitCode, json } = await login(
    (userCode) => admin.devices.decide({ userCode, approve: true }),
    'login --live --scope channel_read --json',
  );
  expect(exitCode).toBe(0);
  expect(json()).toMatchObject([
    { userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/), verificationUri: expect.stringContaining('/device') },
    { userName: 'admin', livemode: true, scope: 'channel_read' },
  ]);
});

test('a login that is denied ends with the exit code of a missing permission', async () => {
  const ran = await login((userCode) => admin.devices.decide({ userCode, approve: false }));
  expect(ran).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('florin: The user denied') });
});

test.skipIf(chromiumPath === undefined)(
  'a user signs in on the page, sees which program asks, and approves',
  async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const wrong: string[] = [];
      page.on('pageerror', (error) => wrong.push(String(error)));
      const ran = await login(async (userCode) => {
        await page.goto(`${florin.address}/device?code=${userCode}`);
        await page.fill('[name=account]', 'admin');
        await page.fill('[name=password]', administratorPassword);
        await page.click('#sign-in button');
        await page.waitForSelector('#user-code:not([hidden])');
        expect(await page.inputValue('[name=userCode]')).toBe(userCode);
        await page.click('#user-code button');
        await page.waitForSelector('#decision:not([hidden])');
        expect(await page.textContent('#decision')).toContain('asks to act for admin');
        expect(await page.isVisible('.elsewhere')).toBe(false);
        expect(await axeViolations(page)).toEqual([]);
        await page.selectOption('[name=scope]', { label: 'only read' });
        await page.click('button[value=true]');
        await page.waitForSelector('text=Go back to the program');
      });
      expect(ran).toMatchObject({ exitCode: 0 });
      expect(wrong).toEqual([]);
      const [who] = (await shell.run('whoami --json')).json() as unknown as [{ scopes: string[] }];
      expect(who.scopes.length).toBeGreaterThan(3);
      expect(who.scopes.filter((scope) => !scope.endsWith('_read'))).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);

test('logs tail shows requests as they arrive, with the reason of refusals, and logs list shows earlier ones', async () => {
  const key = (await admin.keys.generate({ scope: '*', livemode: false })).sk as string;
  const shop = new Florin({ baseUrl: florin.address, apiKey: key, maxRetries: 0 });
  await shop.channels.list().toArray();
  const interruption = new AbortController();
  const { promise: watching, resolve: isWatching } = Promise.withResolvers<void>();
  const { promise: shown, resolve: isShown } = Promise.withResolvers<void>();
  const tail = shell.run('logs tail --path /api/transaction --json', {
    env: { FLORIN_API_KEY: key },
    signal: interruption.signal,
    onOutput: (stdout, stderr) => {
      if (stderr.includes('Watching')) isWatching();
      if (stdout.includes('"status":400')) isShown();
    },
  });
  await watching;
  await shop.transactions.create({ amount: 0, currency: 'USD', channelId: 1 }).catch(() => {});
  await shown;
  interruption.abort(new DOMException('Interrupted', 'AbortError'));
  const { exitCode, json } = await tail;
  expect(exitCode).toBe(130);
  const requests = json() as unknown as { id: string }[];
  expect(requests).toMatchObject([
    { path: '/api/transaction/create', status: 400, by: 'key', error: { type: 'invalid_request', field: 'amount' } },
  ]);
  const env = { FLORIN_API_KEY: key };
  const listed = (await shell.run('logs list --status 4xx --path /api/transaction --json', { env })).json();
  expect(listed).toMatchObject([{ status: 400 }]);
  expect((await shell.run(`logs get ${requests[0]?.id}`, { env })).stdout).toContain('invalid_request');
  expect((await shell.run('logs list', { env })).stdout).toMatch(/\t400\tPOST\t\/api\/transaction\/create\t/);
});
