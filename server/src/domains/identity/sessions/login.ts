import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { platformTenant } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { IdentityApp } from '../app.ts';
import type { Actor } from '../audit/append.ts';
import { countedAccount, normalizedAccount } from './account.ts';
import { challengeLogin } from './challenge.ts';
import { type LoginOrigin, type OpenedLogin, openSession } from './open-session.ts';
import type { loginInput } from './schema.ts';
import { findLogin, type LoginRow } from './statements.ts';
import { verifyPassword } from './verify-password.ts';

/**
 * Starts a session. A wrong password, an unknown account, a disabled user and a disabled tenant get the same refusal
 * after the same work, so that callers cannot tell them apart. The attempt is counted before the password is hashed.
 *
 * A user with a second factor gets no session yet, but the refusal `second_factor_challenge` with the challenge for the
 * next step.
 */
export async function login(
  { account, password, ...origin }: Static<typeof loginInput> & LoginOrigin,
  app: IdentityApp,
): Promise<OpenedLogin> {
  const find = async () => (await app.database.run(findLogin, [normalizedAccount(account)]))[0];
  const known = await find();
  const actor = actorOf(known, origin);
  const opened = await app.loginFailures.attempt(countedAccount(known, account), origin.address, async (caller) => {
    const user = await verifyPassword(known, find, password, caller, app);
    const isVerified = user?.active === true && user.id === known?.id;
    if (isVerified && user.has_second_factor) throw await challengeLogin(user, app);
    const started = isVerified ? await startVerified(user, actor, origin, app) : undefined;
    if (started === undefined) recordRefused(known, actor, app);
    return started;
  });
  if (opened === undefined) throw new Refusal('login_refused', rule('password_login'));
  return opened;
}

function actorOf(user: LoginRow | undefined, { address, requestId }: LoginOrigin): Actor {
  const origin = { address, requestId };
  // Not the account that was typed: people type passwords into the wrong field.
  if (user === undefined) return { by: 'nobody', userId: null, userName: null, ...origin };
  return { by: 'password', userId: user.id, userName: user.user_name, ...origin };
}

/** In the log of the account's tenant, or in that of the platform if there is no such account. */
function recordRefused(user: LoginRow | undefined, actor: Actor, { refusedRequests }: IdentityApp): void {
  const tenantId = user?.tenant_id ?? platformTenant;
  const route = 'POST /api/user/login';
  refusedRequests.record({ action: 'session.login_refused', tenantId, actor, type: 'login_refused', route });
}

async function startVerified(
  user: LoginRow,
  actor: Actor,
  origin: LoginOrigin,
  app: IdentityApp,
): Promise<OpenedLogin | undefined> {
  const session = await app.database.transaction((transaction) => openSession(transaction, user, actor, origin, app));
  return session && { user, session };
}
