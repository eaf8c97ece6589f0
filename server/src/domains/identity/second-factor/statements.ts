import { statement } from '../../../platform/postgres/statement.ts';

export interface SecondFactorRow {
  user_id: number;
  /** null: the user has no authenticator app. */
  secret_sealed: Buffer | null;
  confirmed_at: string | null;
  last_step: number;
  failures: number;
  failures_since: string | null;
  /** How many passkeys the user has. */
  passkeys: number;
}

const columns = `f.user_id, f.secret_sealed, f.confirmed_at, f.last_step, f.failures, f.failures_since,
  (select count(*)::int from passkey p where p.user_id = f.user_id) as passkeys`;

export const lockSecondFactor = statement<SecondFactorRow>(
  'second_factor.lock',
  `select ${columns} from second_factor f where f.user_id = $1 for update of f`,
);

/** Inserts the row that every change of a user's second factor locks. Values: user, now. */
export const ensureSecondFactor = statement(
  'second_factor.ensure',
  'insert into second_factor (user_id, created_at) values ($1, $2) on conflict do nothing',
);

/** Replaces a secret that was never confirmed; returns no row if one was. Values: user, sealed secret, now. */
export const beginSecondFactor = statement<{ user_id: number }>(
  'second_factor.begin',
  `insert into second_factor (user_id, secret_sealed, created_at) values ($1, $2, $3)
   on conflict (user_id) do update set secret_sealed = excluded.secret_sealed, created_at = excluded.created_at
    where second_factor.confirmed_at is null
   returning user_id`,
);

/** Values: user, step of the code, now. */
export const acceptStep = statement(
  'second_factor.accept_step',
  `update second_factor
      set last_step = $2, confirmed_at = coalesce(confirmed_at, $3), failures = 0, failures_since = null
    where user_id = $1`,
);

/** Values: user, failures, since when. */
export const recordFailures = statement(
  'second_factor.record_failures',
  'update second_factor set failures = $2, failures_since = $3 where user_id = $1',
);

/** Removes the authenticator app; passkeys and recovery codes stay. */
export const clearSecret = statement(
  'second_factor.clear_secret',
  'update second_factor set secret_sealed = null, confirmed_at = null, last_step = 0 where user_id = $1',
);

export const deleteSecondFactor = statement('second_factor.delete', 'delete from second_factor where user_id = $1');

export const insertRecoveryCodes = statement(
  'second_factor.insert_recovery_codes',
  'insert into recovery_code (user_id, code_hash) select $1, code_hash from unnest($2::bytea[]) as code_hash',
);

export const deleteRecoveryCodes = statement(
  'second_factor.delete_recovery_codes',
  'delete from recovery_code where user_id = $1',
);

/** Values: user, hash, now. */
export const useRecoveryCode = statement<{ user_id: number }>(
  'second_factor.use_recovery_code',
  `update recovery_code set used_at = $3 where user_id = $1 and code_hash = $2 and used_at is null
   returning user_id`,
);

export const readStatus = statement<{ confirmed_at: string | null; recovery_codes: number; passkeys: number }>(
  'second_factor.read_status',
  `select f.confirmed_at,
          (select count(*) from recovery_code c where c.user_id = f.user_id and c.used_at is null) as recovery_codes,
          (select count(*) from passkey p where p.user_id = f.user_id) as passkeys
     from second_factor f where f.user_id = $1`,
);
