import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Florin } from '../../sdk/src/index.ts';
import { scenarios } from '../src/trigger/scenarios.ts';
import { type Ran, TestShell } from './run.ts';

const bin = fileURLToPath(new URL('../bin/florin.mjs', import.meta.url));
let database: TestDatabase;
let florin: TestFlorin;
/** With a test key for all scopes in the environment. */
let shell: TestShell;
let key: string;
const shells: TestShell[] = [];

function shellWith(env: Record<string, string>): TestShell {
  const made = new TestShell(env);
  shells.push(made);
  return made;
}

beforeAll(async () => {
  database = await databaseFromTemplate();
  florin = await florinOn(database);
  const admin = new Florin({ baseUrl: florin.address });
  await admin.login({ account: 'admin', password: administratorPassword });
  key = (await admin.keys.generate({ scope: '*', livemode: false })).sk as string;
  shell = shellWith({ FLORIN_URL: florin.address, FLORIN_API_KEY: key });
  await shell.run('channels create --code sandbox --name Sandbox --type ONLINE --provider sandbox');
});

afterAll(async () => {
  for (const one of shells) one.remove();
  await florin?.stop();
  await database?.drop();
});

const only = ({ json }: Ran): Record<string, never> => json()[0] ?? {};

test('a payment is created, watched, refunded and listed', async () => {
  const created = only(
    await shell.run('payments create --amount 1099 --channel sandbox --metadata order=7 --wait --json'),
  );
  expect(created).toMatchObject({ amount: 1099, currency: 'USD', status: 'SUCCESS', metadata: { order: '7' } });
  const refund = only(await shell.run(`refunds create ${created.id} --amount 99 --json`));
  expect(refund).toMatchObject({ transactionId: created.id, amount: 99 });
  const watched = await shell.run(`payments watch ${created.id}`);
  expect(watched).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/SUCCESS|REFUNDED/) });
  expect((await shell.run('payments list --limit 1 --json')).json()).toMatchObject([{ id: created.id }]);
  expect((await shell.run(`refunds list --payment ${created.id} --json`)).json()).toMatchObject([{ id: refund.id }]);
});

test('without a terminal a list is lines with tabs; in one it is a table with a header', async () => {
  const { stdout } = await shell.run('channels list');
  expect(stdout).toMatch(/^\d+\tsandbox\tSandbox\tONLINE\tUSD\tsandbox\tfalse\ttrue\n$/);
  const table = await shell.run('channels list', { isTerminal: true });
  expect(table.stdout).toMatch(/^ID +CODE +NAME/);
  expect((await shell.run('payments list --status FAILED', { isTerminal: true })).stderr).toBe('There are none.\n');
});

test('control characters in data cannot move the cursor of a terminal', async () => {
  const words = ['payments', 'create', '--amount', '5', '--channel', 'sandbox', '--description', 'a\u001b[2Jb\nc'];
  expect((await shell.run(words)).stdout).toContain('description\ta [2Jb c\n');
});

const escapes = 'a\u001b]0;b\u0007\u009b2Jc\u202ed';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

test('stored text is printed without escape sequences, also as JSON, which keeps its value', async () => {
  const words = ['payments', 'create', '--amount', '5', '--channel', 'sandbox', '--description', escapes, '--json'];
  const { stdout, json } = await shell.run(words);
  expect(stdout).not.toMatch(control);
  expect(json()).toMatchObject([{ description: escapes }]);
  const { id } = json()[0] as never as { id: string };
  expect((await shell.run(`payments get ${id}`, { isTerminal: true })).stdout).not.toMatch(control);
});

