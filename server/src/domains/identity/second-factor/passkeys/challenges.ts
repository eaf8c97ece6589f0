import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, minuteMs } from '../../../../core/clock.ts';
import type { Key, Keyring } from '../../../../platform/crypto/keyring.ts';
import { randomText } from '../../../../platform/crypto/random-text.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { challengeInvalid } from '../../sessions/challenge.ts';
import { useChallenge } from './statements.ts';

/** What the answer to a challenge may be used for, and by which session or user. */
export interface ChallengeUse {
  purpose: 'register' | 'login' | 'step-up';
  /** The id of a session or a user; empty: anyone. */
  subject: string;
}

/** Long enough to fetch a security key, or to scan a QR code with a phone. */
export const challengeLifetimeMs = 5 * minuteMs;

/**
 * Challenges that authenticators sign. Each carries a MAC of this service and is stored only when it is answered, so
 * that unauthenticated requests for challenges do not fill a table.
 */
export class PasskeyChallenges {
  readonly #keys: Keyring;
  readonly #clock: Clock;

  constructor({ signingKeys, clock }: { signingKeys: Keyring; clock: Clock }) {
    this.#keys = signingKeys;
    this.#clock = clock;
  }

  issue(use: ChallengeUse): string {
    const expires = (this.#clock() + challengeLifetimeMs).toString(36);
    const random = randomText(22);
    const key = this.#keys.current;
    return [key.id, expires, random, macOf(key, use, expires, random)].join('.');
  }

  /**
   * Whether the challenge was issued for this use and has not expired. `encoded`: as authenticators return it, in
   * base64url.
   */
  isValid(encoded: string, use: ChallengeUse): boolean {
    const [keyId = '', expires = '', random = '', mac = '', ...rest] = decoded(encoded).split('.');
    const key = this.#keys.find(keyId);
    if (key === undefined || rest.length > 0) return false;
    const expected = Buffer.from(macOf(key, use, expires, random));
    const given = Buffer.from(mac);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return false;
    return Number.parseInt(expires, 36) > this.#clock();
  }
}

/** Uses the challenge up. Refuses with `challenge_invalid` if it was used before, on any node. */
export async function useUpChallenge(encoded: string, transaction: Queryable, nowMs: number): Promise<void> {
  const hash = createHash('sha256').update(decoded(encoded)).digest();
  const [used] = await transaction.run(useChallenge, [hash, new Date(nowMs + challengeLifetimeMs)]);
  if (used === undefined) throw challengeInvalid();
}

const decoded = (encoded: string) => Buffer.from(encoded, 'base64url').toString('latin1');

function macOf(key: Key, { purpose, subject }: ChallengeUse, expires: string, random: string): string {
  const signed = JSON.stringify(['passkey', purpose, subject, expires, random]);
  return createHmac('sha256', key.secret).update(signed).digest('base64url');
}
