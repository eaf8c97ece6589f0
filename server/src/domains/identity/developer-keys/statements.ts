import { statement } from '../../../platform/postgres/statement.ts';
import { type AccountRow, accountColumns } from '../sessions/account.ts';

export interface KeyRow {
  id: number;
  key_hash: Buffer;
  masked: string;
  scope: string;
  name: string | null;
  state: number;
  created_at: string;
  updated_at: string | null;
  last_used_at: string | null;
  expires_at: string | null;
}

/** An active key with its owner; the owner and the owner's tenant are enabled. */
export interface LiveKeyRow extends AccountRow {
  key_id: number;
  scope: string;
  expires_at: string | null;
  last_used_at: string | null;
}

const columns = 'id, key_hash, masked, scope, name, state, created_at, updated_at, last_used_at, expires_at';

export const insertKey = statement<KeyRow>(
  'developer_keys.insert',
  `insert into developer_key (tenant_id, user_id, key_hash, masked, scope, name, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   returning ${columns}`,
);

export const listKeysOfUser = statement<KeyRow>(
  'developer_keys.list_of_user',
  `select ${columns} from developer_key where user_id = $1 order by created_at desc, id desc`,
);

/** Revoking a key again keeps the time of its first revocation. Values: id, owner, now. */
export const revokeKey = statement<KeyRow>(
  'developer_keys.revoke',
  `update developer_key set state = 0, updated_at = case state when 1 then $3 else updated_at end
    where id = $1 and user_id = $2
   returning ${columns}`,
);

/** Values: user, now. */
export const revokeKeysOfUser = statement(
  'developer_keys.revoke_of_user',
  'update developer_key set state = 0, updated_at = $2 where user_id = $1 and state = 1',
);

export const findLiveKey = statement<LiveKeyRow>(
  'developer_keys.find_live',
  `select k.id as key_id, k.scope, k.expires_at, k.last_used_at, ${accountColumns}
     from developer_key k join app_user u on u.id = k.user_id join tenant t on t.id = u.tenant_id
    where k.key_hash = $1 and k.state = 1 and u.state and t.state`,
);

/** Writes each key at most once a minute, over all nodes. Values: ids, times of use. */
export const recordLastUses = statement(
  'developer_keys.record_last_uses',
  `update developer_key k set last_used_at = used.at
     from unnest($1::bigint[], $2::timestamptz[]) as used(id, at)
    where k.id = used.id and (k.last_used_at is null or k.last_used_at <= used.at - interval '1 minute')`,
);