test('what a service or a proxy answers is printed in one line without escape sequences', async () => {
  const message = `${escapes}\nsecond line`;
  const answers = [
    { code: 404, message, data: null, error: { type: 'record_not_found', requestId: 'r-1' } },
    `<h1>${message}</h1>`,
  ];
  const server = createServer((_, response) => {
    const answer = answers.shift();
    response.writeHead(404).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const line of ['payments get txn_0', 'payments get txn_0 --json']) {
    const { stderr } = await shell.run(`${line} --url ${url}`);
    expect(stderr).toContain('second line');
    expect(stderr.slice(0, -1)).not.toMatch(control);
    expect(stderr.match(/\n/g)).toHaveLength(1);
  }
  const tls = await shell.run(['whoami', '--url', url.replace('http:', 'https:')]);
  expect(tls).toMatchObject({ exitCode: 6, stderr: expect.stringMatching(/^florin: [^\n]+\n$/) });
  server.close();
});

test.each([
  ['payments get txn_0', 4, /There is no/],
  ['payments create --amount 0 --channel sandbox', 2, /amount/],
  ['payments create --amount ten --channel sandbox', 2, /whole number/],
  ['payments create --amount 5 --channel nowhere', 2, /There are: sandbox/],
  ['payments create --amount 7319001 --channel sandbox --wait', 1, /ended as FAILED/],
  ['refunds create txn_0 --amount x', 2, /whole number/],
  ['events resend evt_0', 4, /There is no/],
  ['keys list', 3, /Bearer access token/],
  ['trigger nothing.happened', 2, /These can: transaction.created/],
  ['nonsense', 2, /unknown command/],
  ['payments craete', 2, /Did you mean create/],
  ['payments list --nonsense', 2, /unknown option/],
  ['--url nonsense whoami', 2, /nonsense is not an address/],
  ['logs tail --status 9', 2, /status/],
  ['logs get req_0', 4, /There is no request/],
  ['open nowhere', 2, /only console, docs/],
  ['listen --forward-to 3000', 2, /3000 is not an address, such as http/],
  ['listen --forward-to ftp://x', 2, /is not an address/],
  ['listen --forward-to file:/x', 2, /is not an address/],
  ['completion csh', 2, /bash, zsh and fish/],
  ['--url http://127.0.0.1:9 whoami', 6, /could not be reached.*florin start/],
  ['--api-key sk_test_wrong whoami', 3, /florin login/],
])('%s ends with %i and one clear line', async (line, exitCode, complaint) => {
  const ran = await shell.run(line);
  expect(ran).toMatchObject({ exitCode, stderr: expect.stringMatching(complaint) });
  expect(ran.stderr).toMatch(/^florin: [^\n]+\n(\([^\n]+\n)?(florin --help[^\n]+\n)?$/);
});

test('a failure with --json is JSON on standard error, with type and request id', async () => {
  const { exitCode, stdout, stderr } = await shell.run('payments get txn_0 --json');
  expect([exitCode, stdout]).toEqual([4, '']);
  expect(JSON.parse(stderr).error).toMatchObject({
    type: 'record_not_found',
    status: 404,
    requestId: expect.any(String),
  });
});

test('help and version exit with 0 and start nothing', async () => {
  for (const line of ['--help', 'start --help', 'help', 'payments --help', '-h']) {
    expect(await shell.run(line)).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringContaining('Usage: florin'),
    });
  }
  expect((await shell.run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('a login is stored for its owner alone, used, not sent to another service, and removed by logout', async () => {
  const home = shellWith({});
  const url = ['--url', florin.address];
  const line = ['login', '--account', 'admin', ...url];
  expect((await home.run(line, { input: 'wrong password\n' })).exitCode).toBe(3);
  const login = await home.run(line, { input: `${administratorPassword}\n` });
  expect(login).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('as admin') });
  const file = join(home.home, '.config/florin/login.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(only(await home.run('whoami --json'))).toMatchObject({ userName: 'admin', userType: 'PLATFORM_ADMIN' });
  const made = only(await home.run('keys create --name till --json'));
  expect(made).toMatchObject({ livemode: false, name: 'till', sk: expect.stringMatching(/^sk_test_/) });
  expect((await home.run(`keys revoke ${made.id} --json`)).exitCode).toBe(0);
  const elsewhere = await home.run(['payments', 'list', '--url', florin.address.replace('127.0.0.1', 'localhost')]);
  expect(elsewhere.exitCode).toBe(3);
  const other = ['logout', '--url', florin.address.replace('127.0.0.1', 'localhost')];
  expect((await home.run(other)).stdout).toMatch(/^There is no stored login for http:\/\/localhost/);
  const overridden = await home.run('whoami --json', { env: { FLORIN_API_KEY: key } });
  expect(overridden.stderr).toBe('FLORIN_API_KEY is set and is used instead of the stored login.\n');
  expect((await home.run('whoami --json')).stderr).toBe('');
  expect(await home.run('logout', { env: { FLORIN_API_KEY: key } })).toMatchObject({
    stdout: 'Logged out.\n',
    stderr: '',
  });
  expect((await home.run(['whoami', ...url])).exitCode).toBe(3);
  expect(await home.run('logout')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^There is no stored/) });
  expect(only(await home.run('logout --json'))).toEqual({ loggedOut: false });
});

test('a logout that does not reach the service forgets the login, and says that the session lasts', async () => {
  const home = shellWith({});
  const file = join(home.home, '.config/florin/login.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ url: 'http://127.0.0.1:9', accessToken: 'a', refreshToken: 'r' }));
  const { exitCode, stderr } = await home.run('logout');
  expect(stderr).toMatch(/The session could not be ended, and lasts until it expires: .*127\.0\.0\.1:9/);
  expect({ exitCode, isStored: existsSync(file) }).toEqual({ exitCode: 0, isStored: false });
});

test('a login with a key is checked before it is stored', async () => {
  const home = shellWith({ FLORIN_URL: florin.address });
  expect((await home.run('login --api-key sk_test_wrong')).exitCode).toBe(3);
  expect((await home.run(`login --api-key ${key}`)).stdout).toContain('test key of admin');
  expect(only(await home.run('whoami --json'))).toMatchObject({ userName: 'admin', livemode: false });
  writeFileSync(join(home.home, '.config/florin/login.json'), '{');
  expect((await home.run('whoami')).stderr).toContain('is not JSON');
});

test('trigger makes each event happen', async () => {
  const types = Object.keys(scenarios);
  const all = await Promise.all(types.map((type) => shell.run(`trigger ${type} --json`)));
  for (const [i, ran] of all.entries()) {
    expect(ran.stderr, types[i]).toBe('');
    expect(only(ran)).toMatchObject({ type: types[i], livemode: false });
  }
});

test('trigger --override sets fields of the created record', async () => {
  const words = 'trigger transaction.succeeded --override amount=500 --override metadata.order=9 --json';
  const { objectId } = only(await shell.run(words));
  expect(only(await shell.run(`payments get ${objectId} --json`))).toMatchObject({
    amount: 500,
    metadata: { order: 9 },
  });
});

test('the completion scripts are valid and complete commands and options', async () => {
  const { stdout } = await shell.run('completion bash');
  const script = `${stdout}\nCOMP_WORDS=(florin payments c) COMP_CWORD=2\n_florin\necho "$COMPREPLY"`;
  expect((await promisify(execFile)('bash', ['-c', script])).stdout).toBe('create\n');
  expect((await shell.run('completion fish')).stdout).toContain('payments');
});

test('the program itself: a closed pipe is no failure, Ctrl-C is 130', async () => {
  const env = { ...process.env, HOME: shell.home, FLORIN_URL: florin.address, FLORIN_API_KEY: key };
  const piped = `set -o pipefail; '${process.execPath}' '${bin}' events list --limit 100 | head -n 1`;
  const { stdout } = await promisify(execFile)('bash', ['-c', piped], { env });
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const listening = spawn(process.execPath, [bin, 'listen'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  listening.stderr.on('data', (text) => String(text).includes('Listening') && listening.kill('SIGINT'));
  expect(await once(listening, 'exit')).toEqual([130, null]);
});

test('the package has the version of the service', () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
  expect(read('../package.json')).toBe(read('../../package.json'));
});
