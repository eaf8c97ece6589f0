import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createAdministrator } from '@florin/server/app/commands/create-admin.ts';
import { migrateNow } from '@florin/server/app/commands/migrate.ts';
import { removeSecondFactor } from '@florin/server/app/commands/remove-second-factor.ts';
import { readSettings } from '@florin/server/app/config/settings.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { florinOn, type TestFlorin, urlOf } from '@florin/server/tests/service/florin.ts';
import { enrol } from '@florin/server/tests/service/second-factor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Florin } from '../../sdk/src/index.ts';
import { serverPrograms } from '../src/commands/operators.ts';
import { exitCodeOf, exitCodes } from '../src/failures.ts';

const bin = fileURLToPath(new URL('../bin/florin.mjs', import.meta.url));
let database: TestDatabase;
let florin: TestFlorin;
let folder: string;

beforeAll(async () => {
  database = await databaseFromTemplate();
  florin = await florinOn(database);
  folder = mkdtempSync(join(tmpdir(), 'florin-operators-'));
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await florin?.stop();
  await database?.drop();
});

const settings = (more: Record<string, string> = {}) =>
  readSettings({ APP_DATABASE_URL: urlOf(database.connection), APP_DATA_DIR: folder, ...more }, undefined);

test('create-admin creates an administrator who can log in, beside the running service, and only once', async () => {
  await expect(createAdministrator('rescue', 'abc', settings())).rejects.toThrow(/at least/);
  expect(await createAdministrator('rescue', 'a battery of horses', settings())).toEqual({
    password: 'a battery of horses',
  });
  const client = new Florin({ baseUrl: florin.address });
  const login = await client.login({ account: 'rescue', password: 'a battery of horses' });
  expect(login.userType).toBe('PLATFORM_ADMIN');
  expect((await client.audit.list({ action: 'user.create' }).toArray()).length).toBeGreaterThan(1);
  const again = await createAdministrator('RESCUE', undefined, settings()).catch((error: unknown) => error);
  expect(exitCodeOf(again)).toBe(exitCodes.conflict);
});

test('in the strict profile create-admin sets no password and gives a link to choose one', async () => {
  const strict = { APP_SECURITY_PROFILE: 'strict', APP_ADMIN_ACCOUNT: 'chief', APP_PUBLIC_URL: 'https://pay.example' };
  const { invitation } = (await createAdministrator('invited', undefined, settings(strict))) as { invitation: string };
  expect(invitation).toMatch('https://pay.example/reset-password?token=');
  const token = new URL(invitation).searchParams.get('token');
  const newPassword = 'a battery of horses';
  expect((await florin.post('/api/user/reset-password', { token, newPassword })).status).toBe(200);
  await florin.login('invited', newPassword);
});

test('remove-second-factor lets an administrator log in by password, ends the sessions, and is audited', async () => {
  const client = new Florin({ baseUrl: florin.address });
  const password = 'a battery of horses';
  await createAdministrator('alone', password, settings());
  await expect(removeSecondFactor('alone', settings())).rejects.toThrow('no second factor');
  await expect(removeSecondFactor('nobody', settings())).rejects.toThrow('no user nobody');
  const as = await florin.login('alone', password);
  await enrol(florin, as, Date.now(), password);
  await expect(client.login({ account: 'alone', password })).rejects.toMatchObject({ type: 'second_factor_challenge' });
  await removeSecondFactor('ALONE', settings());
  await eventually('the session has ended', async () => (await florin.get('/api/user/info', as)).status === 401);
  await client.login({ account: 'alone', password });
  const [entry] = await client.audit.list({ action: 'user.remove_second_factor' }).toArray();
  expect(entry).toMatchObject({ by: 'system', userId: null });
});

test('migrate does not change a current database, and says so', async () => {
  const lines: string[] = [];
  await migrateNow((line) => lines.push(line), new AbortController().signal, { settings: settings() });
  expect(lines).toEqual(['The database has the schema of this version.']);
});

test('the service starts in a folder that was migrated, because its keys are there', async () => {
  const fresh = readSettings({ APP_DATA_DIR: join(folder, 'data') }, undefined);
  const lines: string[] = [];
  await migrateNow((line) => lines.push(line), new AbortController().signal, { settings: fresh });
  expect(lines[0]).toBe('migrated  0001_baseline');
  expect(existsSync(join(folder, 'data/encryption-keys'))).toBe(true);
});

test('a wrong setting is reported in one line, and a program of the server gets its own arguments', async () => {
  const run = promisify(execFile);
  const env = { ...process.env, APP_NONSENSE: '1' };
  const wrong = await run(process.execPath, [bin, 'migrate'], { cwd: folder, env }).catch((error) => error);
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/^florin: APP_NONSENSE [^\n]+\n$/) });
  const never = await run(process.execPath, [bin, 'migrate', '--deadline', '0'], { cwd: folder }).catch(
    (error) => error,
  );
  expect(never).toMatchObject({ code: 2, stderr: 'florin: --deadline must be at least 1 ms.\n' });
  const { stdout } = await run(process.execPath, [bin, 'verify', '--help'], { cwd: folder });
  expect(stdout).toContain('--audit-head');
});

test('an operator command that fails prints one line, returns its exit code and changes nothing', async () => {
  const empty = mkdtempSync(join(folder, 'empty-'));
  const here = 'there is no database in ./data; set app.data-dir.';
  const failures: [line: string, exitCode: number, why: string][] = [
    ...Object.keys(serverPrograms).map((name): [string, number, string] => [
      `${name} --nonsense`,
      2,
      `florin ${name} --help says how it is used.`,
    ]),
    ['backup kept', 1, here],
    ['rehearse', 1, here],
    ['verify', 2, here],
    ['reseal', 2, here],
    ['create-admin joe', 1, here],
    ['remove-second-factor joe', 1, here],
    ['restore nowhere --verify', 1, 'nowhere'],
  ];
  const run = promisify(execFile);
  await Promise.all(
    failures.map(async ([line, code, why]) => {
      const ended = await run(process.execPath, [bin, ...line.split(' ')], { cwd: empty }).catch((error) => error);
      expect(ended, line).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
      expect(ended.stderr).toContain(why);
    }),
  );
  expect(readdirSync(empty)).toEqual([]);
});
