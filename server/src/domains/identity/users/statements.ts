import type { UserType } from '../../../core/scopes.ts';
import { statement } from '../../../platform/postgres/statement.ts';

export interface UserRow {
  id: number;
  tenant_id: number;
  user_name: string;
  email: string;
  user_type: UserType;
  roles: string[];
  state: boolean;
  created_at: string;
  updated_at: string | null;
}

/** A user as login needs it. `active`: neither the user nor its tenant is switched off. */
export interface AccountRow extends UserRow {
  password_hash: string;
  active: boolean;
}

/** A session that has not been ended, of a user who may still log in. */
export interface LiveSessionRow extends UserRow {
  expires_at: string;
}

const columns = 'u.id, u.tenant_id, u.user_name, u.email, u.user_type, u.roles, u.state, u.created_at, u.updated_at';

export const findByAccount = statement<AccountRow>(
  'users.find_by_account',
  `select ${columns}, u.password_hash, u.state and t.state as active
     from login_name n join app_user u on u.id = n.user_id join tenant t on t.id = u.tenant_id
    where n.name = lower($1)`,
);

export const findUser = statement<UserRow>('users.find', `select ${columns} from app_user u where u.id = $1`);

export const anyUser = statement<{ id: number }>('users.any', 'select id from app_user limit 1');

/** Newest first; one tenant's or, with null, everyone's. */
export const listUsers = statement<UserRow>(
  'users.list',
  `select ${columns} from app_user u
    where $1::bigint is null or u.tenant_id = $1
    order by u.id desc limit $2 offset $3`,
);

export const countUsers = statement<{ total: number }>(
  'users.count',
  'select count(*) as total from app_user where $1::bigint is null or tenant_id = $1',
);

/** The user to change, and every platform administrator, so that two changes cannot each leave the other as the last. */
export const lockWithAdministrators = statement<UserRow>(
  'users.lock_with_administrators',
  `select ${columns} from app_user u
    where u.id = $1 or u.user_type = 'PLATFORM_ADMIN'
    order by u.id for update`,
);

export const insertUser = statement<UserRow>(
  'users.insert',
  `insert into app_user as u (tenant_id, user_name, email, password_hash, user_type, roles, state, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   returning ${columns}`,
);

/** Without a new password hash (null) the old one stays. */
export const updateUser = statement<UserRow>(
  'users.update',
  `update app_user as u
      set user_name = $2, email = $3, password_hash = coalesce($4, u.password_hash), user_type = $5, roles = $6,
          state = $7, updated_at = $8
    where u.id = $1
   returning ${columns}`,
);

/** Gives a row when the name is now this user's, none when it is another's. */
export const takeLoginName = statement<{ name: string }>(
  'users.take_login_name',
  `insert into login_name (name, user_id) values (lower($1), $2)
   on conflict (name) do update set user_id = login_name.user_id where login_name.user_id = excluded.user_id
   returning name`,
);

export const dropOtherLoginNames = statement(
  'users.drop_other_login_names',
  'delete from login_name where user_id = $1 and name not in (lower($2), lower($3))',
);

/** Makes two nodes that start at once on an empty database take turns. */
export const lockUsers = statement('users.lock_all', 'lock table app_user in share row exclusive mode');

/**
 * Opens a session only for the password that was verified, of a user still active: the row locks wait for a change
 * under way, and that change, once made, finds the session and ends it. No race leaves a live session behind.
 */
export const startSession = statement<{ id: string }>(
  'users.start_session',
  `with holder as (
     select u.id from app_user u join tenant t on t.id = u.tenant_id
      where u.id = $2 and u.password_hash = $3 and u.state and t.state
        for share of u, t
   )
   insert into session (id, user_id, created_at, expires_at) select $1, id, $4, $5 from holder returning id`,
);

export const findLiveSession = statement<LiveSessionRow>(
  'users.find_live_session',
  `select ${columns}, s.expires_at
     from session s join app_user u on u.id = s.user_id join tenant t on t.id = u.tenant_id
    where s.id = $1 and s.ended_at is null and u.state and t.state`,
);

export const endSession = statement<{ user_id: number }>(
  'users.end_session',
  'update session set ended_at = $2 where id = $1 and ended_at is null returning user_id',
);

export const endSessionsOfUser = statement(
  'users.end_sessions_of_user',
  'update session set ended_at = $2 where user_id = $1 and ended_at is null',
);

/** Keeps a reset token, unless the user already has as many open ones as anyone needs ($5). */
export const insertReset = statement<{ user_id: number }>(
  'users.insert_reset',
  `insert into password_reset (token_hash, user_id, expires_at)
   select $1, $2, $3
    where $5 > (select count(*) from password_reset where user_id = $2 and used_at is null and expires_at > $4)
   returning user_id`,
);

export const findOpenReset = statement<{ user_id: number }>(
  'users.find_open_reset',
  'select user_id from password_reset where token_hash = $1 and used_at is null and expires_at > $2',
);

export const lockActiveUser = statement<UserRow>(
  'users.lock_active',
  `select ${columns} from app_user u join tenant t on t.id = u.tenant_id
    where u.id = $1 and u.state and t.state for update of u`,
);

export const useReset = statement<{ user_id: number }>(
  'users.use_reset',
  `update password_reset set used_at = $2 where token_hash = $1 and used_at is null and expires_at > $2
   returning user_id`,
);

export const useAllResetsOfUser = statement(
  'users.use_all_resets_of_user',
  'update password_reset set used_at = $2 where user_id = $1 and used_at is null',
);

export const setPassword = statement(
  'users.set_password',
  'update app_user set password_hash = $2, updated_at = $3 where id = $1',
);

export const sweepSessions = statement<{ id: string }>(
  'users.sweep_sessions',
  `delete from session where id in (select id from session where expires_at < $1 order by expires_at limit $2)
   returning id`,
);

export const sweepResets = statement<{ user_id: number }>(
  'users.sweep_resets',
  `delete from password_reset
    where token_hash in (select token_hash from password_reset where expires_at < $1 order by expires_at limit $2)
   returning user_id`,
);
