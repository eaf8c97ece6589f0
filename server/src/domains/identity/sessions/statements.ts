import { statement } from '../../../platform/postgres/statement.ts';
import { principals } from '../tenants/statements.ts';
import { type AccountRow, accountColumns } from './account.ts';

/** Live sessions by id. */
export const liveSessions = 'sessions';

/** An account with its password hash. `active`: both the user and its tenant are enabled. */
export interface LoginRow extends AccountRow {
  /** null: the user has not accepted the invitation. */
  password_hash: string | null;
  active: boolean;
}

/** A session that has not ended, of a user who may log in. */
export interface LiveSessionRow extends AccountRow {
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
  stepped_up_until: string | null;
  /** The generation of its tokens. */
  generation: number;
  /** Whether its tenant requires one. */
  second_factor_required: boolean;
}

export interface SessionRow {
  id: string;
  user_agent: string | null;
  address: string | null;
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
}

/** By user name or e-mail address, in any case. */
export const findLogin = statement<LoginRow>(
  'sessions.find_login',
  `select ${accountColumns}, u.password_hash, u.state and t.state as active
     from login_name n join app_user u on u.id = n.user_id join tenant t on t.id = u.tenant_id
    where n.name = lower($1)`,
);

/**
 * Starts a session if the user is still enabled, still has the verified password hash, and has a second factor exactly
 * if one was proven. The row locks wait for a concurrent change of the user; a later change finds the session and ends
 * it. So no race leaves a live session behind.
 */
export const startSession = statement<{ id: string }>(
  'sessions.start',
  `with holder as (
     select u.id from app_user u join tenant t on t.id = u.tenant_id
      where u.id = $2 and u.password_hash = $3 and u.state and t.state
          and u.has_second_factor = ($8::timestamptz is not null)
        for share of u, t
   )
   insert into session (id, user_id, created_at, expires_at, user_agent, address, stepped_up_until)
   select $1, id, $4, $5, $6, $7, $8 from holder
   returning id`,
);

export const findLiveSession = statement<LiveSessionRow>(
  'sessions.find_live',
  `select ${accountColumns}, s.created_at, s.expires_at, s.last_used_at, s.stepped_up_until, s.generation,
       t.second_factor_required
     from session s join app_user u on u.id = s.user_id join tenant t on t.id = u.tenant_id
    where s.id = $1 and s.ended_at is null and u.state and t.state`,
);

export const endSession = statement<
  { id: string; user_id: number; tenant_id: number; user_name: string } & Pick<
    LiveSessionRow,
    'created_at' | 'stepped_up_until' | 'generation'
  >
>(
  'sessions.end',
  `update session s set ended_at = $2 from app_user u
    where s.id = $1 and s.ended_at is null and u.id = s.user_id
   returning s.id, s.user_id, u.tenant_id, u.user_name, s.created_at, s.stepped_up_until, s.generation`,
  { invalidates: { cache: liveSessions, key: ({ id }) => id } },
);

export const endSessionsOfUser = statement<{ user_id: number }>(
  'sessions.end_all_of_user',
  'update session set ended_at = $2 where user_id = $1 and ended_at is null returning user_id',
  { invalidates: { cache: principals, key: ({ user_id }) => user_id } },
);

const usableOfUser =
  'user_id = $1 and ended_at is null and expires_at > $2 and coalesce(last_used_at, created_at) > $3';

/** Usable sessions, newest first. Values: user, now, since when they must have been used; offset, limit. */
export const listSessionsOfUser = statement<SessionRow>(
  'sessions.list_of_user',
  `select id, user_agent, address, created_at, expires_at, last_used_at from session
    where ${usableOfUser} order by created_at desc, id offset $4 limit $5`,
);

/** Values: user, now, since when they must have been used. */
export const countSessionsOfUser = statement<{ total: number }>(
  'sessions.count_of_user',
  `select count(*) as total from session where ${usableOfUser}`,
);

