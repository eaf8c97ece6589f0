import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { platformTenant, tenantOnWire } from '../../../core/principal.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type Actor, appendAudit } from '../audit/append.ts';
import type { RefusedRequests } from '../audit/refused-requests.ts';
import { normalizedAccount } from './account.ts';
import type { LoginFailures } from './login-failures.ts';
import type { loginInput, loginResult } from './schema.ts';
import { findLogin, type LoginRow, startSession } from './statements.ts';
import { signAccessToken, signRefreshToken, type TokenDeps } from './token-pair.ts';

export interface LoginDeps extends TokenDeps {
  database: Database;
  passwords: Passwords;
  loginFailures: LoginFailures;
  refusedRequests: Pick<RefusedRequests, 'record'>;
  /** `app.deployment-mode`: a label in the answer. */
  deploymentMode: string;
}

/** Where a login comes from. */
interface Origin {
  address: string;
  requestId: string;
  /** The User-Agent header. */
  device: string | undefined;
}

type LoginResult = Static<typeof loginResult>;

/**
 * Starts a session. A wrong password, an unknown account, a disabled user and a disabled tenant get the same refusal
 * after the same work, so that callers cannot tell them apart. The attempt is counted before the password is hashed.
 */
export async function login(
  { account, password, ...origin }: Static<typeof loginInput> & Origin,
  deps: LoginDeps,
): Promise<LoginResult> {
  const attempt = await deps.loginFailures.reserve(account, origin.address);
  let result: LoginResult | undefined;
  try {
    const [user] = await deps.database.run(findLogin, [normalizedAccount(account)]);
    const actor = actorOf(user, origin);
    const isVerified = await verifyPassword(user, password, attempt.asker, deps);
    result = user && isVerified ? await openSession(user, actor, origin, deps) : undefined;
    if (result === undefined) recordRefused(user, actor, deps);
  } catch (error) {
    attempt.release(); // Overload or an unreachable database says nothing about the password.
    throw error;
  }
  if (result === undefined) {
    attempt.fail();
    throw new Refusal('login_refused', 'The account or the password is not right.');
  }
  attempt.succeed();
  return result;
}

function actorOf(user: LoginRow | undefined, { address, requestId }: Origin): Actor {
  const origin = { address, requestId };
  // Not the account that was typed: people type passwords into the wrong field.
  if (user === undefined) return { by: 'nobody', userId: null, userName: null, ...origin };
  return { by: 'password', userId: user.id, userName: user.user_name, ...origin };
}

async function verifyPassword(
  user: LoginRow | undefined,
  password: string,
  asker: string,
  { passwords }: LoginDeps,
): Promise<boolean> {
  const matches = await passwords.verify(user?.password_hash ?? undefined, password, asker);
  return matches && user?.active === true;
}

/** In the log of the account's tenant; in that of the platform when there is no such account. */
function recordRefused(user: LoginRow | undefined, actor: Actor, { refusedRequests }: LoginDeps): void {
  const tenantId = user?.tenant_id ?? platformTenant;
  const route = 'POST /api/user/login';
  refusedRequests.record({ action: 'session.login_refused', tenantId, actor, type: 'login_refused', route });
}

/** Undefined when the password was changed or the user was disabled since the password was verified. */
async function openSession(
  user: LoginRow,
  actor: Actor,
  { address, device }: Origin,
  deps: LoginDeps,
): Promise<LoginResult | undefined> {
  const { database, clock, lifetimes, deploymentMode } = deps;
  const startedAtMs = Math.floor(clock() / 1000) * 1000; // JWTs count whole seconds.
  const session = { id: randomUUID(), expiresAtMs: startedAtMs + lifetimes.sessionSeconds * 1000 };
  const started = await database.transaction(async (transaction) => {
    const times = [new Date(startedAtMs), new Date(session.expiresAtMs)];
    const values = [session.id, user.id, user.password_hash, ...times, storableDevice(device), address];
    const [row] = await transaction.run(startSession, values);
    if (row === undefined) return undefined;
    const { id: recordId } = session;
    await appendAudit(transaction, actor, { action: 'session.login', tenantId: user.tenant_id, recordId });
    return row;
  });
  if (started === undefined) return undefined;
  const refreshToken = await signRefreshToken(user, session.id, deps);
  const { accessToken, expiresIn } = await signAccessToken(user, session, deps);
  return {
    token: { accessToken, refreshToken, expiresIn, tokenType: 'Bearer' },
    userType: user.user_type,
    tenantId: tenantOnWire(user.tenant_id),
    deploymentMode,
    userName: user.user_name,
    userId: user.id,
  };
}

/** Shortened: a header can have kilobytes. Headers hold no NUL, which PostgreSQL would refuse. */
function storableDevice(device: string | undefined): string | null {
  return device === undefined ? null : device.slice(0, 300);
}
