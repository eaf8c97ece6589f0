import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { tenantOnWire } from '../../../core/principal.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdentityApp } from '../app.ts';
import { type Actor, appendAudit } from '../audit/append.ts';
import type { loginResult } from './schema.ts';
import { type LoginRow, startSession } from './statements.ts';
import { type OpenedSession, signTokenPair } from './token-pair.ts';

/** Where a login comes from. */
export interface LoginOrigin {
  address: string;
  requestId: string;
  /** The User-Agent header. */
  device: string | undefined;
}

export function loginOriginOf({ address, requestId, headers }: Call<unknown, unknown>): LoginOrigin {
  return { address, requestId, device: headers['user-agent'] };
}

export type LoginResult = Static<typeof loginResult>;

/** A login that succeeded. Its route returns the session in tokens or in a cookie. */
export interface OpenedLogin {
  user: LoginRow;
  session: OpenedSession;
}

/**
 * Starts a session. Returns undefined if the user was disabled, got another password, or enrolled or lost a second
 * factor since `user` was read. `secondFactor`: the method with which the user has just proven it; the session then
 * counts as stepped up.
 */
export async function openSession(
  transaction: Queryable,
  user: LoginRow,
  actor: Actor,
  { address, device }: LoginOrigin,
  { clock, lifetimes, stepUpMs }: IdentityApp,
  secondFactor?: string,
): Promise<OpenedSession | undefined> {
  const startedAtMs = Math.floor(clock() / 1000) * 1000; // JWTs count whole seconds.
  const session = { id: randomUUID(), expiresAtMs: startedAtMs + lifetimes.sessionSeconds * 1000, generation: 0 };
  const times = [new Date(startedAtMs), new Date(session.expiresAtMs)];
  const steppedUpUntil = secondFactor === undefined ? null : new Date(clock() + stepUpMs);
  const deviceStart = device?.slice(0, 300) ?? null; // The header can have kilobytes.
  const values = [session.id, user.id, user.password_hash, ...times, deviceStart, address, steppedUpUntil];
  const [row] = await transaction.run(startSession, values);
  if (row === undefined) return undefined;
  await appendAudit(transaction, actor, {
    action: 'session.login',
    tenantId: user.tenant_id,
    recordId: session.id,
    ...(secondFactor !== undefined && { details: { secondFactor } }),
  });
  return session;
}

/** The answer to login, with the tokens of the session. */
export async function signLoginResult({ user, session }: OpenedLogin, app: IdentityApp): Promise<LoginResult> {
  return {
    token: await signTokenPair(user, session, app),
    userType: user.user_type,
    tenantId: tenantOnWire(user.tenant_id),
    deploymentMode: app.deploymentMode,
    userName: user.user_name,
    userId: user.id,
  };
}
