import { statement } from '../../../platform/postgres/statement.ts';
import { type AccountRow, accountColumns } from '../sessions/account.ts';
import { principals } from '../tenants/statements.ts';

export interface UserRow extends AccountRow {
  state: boolean;
  /** False until an invited user has chosen a password. */
  has_password: boolean;
  created_at: string;
  updated_at: string | null;
}

const columns = `${accountColumns}, u.state, u.password_hash is not null as has_password, u.created_at, u.updated_at`;

export const findUser = statement<UserRow>('users.find', `select ${columns} from app_user u where u.id = $1`);

export const anyUser = statement<{ id: number }>('users.any', 'select id from app_user limit 1');

/** Newest first. Values: tenant (null: all tenants), limit, offset. */
export const listUsers = statement<UserRow>(
  'users.list',
  `select ${columns} from app_user u
    where $1::bigint is null or u.tenant_id = $1
    order by u.created_at desc, u.id desc limit $2 offset $3`,
);

export const countUsers = statement<{ total: number }>(
  'users.count',
  'select count(*) as total from app_user where $1::bigint is null or tenant_id = $1',
);

/**
 * Locks the user to change and every platform administrator, so that two concurrent changes cannot each rely on the
 * other administrator to remain.
 */
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

/** A null password hash keeps the present one. */
export const updateUser = statement<UserRow>(
  'users.update',
  `update app_user as u
      set user_name = $2, email = $3, password_hash = coalesce($4, u.password_hash), user_type = $5, roles = $6,
          state = $7, updated_at = $8
    where u.id = $1
   returning ${columns}`,
  { invalidates: { cache: principals, key: ({ id }) => id } },
);

/**
 * Returns a row if the name now logs in the user, and none if it logs in another user. Values: name, user, whether it
 * is proven to be the user's.
 */
export const claimLoginName = statement<{ name: string }>(
  'users.claim_login_name',
  `insert into login_name (name, user_id, proven) values (lower($1), $2, $3)
   on conflict (name) do update set proven = login_name.proven or excluded.proven
    where login_name.user_id = excluded.user_id
   returning name`,
);

/** Gives an address to the user who has proven to receive its mail, unless another user has proven it before. */
export const claimProvenAddress = statement(
  'users.claim_proven_address',
  `insert into login_name (name, user_id, proven) values (lower($1), $2, true)
   on conflict (name) do update set user_id = excluded.user_id, proven = true
    where login_name.user_id = excluded.user_id or not login_name.proven`,
);

/** Returns a row if the name now belongs to the user, and none if it belongs to another user of the tenant. */
export const insertAccountName = statement<{ name: string }>(
  'users.insert_account_name',
  `insert into account_name (tenant_id, name, user_id) values ($1, lower($2), $3)
   on conflict (tenant_id, name) do update set user_id = account_name.user_id
    where account_name.user_id = excluded.user_id
   returning name`,
);

/** Values: user, and the two names that stay. */
export const deleteOtherAccountNames = statement(
  'users.delete_other_account_names',
  'delete from account_name where user_id = $1 and name not in (lower($2), lower($3))',
);

/** Values: user, and the two names that stay. */
export const deleteOtherLoginNames = statement(
  'users.delete_other_login_names',
  'delete from login_name where user_id = $1 and name not in (lower($2), lower($3))',
);

/** Serializes nodes that start concurrently on an empty database. */
export const lockUsers = statement('users.lock_all', 'lock table app_user in share row exclusive mode');

/**
 * Enabled users with this e-mail address or user name, ignoring case. The user whom it logs in comes first. Values:
 * name, limit.
 */
export const findActiveByName = statement<UserRow>(
  'users.find_active_by_name',
  `select ${columns}
     from account_name n join app_user u on u.id = n.user_id join tenant t on t.id = u.tenant_id
     left join login_name l on l.name = n.name and l.user_id = u.id
    where n.name = lower($1) and u.state and t.state
    order by l.name is null, u.id limit $2`,
);

/**
 * Returns no row if the user already has $5 open tokens that expire no later; those of invitations are valid longer.
 * The caller has locked the user. Values: token hash, user, expiry, now, limit.
 */
export const insertReset = statement<{ user_id: number }>(
  'users.insert_reset',
  `insert into password_reset (token_hash, user_id, expires_at)
   select $1, id, $3 from app_user
    where id = $2
      and $5 > (select count(*) from password_reset
                 where user_id = $2 and used_at is null and expires_at > $4 and expires_at <= $3)
   returning user_id`,
);

/** Values: token hash, user, expiry. */
export const insertInvitationToken = statement(
  'users.insert_invitation_token',
  'insert into password_reset (token_hash, user_id, expires_at) values ($1, $2, $3)',
);

export const findOpenReset = statement<{ user_id: number }>(
  'users.find_open_reset',
  'select user_id from password_reset where token_hash = $1 and used_at is null and expires_at > $2',
);

/** Values: user, now. */
export const findOpenResetOfUser = statement<{ user_id: number }>(
  'users.find_open_reset_of_user',
  'select user_id from password_reset where user_id = $1 and used_at is null and expires_at > $2 limit 1',
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

/** Marks every open reset token of a user as used. */
export const voidResetsOfUser = statement(
  'users.void_resets',
  'update password_reset set used_at = $2 where user_id = $1 and used_at is null',
);

export const findPasswordHash = statement<{ id: number; password_hash: string | null }>(
  'users.find_password_hash',
  'select id, password_hash from app_user where id = $1',
);

/** The password stays the same, and so does the time of the last change. Values: user, old hash, new hash. */
export const renewPasswordHash = statement<{ id: number }>(
  'users.renew_password_hash',
  'update app_user set password_hash = $3 where id = $1 and password_hash = $2 returning id',
);

/** Returns no row if the password was changed in the meantime. Values: user, old hash, new hash, now. */
export const replacePassword = statement<{ id: number }>(
  'users.replace_password',
  'update app_user set password_hash = $3, updated_at = $4 where id = $1 and password_hash = $2 returning id',
);

export const setPassword = statement(
  'users.set_password',
  'update app_user set password_hash = $2, updated_at = $3 where id = $1',
);

/** Values: now, how many at most. */
export const deleteExpiredResets = statement<{ user_id: number }>(
  'users.delete_expired_resets',
  `delete from password_reset
    where token_hash in (select token_hash from password_reset where expires_at < $1 order by expires_at limit $2)
   returning user_id`,
);

/** Values: user, whether the user has a second factor. */
export const setHasSecondFactor = statement<{ id: number }>(
  'users.set_has_second_factor',
  'update app_user set has_second_factor = $2 where id = $1 returning id',
  { invalidates: { cache: principals, key: ({ id }) => id } },
);
