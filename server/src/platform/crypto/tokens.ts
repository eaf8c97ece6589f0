import { hash, randomUUID } from 'node:crypto';
import { type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose';
import type { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import { Refusal } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';
import { boundedCache } from '../caching/bounded-cache.ts';
import type { Keyring } from './keyring.ts';

/** The header `typ` of each kind (RFC 9068 for access tokens): one can never pass for the other. */
const typOfKind = { access: 'at+jwt', refresh: 'rt+jwt', cookie: 'ct+jwt' } as const;
export type TokenKind = keyof typeof typOfKind;

const algorithm = 'HS256';
/** Issued tokens have less than 1,000 characters; longer ones are refused without hashing. */
const maximumLength = 4096;

export interface TokensOptions {
  keys: Keyring;
  /** `iss`: the issuer. */
  issuer: string;
  /** `aud`: the audience. */
  audience: string;
  clock: Clock;
  /** Maximum number of cached verified tokens: a verification takes about 100 µs, a lookup 2 µs. */
  remembered?: number;
}

export interface TokenContent {
  /** `sub`: the user's id. */
  subject: string;
  /** `sid`: the session that the token belongs to. */
  sessionId: string;
  /**
   * `gen`: the generation of the session's tokens. 0, which is left out, until they are replaced for the first time.
   */
  generation: number;
  /** Further claims, for readers of the token; ignored when it is verified. */
  claims: Record<string, unknown>;
  /** `exp` less `iat`. */
  lifetimeSeconds: number;
}

export interface VerifiedToken {
  subject: string;
  sessionId: string;
  generation: number;
  expiresAtMs: number;
}

/**
 * Signs and verifies JWTs with one fixed algorithm. A token cannot choose how it is verified: its header only names one
 * of the configured keys, and `alg`, `typ`, `iss` and `aud` must match exactly.
 */
export class Tokens {
  readonly #options: TokensOptions;
  readonly #verified: LRUCache<string, VerifiedToken>;

  constructor(options: TokensOptions) {
    this.#options = options;
    this.#verified = boundedCache(options.remembered ?? 10_000);
  }

  sign(kind: TokenKind, { subject, sessionId, generation, claims, lifetimeSeconds }: TokenContent): Promise<string> {
    const { keys, issuer, audience, clock } = this.#options;
    const issuedAt = Math.floor(clock() / 1000);
    return new SignJWT({ ...claims, sid: sessionId, ...(generation > 0 && { gen: generation }) })
      .setProtectedHeader({ alg: algorithm, typ: typOfKind[kind], kid: keys.current.id })
      .setSubject(subject)
      .setIssuer(issuer)
      .setAudience(audience)
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimeSeconds)
      .sign(keys.current.secret);
  }

  /** The claims of a valid token of this kind; refuses any other with `credentials_invalid`. */
  async verify(kind: TokenKind, token: string): Promise<VerifiedToken> {
    if (token.length > maximumLength) throw refused();
    if (kind === 'refresh') return this.#verify(kind, token);
    const fingerprint = `${kind} ${hash('sha256', token, 'base64')}`;
    const remembered = this.#verified.get(fingerprint);
    if (remembered === undefined) return this.#verify(kind, token, fingerprint);
    if (remembered.expiresAtMs > this.#options.clock()) return remembered;
    this.#verified.delete(fingerprint);
    throw refused();
  }

  async #verify(kind: TokenKind, token: string, fingerprint?: string): Promise<VerifiedToken> {
    const { keys, issuer, audience, clock } = this.#options;
    const keyOf = ({ kid }: JWTHeaderParameters) => {
      const key = kid === undefined ? undefined : keys.find(kid);
      if (key === undefined) throw refused();
      return key.secret;
    };
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: [algorithm],
        typ: typOfKind[kind],
        issuer,
        audience,
        requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp'],
        currentDate: new Date(clock()),
      });
      const { sub, sid, gen = 0, exp } = payload;
      if (!isUuid(sid)) throw refused();
      const verified = {
        subject: sub as string,
        sessionId: sid,
        generation: gen as number,
        expiresAtMs: (exp as number) * 1000,
      };
      if (fingerprint !== undefined) this.#verified.set(fingerprint, verified);
      return verified;
    } catch (cause) {
      throw refused(cause);
    }
  }
}

/** Sessions are looked up by it, and PostgreSQL refuses other text with an error. */
function isUuid(id: unknown): id is string {
  return typeof id === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}

function refused(cause?: unknown): Refusal {
  return new Refusal('credentials_invalid', rule('token_invalid'), { cause });
}
