import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../core/clock.ts';
import { isUnavailable, Refusal } from '../../../core/errors.ts';
import { platformTenant } from '../../../core/principal.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import { randomText } from '../../../platform/crypto/random-text.ts';
import { readOrCreateSecret } from '../../../platform/crypto/secret-file.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { appendAudit, systemActor } from '../audit/append.ts';
import { normalizedAccount } from '../sessions/account.ts';
import { findLogin } from '../sessions/statements.ts';
import { insertWithNames } from './modify.ts';
import { recordOf } from './record.ts';
import { refuseOwnName, requireNames, requireStrongPassword } from './rules.ts';
import { anyUser, lockUsers, type UserRow } from './statements.ts';

export interface FirstAdministratorDeps {
  database: Database;
  passwords: Passwords;
  clock: Clock;
  /** `app.admin.account`: the user name, and the e-mail address if it is one. */
  account: string;
  /** `app.admin.password`; without it, a random password is generated and written to `passwordFile`. */
  password?: string | undefined;
  /** `app.password.min-length` */
  passwordMinLength: number;
  dataDir: string;
}

export interface FirstAdministrator {
  account: string;
  /** True only when this start created the administrator. */
  created: boolean;
  /** The generated password, to be shown once; absent for a configured one. */
  password?: string;
  /** The file that holds the generated password. */
  passwordFile?: string;
  /**
   * With app.security.profile=strict: the link with which the administrator chooses a password, and the file that holds
   * it.
   */
  invitation?: string;
  invitationFile?: string;
}

/** Its message tells the operator in one line what to change. */
export class FirstAdministratorError extends Error {}

const passwordLength = 20;

/**
 * Creates the platform administrator if there are no users yet. A generated password is written to disk before the
 * administrator is inserted: after a crash between the two, the next start uses that file. `app.admin.password` has no
 * effect once there is a user.
 */
export async function ensureAdministrator(deps: FirstAdministratorDeps): Promise<FirstAdministrator> {
  const { database, passwords, account } = deps;
  if ((await database.run(anyUser)).length > 0) return { account, created: false };

  const given = deps.password;
  const passwordFile = join(deps.dataDir, 'admin-password');
  const password =
    given ?? (await ensureSecretFile(passwordFile, 'the first password', () => randomText(passwordLength)));
  await asConfigured(async () => {
    const field = given === undefined ? passwordFile : 'app.admin.password';
    await requireStrongPassword(password, deps.passwordMinLength, field);
    refuseOwnName(password, { userName: account, email: account }, field);
  });
  const created = await asConfigured(async () => insertAdministrator(await passwords.hash(password), deps));
  if (given !== undefined) return { account, created };
  if (created) return { account, created, password, passwordFile };

  // Another node created the administrator first. The file is right only if that node wrote it, to the same folder.
  const [winner] = await database.run(findLogin, [normalizedAccount(account)]);
  if (!(await passwords.verify(winner?.password_hash ?? undefined, password))) await rm(passwordFile, { force: true });
  return { account, created };
}

/** A refusal of what the settings or the file name, as an error for the operator. */
export async function asConfigured<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || isUnavailable(error)) throw error;
    const isName = error.field === 'userName' || error.field === 'email';
    throw new FirstAdministratorError(`${isName ? 'app.admin.account: ' : ''}${error.message}`, { cause: error });
  }
}

export async function ensureSecretFile(file: string, what: string, generate: () => string): Promise<string> {
  try {
    return await readOrCreateSecret(file, generate);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const remedy =
      code === 'EISDIR'
        ? 'it is a folder, but a file belongs there: move it away'
        : 'make the folder writable and free space on its disk';
    throw new FirstAdministratorError(
      `${what} cannot be kept in ${file} (${code}); ${remedy}, or set app.admin.password.`,
      { cause: error },
    );
  }
}

function insertAdministrator(
  passwordHash: string,
  { database, clock, account }: FirstAdministratorDeps,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await transaction.run(lockUsers);
    if ((await transaction.run(anyUser)).length > 0) return false;
    await insertPlatformAdministrator(transaction, { account, passwordHash, nowMs: clock() });
    return true;
  });
}

/**
 * Creates a further platform administrator: `florin create-admin`, for operators who are locked out. Refuses an account
 * that exists, and a weak password.
 */
export async function addAdministrator({
  database,
  passwords,
  clock,
  account,
  password,
  passwordMinLength,
}: Pick<FirstAdministratorDeps, 'database' | 'passwords' | 'clock' | 'account' | 'passwordMinLength'> & {
  password: string;
}): Promise<void> {
  await requireStrongPassword(password, passwordMinLength, 'password');
  refuseOwnName(password, { userName: account, email: account }, 'password');
  const passwordHash = await passwords.hash(password);
  await database.transaction(async (transaction) => {
    await insertPlatformAdministrator(transaction, { account, passwordHash, nowMs: clock() });
  });
}

export async function insertPlatformAdministrator(
  transaction: Queryable,
  { account, passwordHash, nowMs }: { account: string; passwordHash: string | null; nowMs: number },
): Promise<UserRow> {
  const names = { userName: account, email: account.includes('@') ? account : `${account}@localhost` };
  requireNames(names);
  const user = {
    tenantId: platformTenant,
    ...names,
    passwordHash,
    userType: 'PLATFORM_ADMIN',
    roles: [],
    state: true,
    now: new Date(nowMs),
  } as const;
  const created = await insertWithNames(transaction, user, { mayKnowAll: true });
  await appendAudit(transaction, systemActor, {
    action: 'user.create',
    tenantId: platformTenant,
    recordId: created.id,
    after: recordOf(created),
  });
  return created;
}
