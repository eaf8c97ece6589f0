import { databaseMsSql } from '../../platform/postgres/database-clock.ts';
import { type Statement, statement } from '../../platform/postgres/statement.ts';

export interface ServerFacts {
  /** Such as 180004. */
  version: number;
  in_recovery: boolean;
  read_only: boolean;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  autovacuum: string;
  /** Connections that accounts without special rights may share. */
  max_connections: number;
  /** Connections to this database and of this account; -1: not limited. */
  database_limit: number;
  role_limit: number;
  used_connections: number;
}

export const readServer = statement<ServerFacts>(
  'doctor.read_server',
  `select current_setting('server_version_num')::int as version,
          pg_is_in_recovery() as in_recovery,
          current_setting('transaction_read_only')::bool as read_only,
          current_setting('fsync') as fsync,
          current_setting('full_page_writes') as full_page_writes,
          current_setting('synchronous_commit') as synchronous_commit,
          current_setting('autovacuum') as autovacuum,
          current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0) as max_connections,
          (select datconnlimit from pg_database where datname = current_database()) as database_limit,
          (select rolconnlimit from pg_roles where rolname = current_user) as role_limit,
          (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used_connections`,
);

export const readClock = statement<{ now_ms: number }>('doctor.read_clock', `select ${databaseMsSql} as now_ms`);

/** Which database answers, on which installation of PostgreSQL: standbys have the identifier of their primary. */
export interface Identity {
  system: string;
  name: string;
  in_recovery: boolean;
}

export const readIdentity = statement<Identity>(
  'doctor.read_identity',
  `select (select system_identifier::text from pg_control_system()) as system, current_database()::text as name,
          pg_is_in_recovery() as in_recovery`,
);

export const readReplication = statement<{ names: string; commit: string; may_read_standbys: boolean }>(
  'doctor.read_replication',
  `select current_setting('synchronous_standby_names') as names, current_setting('synchronous_commit') as commit,
          pg_has_role(current_user, 'pg_read_all_stats', 'usage') as may_read_standbys`,
);

/** Every account sees that there are some. */
export const countWalSenders = statement<{ count: number }>(
  'doctor.count_wal_senders',
  'select count(*)::int as count from pg_stat_replication',
);

export const readArchiver = statement<{
  mode: string;
  is_failing: boolean;
  failed_wal: string | null;
  failed_count: number;
}>(
  'doctor.read_archiver',
  `select current_setting('archive_mode') as mode, last_failed_wal as failed_wal, failed_count::int as failed_count,
          coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as is_failing
     from pg_stat_archiver`,
);

/** Indexes that a failed CREATE INDEX CONCURRENTLY left behind: they slow writes down, and no query uses them. */
export const listInvalidIndexes = statement<{ name: string }>(
  'doctor.list_invalid_indexes',
  `select c.relname as name
     from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = current_schema()::text::regnamespace
    order by c.relname`,
);

/**
 * Tables in which autovacuum is off, or which have more dead rows than live ones. Values: how many dead rows matter.
 */
export const listUnvacuumed = statement<{ name: string; is_off: boolean; dead: number }>(
  'doctor.list_unvacuumed',
  `select name, is_off, dead
     from (select c.relname as name, 'autovacuum_enabled=false' = any (coalesce(c.reloptions, '{}'))
                  or 'autovacuum_enabled=off' = any (coalesce(c.reloptions, '{}')) as is_off,
                  pg_stat_get_dead_tuples(c.oid) as dead, pg_stat_get_live_tuples(c.oid) as live
             from pg_class c
            where c.relnamespace = current_schema()::text::regnamespace and c.relkind = 'r') as tables
    where is_off or (dead > $1 and dead > live)
    order by dead desc, name`,
);

/** A few enabled platform administrators without a second factor. */
export const listPasswordOnlyAdministrators = statement<{ user_name: string }>(
  'doctor.list_password_only_administrators',
  `select user_name from app_user
    where user_type = 'PLATFORM_ADMIN' and state and password_hash is not null and not has_second_factor
    order by id limit 5`,
);

/** Enabled users with one of these names. Values: names in lower case. */
export const listUsersNamed = statement<{ user_name: string }>(
  'doctor.list_users_named',
  'select user_name from app_user where lower(user_name) = any($1::text[]) and state order by id limit 5',
);

/** How many transactions old the oldest row is that was not frozen. At 2 thousand million PostgreSQL stops writing. */
export const readTransactionAge = statement<{ age: number }>(
  'doctor.read_transaction_age',
  'select age(datfrozenxid) as age from pg_database where datname = current_database()',
);

/** Slots without a connected reader: the server keeps all later write-ahead log for it, until its disk is full. */
export const listIdleSlots = statement<{ name: string; bytes: number | null }>(
  'doctor.list_idle_slots',
  `select slot_name as name,
          case when not pg_is_in_recovery()
               then pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 end as bytes
     from pg_replication_slots
    where not active and restart_lsn is not null and slot_name <> 'florin_archive'
    order by slot_name`,
);

/** Whether work of a kind is due at a time. Value: that time in ms. */
export const isDue = (due: string): Statement<{ due: boolean }> => ({
  name: '',
  text: `select exists (${due}) as due`,
});
