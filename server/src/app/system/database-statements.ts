import { statement } from '../../platform/postgres/statement.ts';

export interface DatabaseRow {
  version: string;
  /** Null on a local socket. */
  address: string | null;
  started_at: string;
  size_bytes: number;
  used_connections: number;
  connection_limit: number;
  synchronous_commit: string;
  synchronous_standby_names: string;
  may_read_standbys: boolean;
  archive_mode: string;
  archived_at: string | null;
  archive_failed_at: string | null;
  archive_is_failing: boolean;
  applied: string[];
}

/** The server that this connection leads to. `numbackends` is readable by every account, unlike `pg_stat_activity`. */
export const readDatabase = statement<DatabaseRow>(
  'system.read_database',
  `select split_part(current_setting('server_version'), ' ', 1) as version,
          host(inet_server_addr()) || ':' || inet_server_port() as address,
          pg_postmaster_start_time() as started_at,
          pg_database_size(current_database()) as size_bytes,
          (select sum(numbackends)::int from pg_stat_database) as used_connections,
          current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0) as connection_limit,
          current_setting('synchronous_commit') as synchronous_commit,
          current_setting('synchronous_standby_names') as synchronous_standby_names,
          pg_has_role(current_user, 'pg_read_all_stats', 'usage') as may_read_standbys,
          current_setting('archive_mode') as archive_mode,
          archiver.last_archived_time as archived_at,
          archiver.last_failed_time as archive_failed_at,
          coalesce(archiver.last_failed_time > coalesce(archiver.last_archived_time, '-infinity'), false)
            as archive_is_failing,
          array(select name::text from schema_migration order by name) as applied
     from pg_stat_archiver archiver`,
);

export interface StandbyRow {
  name: string;
  address: string | null;
  state: string;
  sync: string;
  lag_bytes: number | null;
  lag_ms: number | null;
}

/** Servers that follow the primary; not copies that are being made by pg_basebackup, nor logical subscribers. */
export const listStandbys = statement<StandbyRow>(
  'system.list_standbys',
  `select application_name as name, host(client_addr) as address, state, sync_state as sync,
          case when not pg_is_in_recovery()
               then greatest(0, pg_current_wal_flush_lsn() - replay_lsn)::bigint end as lag_bytes,
          round(extract(epoch from replay_lag) * 1000)::bigint as lag_ms
     from pg_stat_replication
     left join pg_replication_slots slot on slot.active_pid = pid
    where state <> 'backup' and slot.slot_type is distinct from 'logical'
    order by application_name, address, pid`,
);

/** The entry of the last proven backup in the audit log of the platform: its id holds the time. */
export const findLastBackup = statement<{ id: string }>(
  'system.find_last_backup',
  `with backup as materialized (
     select id from audit_entry where tenant_id = 0 and record_type = 'backup' and record_id is not null
        and action = 'backup.create'
   )
   select id from backup order by id desc limit 1`,
);
