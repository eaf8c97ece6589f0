import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { platformTenant } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Actor } from '../audit/append.ts';
import type { RefusedRequests } from '../audit/refused-requests.ts';
import { countedAccount, normalizedAccount } from './account.ts';
import { challengeLogin } from './challenge.ts';
import type { LoginFailures } from './login-failures.ts';
import { type LoginOrigin, type OpenedLogin, type OpenSessionDeps, openSession } from './open-session.ts';
import type { loginInput } from './schema.ts';
import { findLogin, type LoginRow } from './statements.ts';
import { type PasswordDeps, verifyPassword } from './verify-password.ts';

export interface LoginDeps extends OpenSessionDeps, PasswordDeps {
  database: Database;
  loginFailures: LoginFailures;
  refusedRequests: Pick<RefusedRequests, 'record'>;
}

/**
 * Starts a session. A wrong password, an unknown account, a disabled user and a disabled tenant get the same refusal
 * after the same work, so that callers cannot tell them apart. The attempt is counted before the password is hashed.
 *
 * A user with a second factor gets no session yet, but the refusal `second_factor_challenge` with the challenge for the next step.
 */
export async function login(
  { account, password, ...origin }: Static<typeof loginInput> & LoginOrigin,
  deps: LoginDeps,
): Promise<OpenedLogin> {
  const find = async () => (await deps.database.run(findLogin, [normalizedAccount(account)]))[0];
  const known = await find();
  const actor = actorOf(known, origin);
  const opened = await deps.loginFailures.attempt(countedAccount(known, account), origin.address, async (caller) => {
    const user = await verifyPassword(known, find, password, caller, deps);
    const isVerified = user?.active === true && user.id === known?.id;
    if (isVerified && user.has_second_factor) throw await challengeLogin(user, deps);
    const started = isVerified ? await startVerified(user, actor, origin, deps) : undefined;
    if (started === undefined) recordRefused(known, actor, deps);
    return started;
  });
  if (opened === undefined) throw new Refusal('login_refused', 'The account or the password is not right.');
  return opened;
}

function actorOf(user: LoginRow | undefined, { address, requestId }: LoginOrigin): Actor {
  const origin = { address, requestId };
  // Not the account that was typed: people type passwords into the wrong field.
  if (user === undefined) return { by: 'nobody', userId: null, userName: null, ...origin };
  return { by: 'password', userId: user.id, userName: user.user_name, ...origin };
}

/** In the log of the account's tenant, or in that of the platform if there is no such account. */
function recordRefused(user: LoginRow | undefined, actor: Actor, { refusedRequests }: LoginDeps): void {
  const tenantId = user?.tenant_id ?? platformTenant;
  const route = 'POST /api/user/login';
  refusedRequests.record({ action: 'session.login_refused', tenantId, actor, type: 'login_refused', route });
}

async function startVerified(
  user: LoginRow,
  actor: Actor,
  origin: LoginOrigin,
  deps: LoginDeps,
): Promise<OpenedLogin | undefined> {
  const session = await deps.database.transaction((transaction) => openSession(transaction, user, actor, origin, deps));
  return session && { user, session };
}
