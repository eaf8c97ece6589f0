import { statement } from '../../platform/postgres/statement.ts';

export interface NodeRow {
  id: string;
  host: string;
  port: number;
  role: string;
  processes: number;
  version: string;
  runtime: string;
  migration: string;
  key_digest: string;
  clock_ahead_ms: number | null;
  disk_free_bytes: number | null;
  disk_total_bytes: number | null;
  started_at: string;
  seen_at: string;
  /** By the database's clock, since `seen_at`. */
  silent_seconds: number;
}

/** A node that has not written its row for so long is gone: it missed three beats. */
export const goneAfterSeconds = 30;
/** Then its row is removed. */
export const forgottenAfterSeconds = 15 * 60;

/**
 * Writes the row of a node, and removes those of nodes that are gone: for long, or because this node has taken the
 * place of one of the same host and port. Nothing waits for its commit to reach the disk or a standby. Values: id,
 * host, port, role, processes, version, runtime, migration, key digest, clock ahead in ms, free and total bytes of the
 * disk.
 */
export const beat = statement(
  'system.beat',
  `with unhurried as materialized (
     select set_config('synchronous_commit', 'off', true) as setting
   ), removed as (
     delete from service_node
      where id <> $1
        and (seen_at < clock_timestamp() - interval '${forgottenAfterSeconds} seconds'
             or host = $2 and port = $3 and seen_at < clock_timestamp() - interval '${goneAfterSeconds} seconds')
   )
   insert into service_node as node
          (id, host, port, role, processes, version, runtime, migration, key_digest, clock_ahead_ms,
           disk_free_bytes, disk_total_bytes, started_at, seen_at)
   select $1::uuid, $2, $3::int, $4, $5::int, $6, $7, $8, $9, $10::float8, $11::bigint, $12::bigint,
          clock_timestamp(), clock_timestamp()
     from unhurried
       on conflict (id) do update
      set clock_ahead_ms = excluded.clock_ahead_ms, disk_free_bytes = excluded.disk_free_bytes,
          disk_total_bytes = excluded.disk_total_bytes, seen_at = excluded.seen_at`,
);

/** Value: id of the node. */
export const removeNode = statement('system.remove_node', 'delete from service_node where id = $1');

/** Where no other node can run. */
export const removeNodes = statement('system.remove_nodes', 'delete from service_node');

/** Those that run first, each by host and port. */
export const listNodes = statement<NodeRow>(
  'system.list_nodes',
  `select node.*, greatest(0, extract(epoch from clock_timestamp() - seen_at))::float8 as silent_seconds
     from service_node node
    order by seen_at < clock_timestamp() - interval '${goneAfterSeconds} seconds', host, port, started_at, id`,
);
