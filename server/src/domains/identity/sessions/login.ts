import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { platformTenant } from '../../../core/principal.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Actor } from '../audit/append.ts';
import type { RefusedRequests } from '../audit/refused-requests.ts';
import { normalizedAccount } from './account.ts';
import { challengeLogin } from './challenge.ts';
import type { LoginFailures } from './login-failures.ts';
import { type LoginOrigin, type OpenedLogin, type OpenSessionDeps, openSession } from './open-session.ts';
import type { loginInput } from './schema.ts';
import { findLogin, type LoginRow } from './statements.ts';

export interface LoginDeps extends OpenSessionDeps {
  database: Database;
  passwords: Passwords;
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
  const opened = await deps.loginFailures.attempt(account, origin.address, async (caller) => {
    const [user] = await deps.database.run(findLogin, [normalizedAccount(account)]);
    const actor = actorOf(user, origin);
    const isVerified = await verifyPassword(user, password, caller, deps);
    if (user?.has_second_factor && isVerified) throw await challengeLogin(user, deps);
    const started = user && isVerified ? await startVerified(user, actor, origin, deps) : undefined;
    if (started === undefined) recordRefused(user, actor, deps);
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

async function verifyPassword(
  user: LoginRow | undefined,
  password: string,
  caller: string,
  { passwords }: LoginDeps,
): Promise<boolean> {
  const matches = await passwords.verify(user?.password_hash ?? undefined, password, caller);
  return matches && user?.active === true;
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
