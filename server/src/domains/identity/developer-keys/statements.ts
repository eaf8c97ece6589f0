import { statement } from '../../../platform/postgres/statement.ts';
import { queueUserMailsCte } from '../mails/queue-user-mails.cte.ts';
import { userMailsDue } from '../mails/statements.ts';
import { type AccountRow, accountColumns } from '../sessions/account.ts';
import { principals } from '../tenants/statements.ts';

/** Live keys by fingerprint. */
export const liveKeys = 'keys';

export interface KeyRow {
  id: number;
  key_hash: Buffer;
  livemode: boolean;
  masked: string;
  scope: string;
  name: string | null;
  state: number;
  created_at: string;
  updated_at: string | null;
  last_used_at: string | null;
  expires_at: string | null;
  allowed_addresses: string[];
  last_used_address: string | null;
  replaced_by: number | null;
}

/** A key with its owner, for administrators. */
export interface OwnedKeyRow extends KeyRow {
  user_id: number;
  user_name: string;
  tenant_id: number;
}

export interface ExpiringKeyRow {
  id: number;
  masked: string;
  name: string | null;
  expires_at: string;
  user_name: string;
  email: string;
}

/** An active key with its owner; the owner and the owner's tenant are enabled. */
interface KnownKeyRow extends AccountRow {
  /** Neither the key was revoked nor its owner or tenant disabled. */
  is_live: boolean;
  allowed_addresses: string[];
  key_id: number;
  livemode: boolean;
  scope: string;
  expires_at: string | null;
  last_used_at: string | null;
}

const columns =
  'k.id, k.key_hash, k.livemode, k.masked, k.scope, k.name, k.state, k.created_at, k.updated_at, k.last_used_at, ' +
  'k.expires_at, k.allowed_addresses, k.last_used_address, k.replaced_by';

/** Serializes the new keys of one user, so that parallel ones cannot exceed the limit. Values: user. */
export const lockOwner = statement<{ id: number }>(
  'developer_keys.lock_owner',
  'select id from app_user where id = $1 for no key update',
);

/** Returns no row if the user already has the maximum, the last value, including revoked keys. */
export const insertKey = statement<KeyRow>(
  'developer_keys.insert',
  `insert into developer_key as k
          (tenant_id, user_id, key_hash, masked, scope, name, created_at, expires_at, allowed_addresses, livemode)
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
    where (select count(*) from developer_key where user_id = $2) < $11
   returning ${columns}`,
);

export const listKeysOfUser = statement<KeyRow>(
  'developer_keys.list_of_user',
  `select ${columns} from developer_key k where k.user_id = $1 order by k.created_at desc, k.id desc`,
);

/** Keys that an administrator of this tenant (null: of all tenants) may manage. `u` is the owner. */
const administered = (tenant: string) =>
  `(${tenant}::bigint is null or (k.tenant_id = ${tenant} and u.user_type <> 'PLATFORM_ADMIN'))`;
const ownedColumns = `${columns}, k.user_id, k.tenant_id, u.user_name`;

/** Newest first. Values: tenant (null: all), user (null: all), limit, offset. */
export const listKeys = statement<OwnedKeyRow>(
  'developer_keys.list',
  `select ${ownedColumns} from developer_key k join app_user u on u.id = k.user_id
    where ${administered('$1')} and ($2::bigint is null or k.user_id = $2)
    order by k.created_at desc, k.id desc limit $3 offset $4`,
);

export const countKeys = statement<{ total: number }>(
  'developer_keys.count',
  `select count(*) as total from developer_key k join app_user u on u.id = k.user_id
    where ${administered('$1')} and ($2::bigint is null or k.user_id = $2)`,
);

interface RevokedKeyRow extends OwnedKeyRow {
  previous_state: number;
}

/** Revoking a key again keeps the time of its first revocation. `u` is the owner, `before` the key as it was. */
const revokeWhere = (condition: string) =>
  `update developer_key as k set state = 0, updated_at = case k.state when 1 then $3 else k.updated_at end
     from app_user u, developer_key before
    where k.id = $1 and before.id = k.id and u.id = k.user_id and ${condition}
   returning ${ownedColumns}, before.state as previous_state`;

