import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Florin } from '../../sdk/src/index.ts';
import { openerOn } from '../src/browser.ts';
import { loginDecidedBy, TestShell } from './run.ts';

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

const storedLogin = () => JSON.parse(readFileSync(join(shell.home, '.config/florin/login.json'), 'utf8'));

test('login prints an address and a code, and stores the key that the user approves', async () => {
  const ran = await loginDecidedBy(shell, (userCode) =>
    admin.devices.decide({ userCode, approve: true, scope: 'transaction_read' }),
  );
  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/with a test key of admin until 20/) });
  expect(ran.stderr).toMatch(/Open http\S+\/device in a browser and enter the code [A-Z]{4}-[A-Z]{4}\n/);
  expect(storedLogin()).toEqual({ url: florin.address, apiKey: expect.stringMatching(/^sk_test_/) });
  const [who] = (await shell.run('whoami --json')).json() as unknown as [object];
  expect(who).toMatchObject({ userName: 'admin', livemode: false, scopes: ['transaction_read'] });
  expect((await shell.run('keys list')).stderr).toContain('florin login --account');
  expect((await shell.run('logout')).stderr).toContain('still works elsewhere');
});

test('login --json prints the code as the first line and the result as the last', async () => {
  const { exitCode, json } = await loginDecidedBy(
    shell,
    (userCode) => admin.devices.decide({ userCode, approve: true }),
    'login --live --scope channel_read --json',
  );
  expect(exitCode).toBe(0);
  expect(json()).toMatchObject([
    { userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/), verificationUri: expect.stringContaining('/device') },
    { userName: 'admin', livemode: true, scope: 'channel_read' },
  ]);
});

test.each([
  ['file:///etc/passwd', false],
  ['https://elsewhere.example/device?user_code=A&calc', false],
  ['javascript:alert(1)', false],
  ['/device?user_code=AAAA-BBBB&x="1"', true],
])('login --open with the address %s: opened is %s', async (address, isOwn) => {
  const refusal = { code: 400, message: 'No.', data: null, error: { type: 'access_denied', requestId: 'r-1' } };
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/token')) return response.writeHead(400).end(JSON.stringify(refusal));
    const uri = isOwn ? `http://${request.headers.host}${address}` : address;
    const code = { userCode: 'AAAA-BBBB', deviceCode: 'd', expiresIn: 60, interval: 1 };
    const data = { ...code, verificationUri: uri, verificationUriComplete: uri };
    response.end(JSON.stringify({ code: 200, data }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened: string[] = [];
  const ran = await shell.run(['login', '--open', '--url', url], {
    open: (one) => opened.push(one),
    pause: () => Promise.resolve(),
  });
  server.close();
  expect(opened).toEqual(isOwn ? [`${url}/device?user_code=AAAA-BBBB&x=%221%22`] : []);
  expect(ran.stderr.includes(`Not opened, because it is not a page of ${url}`)).toBe(!isOwn);
});

test('no shell sees an address that is opened', () => {
  const address = 'http://127.0.0.1/device?a=1&calc';
  expect(openerOn('win32', address)).toEqual(['rundll32', ['url.dll,FileProtocolHandler', address]]);
  expect(openerOn('darwin', address)).toEqual(['open', [address]]);
  expect(openerOn('linux', address)).toEqual(['xdg-open', [address]]);
});

test('a login that is denied ends with the exit code of a missing permission', async () => {
  const ran = await loginDecidedBy(shell, (userCode) => admin.devices.decide({ userCode, approve: false }));
  expect(ran).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('florin: The user denied') });
});

test('logs tail shows requests and refusals as they arrive, and logs list shows earlier ones', async () => {
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
