import { createHash } from 'node:crypto';
import { type Clock, minuteMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { randomText } from '../../../platform/crypto/random-text.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import {
  findChallenge,
  findChallengedLogin,
  insertChallenge,
  type LoginRow,
  tryChallenge,
  useChallenge,
  voidChallengesOfUser,
} from './statements.ts';

/** Long enough to fetch a phone. */
const challengeMs = 5 * minuteMs;
/** Per challenge; leaves room for typing errors. Wrong codes are also limited per user. */
const maxTries = 5;

/**
 * The refusal of a login that has the right password and still needs a second step. Its challenge is a secret of 256
 * bits that is valid for this user and password only, and for one login.
 */
export async function challengeLogin(
  user: LoginRow,
  { database, clock }: { database: Database; clock: Clock },
): Promise<Refusal> {
  const challenge = randomText(43);
  const expiresAt = new Date(clock() + challengeMs);
  const values = [sha256(challenge), user.id, digestOf(user), expiresAt];
  const [{ methods }] = (await database.run(insertChallenge, values)) as [{ methods: string[] }];
  const message =
    'This account has a second factor. Send a code to /api/user/login/second-factor, ' +
    'or a passkey to /api/user/login/passkey.';
  return new Refusal('second_factor_challenge', message, {
    details: { challenge, expiresIn: challengeMs / 1000, methods },
  });
}

/** The id of the user whose login needs a second step. Does not count as a try. Refuses with `challenge_invalid`. */
export async function findChallenged(challenge: string, nowMs: number, database: Database): Promise<number> {
  const [found] = await database.run(findChallenge, [sha256(challenge), new Date(nowMs), maxTries]);
  if (found === undefined) throw challengeInvalid();
  return found.user_id;
}

/** Counts a try and returns the user. Refuses with `challenge_invalid`, also after the password has changed. */
export async function tryLoginChallenge(challenge: string, nowMs: number, database: Database): Promise<LoginRow> {
  const [tried] = await database.run(tryChallenge, [sha256(challenge), new Date(nowMs), maxTries]);
  if (tried === undefined) throw challengeInvalid();
  const [user] = await database.run(findChallengedLogin, [tried.user_id]);
  if (user?.active !== true || !digestOf(user).equals(tried.password_digest)) throw challengeInvalid();
  return user;
}

/** Uses up the challenge and every other one of its user. Refuses with `challenge_invalid` if it was used meanwhile. */
export async function useLoginChallenge(challenge: string, now: Date, transaction: Queryable): Promise<void> {
  const [used] = await transaction.run(useChallenge, [sha256(challenge), now]);
  if (used === undefined) throw challengeInvalid();
  await transaction.run(voidChallengesOfUser, [used.user_id, now]);
}

export function challengeInvalid(): Refusal {
  const message = 'The challenge is unknown, used or expired, or had too many tries. Log in again.';
  return new Refusal('challenge_invalid', message, { field: 'challenge' });
}

function digestOf({ password_hash }: LoginRow): Buffer {
  return sha256(password_hash ?? '');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
