import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { passwordCost } from '../../../../../tests/support/service/password-cost.ts';
import { Passwords } from '../../../../platform/crypto/passwords.ts';
import { findLogin } from '../../sessions/statements.ts';
import { addAdministrator, ensureAdministrator } from '../first-administrator.ts';

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
async function canLogIn(password: string | undefined, account = 'admin') {
  const [user] = await db.database.run(findLogin, [account]);
  return user !== undefined && passwords.verify(user.password_hash ?? undefined, password ?? '');
}
const passwordFile = () => join(dataDir, 'admin-password');

test('the first start creates a platform administrator, with the password in a file of mode 0600', async () => {
  const first = await ensure();
  expect(first).toEqual({
    account: 'admin',
    created: true,
    password: expect.stringMatching(/^[A-Za-z0-9]{20}$/),
    passwordFile: passwordFile(),
  });
  expect(await canLogIn(first.password)).toBe(true);
  expect((await readFile(passwordFile(), 'utf8')).trim()).toBe(first.password);
  expect((await stat(passwordFile())).mode & 0o777).toBe(0o600);
  const [user] = await db.query('select user_type, tenant_id, email, state from app_user');
  expect(user).toEqual({ user_type: 'PLATFORM_ADMIN', tenant_id: 0, email: 'admin@localhost', state: true });
});

test('a later start changes nothing and returns no password, even with a configured password', async () => {
  const { password } = await ensure();
  expect(await ensure()).toEqual({ account: 'admin', created: false });
  expect(await ensure({ password: 'given too late' })).toEqual({ account: 'admin', created: false });
  expect(await canLogIn(password)).toBe(true);
  expect(await canLogIn('given too late')).toBe(false);
});

test('a configured password is used, and neither returned nor written to a file', async () => {
  expect(await ensure({ password: 'given in time' })).toEqual({ account: 'admin', created: true });
  expect(await canLogIn('given in time')).toBe(true);
  await expect(stat(passwordFile())).rejects.toThrow('ENOENT');
});

test('the first password follows the rules of every password, configured or from the file', async () => {
  const configured = ensure({ password: '12345' });
  await expect(configured).rejects.toThrow('app.admin.password must have at least 6 characters');
  for (const [password, reason] of [
    ['admin123', /^app\.admin\.password is one of the commonest passwords/],
    ['administrator1', /^app\.admin\.password is little more than/],
    ['x'.repeat(1025), /^app\.admin\.password must have at most 1024 bytes/],
    ['      ', /^app\.admin\.password must have at least 6 characters/],
  ] as const) {
    await expect(ensure({ account: 'administrator', password })).rejects.toThrow(reason);
  }
  await writeFile(passwordFile(), '123456\n', { mode: 0o600 });
  await expect(ensure()).rejects.toThrow('admin-password is one of the commonest passwords');
  expect(await db.query('select from app_user')).toEqual([]);
});

test('an administrator has a name and an address that the API would accept', async () => {
  const add = (account: string) =>
    addAdministrator({
      ...{ database: db.database, passwords, clock: Date.now, account },
      ...{ password: 'given in time', passwordMinLength: 6 },
    });
  for (const account of [
    '',
    ' chief',
    'chief\nofficer',
    'chief<b>',
    'x'.repeat(65),
    '\u3164',
    '@shop',
    'chief@',
    'a b@shop',
  ]) {
    await expect(add(account), account).rejects.toThrow(/userName must be|email must be/);
    await expect(ensure({ account, password: 'given in time' }), account).rejects.toThrow(/^app\.admin\.account: /);
  }
  await add('Chief@Shop.example');
});

test('an account that is an e-mail address becomes both user name and e-mail address', async () => {
  const { password } = await ensure({ account: 'Chief@Pay.example' });
  expect(await canLogIn(password, 'chief@pay.example')).toBe(true);
  expect(await db.query('select email from app_user')).toEqual([{ email: 'Chief@Pay.example' }]);
});

test('after a crash between the password and the administrator, the next start uses the file', async () => {
  await writeFile(passwordFile(), 'drawnBeforeTheCrash1\n', { mode: 0o600 });
  expect(await ensure()).toMatchObject({ created: true, password: 'drawnBeforeTheCrash1' });
  expect(await canLogIn('drawnBeforeTheCrash1')).toBe(true);
});

test('nodes that start at once on one folder create one administrator, with the password in the file', async () => {
  const results = await Promise.all([ensure(), ensure(), ensure()]);
  expect(results.filter(({ created }) => created)).toHaveLength(1);
  expect(await canLogIn((await readFile(passwordFile(), 'utf8')).trim())).toBe(true);
});

test('of two nodes with separate folders, only the one that made the administrator keeps the file', async () => {
  const otherDir = await mkdtemp(join(tmpdir(), 'florin-admin-'));
  try {
    const [here, there] = await Promise.all([ensure(), ensure({ dataDir: otherDir })]);
    const [won, lost] = here.created ? [dataDir, otherDir] : [otherDir, dataDir];
    expect(here.created).not.toBe(there.created);
    expect(await canLogIn((await readFile(join(won, 'admin-password'), 'utf8')).trim())).toBe(true);
    await expect(stat(join(lost, 'admin-password'))).rejects.toThrow('ENOENT');
  } finally {
    await rm(otherDir, { recursive: true });
  }
});