/** The cached key of a row (`fingerprintOf`). */
const itsKey = { cache: liveKeys, key: ({ key_hash }: Pick<KeyRow, 'key_hash'>) => key_hash.toString('base64') };

/** Values: id, owner, now. */
export const revokeKey = statement<RevokedKeyRow>('developer_keys.revoke', revokeWhere('k.user_id = $2'), {
  invalidates: itsKey,
});

/** Values: id, tenant (null: all), now. */
export const revokeAdministeredKey = statement<RevokedKeyRow>(
  'developer_keys.revoke_administered',
  revokeWhere(administered('$2')),
  { invalidates: itsKey },
);

export const findKey = statement<KeyRow>(
  'developer_keys.find',
  `select ${columns} from developer_key k where k.id = $1`,
);

export const lockKeyOfUser = statement<KeyRow>(
  'developer_keys.lock_of_user',
  `select ${columns} from developer_key k where k.id = $1 and k.user_id = $2 for update`,
);

/** Values: id, its successor, until when it keeps working, now. */
export const replaceKey = statement<Pick<KeyRow, 'key_hash'>>(
  'developer_keys.replace',
  `update developer_key set replaced_by = $2, expires_at = least(expires_at, $3), updated_at = $4 where id = $1
   returning key_hash`,
  { invalidates: itsKey },
);

/**
 * Marks keys that are about to expire, and queues the mails to their owners. Values: now, the latest expiry, limit, now
 * in ms.
 */
export const markExpiring = statement<{ id: string }>(
  'developer_keys.mark_expiring',
  `with marked as (
     update developer_key as k set expiry_noticed_at = $1
       from app_user u
      where u.id = k.user_id and k.id in (
              select due.id
                from developer_key due
                join app_user owner on owner.id = due.user_id
                join tenant t on t.id = owner.tenant_id
               where due.state = 1 and due.expires_at > $1 and due.expires_at <= $2 and due.replaced_by is null
                 and due.expiry_noticed_at is null and due.expires_at - due.created_at > interval '7 days'
                 and owner.state and t.state
               order by due.expires_at limit $3
                 for update of due skip locked)
     returning 'KEY_EXPIRING' as kind, u.tenant_id, u.id as user_id, k.id as record_id, $4::float8 as now_ms
   ), ${queueUserMailsCte('marked')}
   select id from queued`,
  { wakes: [{ topic: userMailsDue, when: (rows) => rows.length > 0 }] },
);

/**
 * A key about whose end its owner is to be mailed: not if it was revoked or replaced meanwhile. Values: key, owner,
 * now.
 */
export const findExpiring = statement<ExpiringKeyRow>(
  'developer_keys.find_expiring',
  `select k.id, k.masked, k.name, k.expires_at, u.user_name, u.email
     from developer_key k
     join app_user u on u.id = k.user_id
     join tenant t on t.id = u.tenant_id
    where k.id = $1 and u.id = $2 and k.state = 1 and k.replaced_by is null and k.expires_at > $3 and u.state
        and t.state`,
);

/** Values: user, now. */
export const revokeKeysOfUser = statement<{ user_id: number }>(
  'developer_keys.revoke_of_user',
  'update developer_key set state = 0, updated_at = $2 where user_id = $1 and state = 1 returning user_id',
  { invalidates: { cache: principals, key: ({ user_id }) => user_id } },
);

/** Also a key that is not accepted any more: its tenant sees that it is used. Values: the hash of the key. */
export const findKnownKey = statement<KnownKeyRow>(
  'developer_keys.find_known',
  `select k.state = 1 and u.state and t.state as is_live, k.id as key_id, k.livemode, k.scope, k.expires_at,
          k.last_used_at, k.allowed_addresses, ${accountColumns}
     from developer_key k join app_user u on u.id = k.user_id join tenant t on t.id = u.tenant_id
    where k.key_hash = $1`,
);

/** Writes each key at most once a minute, over all nodes. Values: ids, times of use, addresses. */
export const recordLastUses = statement(
  'developer_keys.record_last_uses',
  `update developer_key k set last_used_at = used.at, last_used_address = used.address
     from unnest($1::bigint[], $2::timestamptz[], $3::text[]) as used(id, at, address)
    where k.id = used.id and (k.last_used_at is null or k.last_used_at <= used.at - interval '1 minute')`,
);
