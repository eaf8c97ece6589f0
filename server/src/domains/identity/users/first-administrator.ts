import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../core/clock.ts';
import { platformTenant } from '../../../core/principal.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import { randomText } from '../../../platform/crypto/random-text.ts';
import { keptSecret } from '../../../platform/crypto/sealed-secret.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { isCommon } from './common-passwords.ts';
import { insertWithNames } from './modify.ts';
import { accountKey } from './rules.ts';
import { anyUser, findByAccount, lockUsers } from './statements.ts';

export interface FirstAdministratorDeps {
  database: Database;
  passwords: Passwords;
  clock: Clock;
  /** `app.admin.account`: the user name; when it is an e-mail address, that too. */
  account: string;
  /** `app.admin.password`; without it one is drawn and kept. */
  password?: string | undefined;
  /** `app.password.min-length` */
  passwordMinLength: number;
  dataDir: string;
}

export interface FirstAdministrator {
  account: string;
  /** True on the very first start, and only then. */
  created: boolean;
  /** The password that was drawn, to be shown once; not the one that was given. */
  password?: string;
  /** Where the drawn password is kept. */
  passwordFile?: string;
  /** The given password is one of the commonest: worth a warning. */
  commonPassword?: boolean;
}

/** Says in one line what an operator has to change before there can be an administrator. */
export class FirstAdministratorError extends Error {}

const passwordLength = 20;

/**
 * On the first start, when there is no user at all, makes the platform's administrator. A drawn password is on disk
 * before the administrator is in the database: a crash between the two locks nobody out, the next start takes it up.
 * A password given later changes nothing.
 */
export async function ensureAdministrator(deps: FirstAdministratorDeps): Promise<FirstAdministrator> {
  const { database, passwords, account } = deps;
  if ((await database.run(anyUser)).length > 0) return { account, created: false };

  const given = deps.password;
  if (given !== undefined && [...given].length < deps.passwordMinLength) {
    throw new FirstAdministratorError(`app.admin.password must have at least ${deps.passwordMinLength} characters.`);
  }
  const passwordFile = join(deps.dataDir, 'admin-password');
  const password = given ?? (await keptPassword(passwordFile));
  const created = await insertOnce(await passwords.hash(password), deps);
  if (given !== undefined) return { account, created, ...(isCommon(given) && { commonPassword: true }) };
  if (created) return { account, created, password, passwordFile };

  // Another node was first; what was kept here is the password only if that node kept it in the same folder.
  const [winner] = await database.run(findByAccount, [accountKey(account)]);
  if (!(await passwords.verify(winner?.password_hash, password))) await rm(passwordFile, { force: true });
  return { account, created };
}

async function keptPassword(file: string): Promise<string> {
  try {
    return await keptSecret(file, () => randomText(passwordLength));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const remedy =
      code === 'EISDIR'
        ? 'it is a folder, but a file belongs there: move it away'
        : 'make the folder writable and room on its disk';
    throw new FirstAdministratorError(
      `the first password cannot be kept in ${file} (${code}); ${remedy}, or set app.admin.password.`,
      { cause: error },
    );
  }
}

function insertOnce(passwordHash: string, { database, clock, account }: FirstAdministratorDeps): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await transaction.run(lockUsers);
    if ((await transaction.run(anyUser)).length > 0) return false;
    await insertWithNames(transaction, {
      tenantId: platformTenant,
      userName: account,
      email: account.includes('@') ? account : `${account}@localhost`,
      passwordHash,
      userType: 'PLATFORM_ADMIN',
      roles: [],
      state: true,
      now: new Date(clock()),
    });
    return true;
  });
}
