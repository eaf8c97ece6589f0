import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { tenantOnWire } from '../../../core/principal.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { normalizedAccount } from './account.ts';
import type { LoginFailures } from './login-failures.ts';
import type { loginInput, loginResult } from './schema.ts';
import { findLogin, type LoginRow, startSession } from './statements.ts';
import { signAccessToken, signRefreshToken, type TokenDeps } from './token-pair.ts';

export interface LoginDeps extends TokenDeps {
  database: Database;
  passwords: Passwords;
  loginFailures: LoginFailures;
  /** `app.deployment-mode`: a label in the answer. */
  deploymentMode: string;
}

/** Where a login comes from. */
interface Origin {
  address: string;
  /** The User-Agent header. */
  device: string | undefined;
}

type LoginResult = Static<typeof loginResult>;

/**
 * Starts a session. A wrong password, an unknown account, a disabled user and a disabled tenant get the same refusal
 * after the same work, so that callers cannot tell them apart. The attempt is counted before the password is hashed.
 */
export async function login(
  { account, password, address, device }: Static<typeof loginInput> & Origin,
  deps: LoginDeps,
): Promise<LoginResult> {
  const attempt = await deps.loginFailures.reserve(account, address);
  let result: LoginResult | undefined;
  try {
    const user = await verifyPassword(account, password, deps);
    result = user && (await openSession(user, { address, device }, deps));
  } catch (error) {
    attempt.release(); // Overload or an unreachable database says nothing about the password.
    throw error;
  }
  if (result === undefined) {
    attempt.fail();
    throw new Refusal('login_refused', 'The account or the password is not right.');
  }
  attempt.release();
  return result;
}

async function verifyPassword(
  account: string,
  password: string,
  { database, passwords }: LoginDeps,
): Promise<LoginRow | undefined> {
  const [user] = await database.run(findLogin, [normalizedAccount(account)]);
  const matches = await passwords.verify(user?.password_hash ?? undefined, password);
  return matches && user?.active ? user : undefined;
}

/** Undefined when the password was changed or the user was disabled since the password was verified. */
async function openSession(
  user: LoginRow,
  { address, device }: Origin,
  deps: LoginDeps,
): Promise<LoginResult | undefined> {
  const { database, clock, lifetimes, deploymentMode } = deps;
  const startedAtMs = Math.floor(clock() / 1000) * 1000; // JWTs count whole seconds.
  const session = { id: randomUUID(), expiresAtMs: startedAtMs + lifetimes.sessionSeconds * 1000 };
  const [started] = await database.run(startSession, [
    session.id,
    user.id,
    user.password_hash,
    new Date(startedAtMs),
    new Date(session.expiresAtMs),
    storableDevice(device),
    address,
  ]);
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
