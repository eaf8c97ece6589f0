import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Passwords } from '../../../platform/crypto/passwords.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../testing/database.ts';
import { passwordCost } from '../../../testing/password-cost.ts';
import { findLogin } from '../sessions/statements.ts';
import { ensureAdministrator } from './first-administrator.ts';

let db: TestDatabase;
let dataDir: string;
const passwords = new Passwords({ cost: passwordCost });

beforeAll(async () => {
  db = await databaseFromTemplate();
});
afterAll(() => db.drop());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'florin-admin-'));
  await db.query('truncate login_name, app_user cascade');
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const ensure = (options: { account?: string; password?: string; dataDir?: string } = {}) =>
  ensureAdministrator({
    database: db.database,
    passwords,
    clock: Date.now,
    account: 'admin',
    passwordMinLength: 6,
    dataDir,
    ...options,
  });
async function fits(password: string | undefined, account = 'admin') {
  const [user] = await db.database.run(findLogin, [account]);
  return user !== undefined && passwords.verify(user.password_hash, password ?? '');
}
const passwordFile = () => join(dataDir, 'admin-password');

test('the first start makes a platform administrator and keeps the drawn password for its owner alone', async () => {
  const first = await ensure();
  expect(first).toEqual({
    account: 'admin',
    created: true,
    password: expect.stringMatching(/^[A-Za-z0-9]{20}$/),
    passwordFile: passwordFile(),
  });
  expect(await fits(first.password)).toBe(true);
  expect((await readFile(passwordFile(), 'utf8')).trim()).toBe(first.password);
  expect((await stat(passwordFile())).mode & 0o777).toBe(0o600);
  const [user] = await db.query('select user_type, tenant_id, email, state from app_user');
  expect(user).toEqual({ user_type: 'PLATFORM_ADMIN', tenant_id: 0, email: 'admin@localhost', state: true });
});

test('a later start changes nothing and tells no password, also when one is given then', async () => {
  const { password } = await ensure();
  expect(await ensure()).toEqual({ account: 'admin', created: false });
  expect(await ensure({ password: 'given too late' })).toEqual({ account: 'admin', created: false });
  expect(await fits(password)).toBe(true);
  expect(await fits('given too late')).toBe(false);
});

test('a given password is used, neither shown nor kept', async () => {
  expect(await ensure({ password: 'given in time' })).toEqual({ account: 'admin', created: true });
  expect(await fits('given in time')).toBe(true);
  await expect(stat(passwordFile())).rejects.toThrow('ENOENT');
});

test('a given password below the floor stops the start; one of the commonest is worth a warning', async () => {
  await expect(ensure({ password: '12345' })).rejects.toThrow('app.admin.password must have at least 6 characters');
  expect(await ensure({ password: 'admin123' })).toMatchObject({ created: true, commonPassword: true });
});

test('an account that is an e-mail address is both name and address', async () => {
  const { password } = await ensure({ account: 'Chief@Pay.example' });
  expect(await fits(password, 'chief@pay.example')).toBe(true);
  expect(await db.query('select email from app_user')).toEqual([{ email: 'Chief@Pay.example' }]);
});

test('a crash after the password was written and before the administrator was made locks nobody out', async () => {
  await writeFile(passwordFile(), 'drawnBeforeTheCrash1\n', { mode: 0o600 });
  expect(await ensure()).toMatchObject({ created: true, password: 'drawnBeforeTheCrash1' });
  expect(await fits('drawnBeforeTheCrash1')).toBe(true);
});

test('two nodes starting at once on one folder make one administrator, with the password in the file', async () => {
  const results = await Promise.all([ensure(), ensure(), ensure()]);
  expect(results.filter(({ created }) => created)).toHaveLength(1);
  expect(await fits((await readFile(passwordFile(), 'utf8')).trim())).toBe(true);
});

test('of two nodes with a folder each, only the one that made the administrator keeps a password', async () => {
  const otherDir = await mkdtemp(join(tmpdir(), 'florin-admin-'));
  try {
    const [here, there] = await Promise.all([ensure(), ensure({ dataDir: otherDir })]);
    const [won, lost] = here.created ? [dataDir, otherDir] : [otherDir, dataDir];
    expect(here.created).not.toBe(there.created);
    expect(await fits((await readFile(join(won, 'admin-password'), 'utf8')).trim())).toBe(true);
    await expect(stat(join(lost, 'admin-password'))).rejects.toThrow('ENOENT');
  } finally {
    await rm(otherDir, { recursive: true });
  }
});