/** Values: user, session, now. */
export const endSessionOfUser = statement<{ id: string }>(
  'sessions.end_of_user',
  'update session set ended_at = coalesce(ended_at, $3) where id = $2 and user_id = $1 returning id',
  { invalidates: { cache: liveSessions, key: ({ id }) => id } },
);

/** Values: user, the session to keep, now. */
export const endOtherSessions = statement<{ user_id: number }>(
  'sessions.end_others',
  'update session set ended_at = $3 where user_id = $1 and id <> $2 and ended_at is null returning user_id',
  { invalidates: { cache: principals, key: ({ user_id }) => user_id } },
);

/** Writes each session at most once a minute, over all nodes. Values: ids, times of use, addresses. */
export const recordSessionUses = statement(
  'sessions.record_uses',
  `update session s set last_used_at = used.at, address = used.address
     from unnest($1::uuid[], $2::timestamptz[], $3::text[]) as used(id, at, address)
    where s.id = used.id and (s.last_used_at is null or s.last_used_at <= used.at - interval '1 minute')`,
);

/** Values: now, how many at most. */
export const deleteExpiredSessions = statement<{ id: string }>(
  'sessions.delete_expired',
  `delete from session where id in (select id from session where expires_at < $1 order by expires_at limit $2)
   returning id`,
);

/** Values: session, until when, user. */
export const stepUpSession = statement<{ id: string; generation: number }>(
  'sessions.step_up',
  `update session set stepped_up_until = $2 where id = $1 and user_id = $3
       and ended_at is null returning id, generation`,
  { invalidates: { cache: liveSessions, key: ({ id }) => id } },
);

/**
 * Returns no row when the tokens were replaced before. Values: session, the generation of the token that is replaced.
 */
export const advanceGeneration = statement<{ id: string; generation: number }>(
  'sessions.advance_generation',
  `update session set generation = generation + 1 where id = $1 and generation = $2 and ended_at is null
   returning id, generation`,
  { invalidates: { cache: liveSessions, key: ({ id }) => id } },
);

/**
 * Returns the methods with which the user can answer it. Values: hash of the challenge, user, digest of the password
 * hash, expiry.
 */
export const insertChallenge = statement<{ methods: string[] }>(
  'sessions.insert_challenge',
  `insert into login_challenge (token_hash, user_id, password_digest, expires_at) values ($1, $2, $3, $4)
   returning array_remove(array[
     case when exists (select from second_factor f where f.user_id = $2 and f.confirmed_at is not null) then 'totp' end,
     case when exists (select from passkey p where p.user_id = $2) then 'passkey' end,
     'recovery_code'], null) as methods`,
);

/** Values: hash, now, limit of tries. */
export const findChallenge = statement<{ user_id: number }>(
  'sessions.find_challenge',
  'select user_id from login_challenge where token_hash = $1 and used_at is null and expires_at > $2 and tries < $3',
);

/**
 * Counts a try before the code is verified, so that parallel tries cannot exceed the limit. Values: hash, now, limit.
 */
export const tryChallenge = statement<{ user_id: number; password_digest: Buffer }>(
  'sessions.try_challenge',
  `update login_challenge set tries = tries + 1
    where token_hash = $1 and used_at is null and expires_at > $2 and tries < $3
   returning user_id, password_digest`,
);

export const useChallenge = statement<{ user_id: number }>(
  'sessions.use_challenge',
  'update login_challenge set used_at = $2 where token_hash = $1 and used_at is null returning user_id',
);

export const voidChallengesOfUser = statement(
  'sessions.void_challenges',
  'update login_challenge set used_at = $2 where user_id = $1 and used_at is null',
);

export const findChallengedLogin = statement<LoginRow>(
  'sessions.find_challenged_login',
  `select ${accountColumns}, u.password_hash, u.state and t.state as active
     from app_user u join tenant t on t.id = u.tenant_id where u.id = $1`,
);

/** Values: now, how many at most. */
export const deleteExpiredChallenges = statement<{ user_id: number }>(
  'sessions.delete_expired_challenges',
  `delete from login_challenge
    where token_hash in (select token_hash from login_challenge where expires_at < $1 order by expires_at limit $2)
   returning user_id`,
);
