import { statement } from '../../../platform/postgres/statement.ts';

export interface DeviceRow {
  client: string;
  address: string;
  scope: string | null;
  livemode: boolean;
  created_at: string;
  expires_at: string;
}

const columns = 'd.client, d.address, d.scope, d.livemode, d.created_at, d.expires_at';

/**
 * Returns no row when too many logins are pending, or when the user code, one of 2.6 · 10^10, is already in use.
 * Values: hashes of the device code and the user code, client, address, scope, mode, now, expiry, how many may be
 * pending.
 */
export const insertDevice = statement<DeviceRow>(
  'device_logins.insert',
  `insert into device_login as d
          (device_hash, user_code_hash, client, address, scope, livemode, created_at, expires_at)
   select $1, $2, $3, $4, $5, $6, $7::timestamptz, $8::timestamptz
    where (select count(*) from (select from device_login where expires_at > $7 limit $9::int) as pending) < $9
       on conflict do nothing
   returning ${columns}`,
);

/** Values: hash of the user code, now. */
export const findPending = statement<DeviceRow>(
  'device_logins.find_pending',
  `select ${columns} from device_login d where d.user_code_hash = $1 and d.state = 'PENDING' and d.expires_at > $2`,
);

/** Values: hash of the user code, now, new state, user, granted scope, mode, session of the user. */
export const decideDevice = statement<DeviceRow>(
  'device_logins.decide',
  `update device_login as d set state = $3, user_id = $4, granted_scope = $5, livemode = $6, session_id = $7
    where d.user_code_hash = $1 and d.state = 'PENDING' and d.expires_at > $2
   returning ${columns}`,
);

interface PolledRow {
  state: 'PENDING' | 'APPROVED' | 'DENIED' | 'USED';
  /** The previous poll. */
  polled_at: string | null;
}

/** Values: hash of the device code, now. */
export const pollDevice = statement<PolledRow>(
  'device_logins.poll',
  `update device_login as d set polled_at = $2
     from (select device_hash, polled_at from device_login where device_hash = $1 for update) as before
    where d.device_hash = before.device_hash and d.expires_at > $2
   returning d.state, before.polled_at`,
);

interface ClaimedRow {
  client: string;
  granted_scope: string;
  livemode: boolean;
  user_id: number;
  user_name: string;
  tenant_id: number;
}

/**
 * Uses up an approval whose session has not ended: a new password, a disabled user or a logout revokes the approval.
 * Values: hash of the device code, now.
 */
export const claimDevice = statement<ClaimedRow>(
  'device_logins.claim',
  `update device_login as d set state = 'USED'
     from session s join app_user u on u.id = s.user_id join tenant t on t.id = u.tenant_id
    where d.device_hash = $1 and d.state = 'APPROVED' and d.expires_at > $2
      and s.id = d.session_id and s.ended_at is null and u.id = d.user_id and u.state and t.state
   returning d.client, d.granted_scope, d.livemode, d.user_id, u.user_name, u.tenant_id`,
);

/** Values: now, how many at most. */
export const deleteExpiredDevices = statement<{ device_hash: Buffer }>(
  'device_logins.delete_expired',
  `delete from device_login where device_hash in
          (select device_hash from device_login where expires_at <= $1 order by expires_at limit $2)
   returning device_hash`,
);
