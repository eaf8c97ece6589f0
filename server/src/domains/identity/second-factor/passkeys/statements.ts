import { statement } from '../../../../platform/postgres/statement.ts';

export interface PasskeyRow {
  id: string;
  user_id: number;
  credential_id: Buffer;
  public_key: Buffer;
  counter: number;
  transports: string[];
  name: string;
  backed_up: boolean;
  created_at: string;
  last_used_at: string | null;
}

const columns =
  'id, user_id, credential_id, public_key, counter, transports, name, backed_up, created_at, last_used_at';

export const listPasskeysOfUser = statement<PasskeyRow>(
  'passkeys.list_of_user',
  `select ${columns} from passkey where user_id = $1 order by created_at, id limit 100`,
);

export const findPasskey = statement<PasskeyRow>(
  'passkeys.find',
  `select ${columns} from passkey where credential_id = $1`,
);

/** Returns no row if the credential is registered already, by this user or by another. */
export const insertPasskey = statement<PasskeyRow>(
  'passkeys.insert',
  `insert into passkey (id, user_id, credential_id, public_key, counter, transports, name, backed_up, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict do nothing returning ${columns}`,
);

/**
 * Records a use. Returns no row if the passkey was removed, or if its counter has not increased: the same response was
 * sent twice, or the key pair was copied. Values: id, counter, whether it is backed up, now.
 */
export const recordPasskeyUse = statement<{ id: string }>(
  'passkeys.record_use',
  `update passkey set counter = $2, backed_up = $3, last_used_at = $4
    where id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning id`,
);

/** Values: user, id, name. */
export const renamePasskey = statement<PasskeyRow & { former_name: string }>(
  'passkeys.rename',
  `with former as (select id, name from passkey where user_id = $1 and id = $2 for update)
   update passkey p set name = $3 from former where p.id = former.id
   returning ${columns.replaceAll(/\w+/g, 'p.$&')}, former.name as former_name`,
);

/** Values: user, id. */
export const deletePasskey = statement<PasskeyRow>(
  'passkeys.delete',
  `delete from passkey where user_id = $1 and id = $2 returning ${columns}`,
);

export const deletePasskeysOfUser = statement('passkeys.delete_of_user', 'delete from passkey where user_id = $1');

/** Returns no row if the challenge was used before. Values: hash, expiry. */
export const useChallenge = statement<{ expires_at: string }>(
  'passkeys.use_challenge',
  `insert into used_passkey_challenge (challenge_hash, expires_at) values ($1, $2)
   on conflict do nothing returning expires_at`,
);

/** Values: now, how many at most. */
export const deleteExpiredPasskeyChallenges = statement<{ expires_at: string }>(
  'passkeys.delete_expired_challenges',
  `delete from used_passkey_challenge
    where challenge_hash in (select challenge_hash from used_passkey_challenge
                              where expires_at < $1 order by expires_at limit $2)
   returning expires_at`,
);
