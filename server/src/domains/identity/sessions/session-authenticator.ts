import { type Clock, minuteMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { type Principal, platformTenant } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Tokens, VerifiedToken } from '../../../platform/crypto/tokens.ts';
import type { Caches } from '../../../platform/postgres/caches.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { principalOfAccount } from './account.ts';
import { type LiveCredential, LiveCredentials } from './live-credentials.ts';
import { findLiveSession, type LiveSessionRow, liveSessions, recordSessionUses } from './statements.ts';

export interface TokenLifetimes {
  /** `app.jwt.access-token-expire` */
  accessTokenSeconds: number;
  /** `app.jwt.refresh-token-expire` */
  sessionSeconds: number;
  /** `app.security.session-idle-timeout` */
  idleMs: number;
}

export interface SessionAuthenticatorOptions {
  database: Database;
  caches: Pick<Caches, 'readThrough'>;
  tokens: Tokens;
  clock: Clock;
  logError: (error: unknown, message: string) => void;
  /** `app.security.platform-second-factor`: what `secondFactorRequired` is for other tenants. */
  platformSecondFactorRequired: boolean;
  /** `app.security.profile`: every user needs a second factor. */
  isStrict: boolean;
  lifetimes: Pick<TokenLifetimes, 'idleMs' | 'sessionSeconds'>;
}

interface LiveSession extends LiveCredential<string> {
  /** Of its tokens: those of former generations were replaced. */
  generation: number;
  /** The last use that is known, or the login. */
  lastUsedMs: number;
}

/**
 * Authenticates access tokens, from a cache of live sessions. The claims in a token are for its readers only: the
 * database decides what a user may do, so that a changed role or an ended session takes effect on the next request.
 */
export class SessionAuthenticator {
  readonly #tokens: Tokens;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #live: LiveCredentials<string, LiveSession>;

  constructor(options: SessionAuthenticatorOptions) {
    const { database, caches, tokens, clock, logError } = options;
    this.#tokens = tokens;
    this.#clock = clock;
    this.#idleMs = options.lifetimes.idleMs;
    this.#live = new LiveCredentials({
      name: liveSessions,
      caches,
      load: (id) => loadLiveSession(id, options),
      recordUses: (...uses) => database.run(recordSessionUses, uses),
      onUsesLost: (error) => logError(error, 'The last uses of sessions could not be recorded.'),
    });
  }

  /**
   * Refuses with `credentials_invalid`. Queries the database only for a session that is not cached. A check is no use:
   * it does not keep a session from ending for idleness.
   */
  async authenticate(accessToken: string, address: string, isCheck = false): Promise<Principal> {
    return this.#principalOf(await this.#tokens.verify('access', accessToken), address, isCheck);
  }

  /** The same for the cookie of the console. */
  async authenticateCookie(cookie: string, address: string, isCheck = false): Promise<Principal> {
    return this.#principalOf(await this.#tokens.verify('cookie', cookie), address, isCheck);
  }

  async #principalOf({ sessionId, generation }: VerifiedToken, address: string, isCheck: boolean): Promise<Principal> {
    let live = this.#live.peek(sessionId) ?? (await this.#live.find(sessionId));
    const nowMs = this.#clock();
    const sinceMs = idleSince(nowMs, this.#idleMs).getTime();
    if (live !== undefined && (live.lastUsedMs < sinceMs || live.generation < generation)) {
      // It may have been used, or got other tokens, on another node since it was cached here.
      live = await this.#live.findAgain(sessionId);
    }
    if (live === undefined || live.expiresAtMs <= nowMs || live.lastUsedMs < sinceMs) throw sessionEnded();
    if (live.generation !== generation) throw tokenReplaced();
    if (isCheck) return live.principal;
    live.lastUsedMs = nowMs;
    this.#live.recordUse(live, nowMs, address);
    return live.principal;
  }

  /** Resolves when the last uses recorded so far have been written. */
  settled(): Promise<void> {
    return this.#live.settled();
  }
}

/** Since when a session must have been used. Uses are recorded once a minute. */
export function idleSince(nowMs: number, idleMs: number): Date {
  return new Date(nowMs - idleMs - minuteMs);
}

/** When the session was used last, or started. */
export function lastUseMs({ last_used_at, created_at }: Pick<LiveSessionRow, 'last_used_at' | 'created_at'>): number {
  return Date.parse(last_used_at ?? created_at);
}

/** When the session ends at the latest: also older sessions have at most the lifetime that is set now. */
export function expiryMs(
  { created_at, expires_at }: Pick<LiveSessionRow, 'created_at' | 'expires_at'>,
  { sessionSeconds }: Pick<TokenLifetimes, 'sessionSeconds'>,
): number {
  return Math.min(Date.parse(expires_at), Date.parse(created_at) + sessionSeconds * 1000);
}

export function sessionEnded(): Refusal {
  return new Refusal('credentials_invalid', rule('session_ended'));
}

export function tokenReplaced(): Refusal {
  return new Refusal('credentials_invalid', rule('token_replaced'));
}

async function loadLiveSession(
  sessionId: string,
  { database, platformSecondFactorRequired, isStrict, lifetimes }: SessionAuthenticatorOptions,
): Promise<LiveSession | undefined> {
  const [row] = await database.run(findLiveSession, [sessionId]);
  if (row === undefined) return undefined;
  const isRequired =
    isStrict || (row.tenant_id === platformTenant ? platformSecondFactorRequired : row.second_factor_required);
  const steppedUpUntilMs = row.stepped_up_until === null ? Number.NEGATIVE_INFINITY : Date.parse(row.stepped_up_until);
  return {
    id: sessionId,
    principal: {
      by: 'session',
      sessionId,
      ...principalOfAccount(row),
      ...(row.has_second_factor ? { secondFactor: { steppedUpUntilMs } } : isRequired && { mayOnlyEnrol: true }),
    },
    generation: row.generation,
    expiresAtMs: expiryMs(row, lifetimes),
    lastUseRecordedAtMs: row.last_used_at === null ? Number.NEGATIVE_INFINITY : Date.parse(row.last_used_at),
    lastUsedMs: lastUseMs(row),
  };
}
