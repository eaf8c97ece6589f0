import { randomUUID } from 'node:crypto';
import { Refusal } from '../../../core/errors.ts';
import { tenantOnWire } from '../../../core/principal.ts';
import type { UserType } from '../../../core/scopes.ts';
import type { UserDeps } from './deps.ts';
import { accountKey } from './rules.ts';
import { type AccountRow, findByAccount, startSession } from './statements.ts';
import { signAccessToken, signRefreshToken, type TokenPair } from './token-pair.ts';

export interface Credentials {
  /** User name or e-mail address. */
  account: string;
  password: string;
  /** Where the login comes from. */
  address: string;
}

/** The interface's login result. */
export interface LoginResult {
  token: TokenPair;
  userType: UserType;
  tenantId: string | null;
  deploymentMode: string;
  userName: string;
  userId: number;
}

/**
 * Opens a session. A wrong password, an unknown account, a user or a tenant switched off: one refusal for all, in one
 * text and after the same work. Failures are counted before the password is hashed.
 */
export async function login({ account, password, address }: Credentials, deps: UserDeps): Promise<LoginResult> {
  const attempt = await deps.failures.reserve(account, address);
  let result: LoginResult | undefined;
  try {
    const user = await verify(account, password, deps);
    result = user && (await open(user, deps));
  } catch (error) {
    attempt.released(); // Overload or a database away says nothing about the password.
    throw error;
  }
  if (result === undefined) {
    attempt.failed();
    throw new Refusal('login_refused', 'The account or the password is not right.');
  }
  attempt.released();
  return result;
}

async function verify(account: string, password: string, deps: UserDeps): Promise<AccountRow | undefined> {
  const [user] = await deps.database.run(findByAccount, [accountKey(account)]);
  const matches = await deps.passwords.verify(user?.password_hash, password);
  return matches && user?.active ? user : undefined;
}

/** Undefined when the password changed or the user was switched off since it was verified. */
async function open(user: AccountRow, deps: UserDeps): Promise<LoginResult | undefined> {
  const { database, clock, settings } = deps;
  const startedAtMs = Math.floor(clock() / 1000) * 1000; // Whole seconds, as tokens count them.
  const session = { id: randomUUID(), expiresAtMs: startedAtMs + settings.refreshTokenSeconds * 1000 };
  const [started] = await database.run(startSession, [
    session.id,
    user.id,
    user.password_hash,
    new Date(startedAtMs),
    new Date(session.expiresAtMs),
  ]);
  if (started === undefined) return undefined;
  const refreshToken = await signRefreshToken(user, session.id, deps);
  const { accessToken, expiresIn } = await signAccessToken(user, session, deps);
  return {
    token: { accessToken, refreshToken, expiresIn, tokenType: 'Bearer' },
    userType: user.user_type,
    tenantId: tenantOnWire(user.tenant_id),
    deploymentMode: settings.deploymentMode,
    userName: user.user_name,
    userId: user.id,
  };
}
