import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, dayMs } from '../../../core/clock.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { normalizedAccount } from '../sessions/account.ts';
import { findLogin } from '../sessions/statements.ts';
import {
  asConfigured,
  ensureSecretFile,
  type FirstAdministrator,
  type FirstAdministratorDeps,
  insertPlatformAdministrator,
} from './first-administrator.ts';
import { choosePasswordUrl, newPasswordToken } from './password-tokens.ts';
import {
  anyUser,
  findOpenResetOfUser,
  findUser,
  insertInvitationToken,
  lockUsers,
  type UserRow,
} from './statements.ts';

const lifetimeMs = dayMs;

interface FirstInvitationDeps extends Pick<FirstAdministratorDeps, 'database' | 'clock' | 'account' | 'dataDir'> {
  /** `app.public-url`, with which the link begins. */
  publicUrl: string;
}

/**
 * Creates the platform administrator if there are no users yet, and writes a link to `<data-dir>/admin-invitation` with
 * which the password can be chosen once, within a day (ASVS 6.4.1). If it was not chosen by then, the next start writes
 * another link.
 */
export async function ensureInvitedAdministrator(deps: FirstInvitationDeps): Promise<FirstAdministrator> {
  const { database, account, dataDir, publicUrl } = deps;
  if (!(await needsInvitation(database, account))) return { account, created: false };
  const invitationFile = join(dataDir, 'admin-invitation');
  return database.transaction(async (transaction) => {
    // Nodes that start at the same time wait here, and then find the invitation of the first one.
    await transaction.run(lockUsers);
    if (!(await needsInvitation(transaction, account))) return { account, created: false };
    const [login] = await transaction.run(findLogin, [normalizedAccount(account)]);
    const nowMs = deps.clock();
    const found = login && (await transaction.run(findUser, [login.id]))[0];
    const create = () => insertPlatformAdministrator(transaction, { account, passwordHash: null, nowMs });
    const user = found ?? (await asConfigured(create));
    if ((await transaction.run(findOpenResetOfUser, [user.id, new Date(nowMs)])).length > 0) {
      return { account, created: false };
    }
    const token = await insertInvitation(transaction, user, nowMs);
    const invitation = choosePasswordUrl(token, publicUrl);
    await rm(invitationFile, { force: true });
    await ensureSecretFile(invitationFile, 'the invitation of the administrator', () => invitation);
    return { account, created: found === undefined, invitation, invitationFile };
  });
}

/** Creates a further platform administrator, who chooses the password with the returned link within a day. */
export async function addInvitedAdministrator({
  database,
  clock,
  account,
  publicUrl,
}: {
  database: Database;
  clock: Clock;
  account: string;
  publicUrl: string;
}): Promise<string> {
  return database.transaction(async (transaction) => {
    const user = await insertPlatformAdministrator(transaction, { account, passwordHash: null, nowMs: clock() });
    return choosePasswordUrl(await insertInvitation(transaction, user, clock()), publicUrl);
  });
}

/** Whether there are no users, or the administrator has not chosen a password. */
async function needsInvitation(database: Queryable, account: string): Promise<boolean> {
  if ((await database.run(anyUser)).length === 0) return true;
  const [login] = await database.run(findLogin, [normalizedAccount(account)]);
  return login?.active === true && login.user_type === 'PLATFORM_ADMIN' && login.password_hash === null;
}

async function insertInvitation(transaction: Queryable, user: UserRow, nowMs: number): Promise<string> {
  const { token, tokenHash } = newPasswordToken();
  await transaction.run(insertInvitationToken, [tokenHash, user.id, new Date(nowMs + lifetimeMs)]);
  return token;
}
