import { readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { EmbeddedConnection, Log } from './contract.ts';
import { openSession } from './database.ts';

/** As many as `min_wal_size` (`settings.ts`) keeps: PostgreSQL may remove further ones. */
const reservedFiles = 32;
/** A checkpoint for the sake of a few more files costs more than they save. */
const fewFiles = 4;
const fileBytes = 16 * 1024 * 1024;
/** The disk must have this much free: 4 GB. What is left of a nearly full one is for payments. */
const leastFreeBytes = 8 * reservedFiles * fileBytes;
/** How much longer each pause lasts than the file before it took: commits wait in a tenth of the time at most. */
const pauses = 9;
/** Temporary: it ends with the connection. */
const slot = 'reserved_wal';
/** The reserve is made once more than so many files, 64 MB, are written: a folder that is only tried stays small. */
const filesBefore = 4;

interface ReserveOptions {
  /** Default: five seconds. */
  lookEveryMs?: number;
  /** The folder of the cluster. */
  cluster: string;
  log: Log;
  signal: AbortSignal;
}

/**
 * Calls `reserveWal` once the first 64 MB of the log are written. A failure is logged; nothing depends on the reserve
 * but latency.
 */
export async function reserveWalLater(connection: EmbeddedConnection, options: ReserveOptions): Promise<void> {
  const { log, signal, lookEveryMs = 5_000 } = options;
  try {
    do await sleep(lookEveryMs, undefined, { signal, ref: false });
    while ((await countFilesIn(options.cluster)) <= filesBefore);
    await reserveWal(connection, options);
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'Files for the write-ahead log could not be prepared');
  }
}

/**
 * Makes PostgreSQL create files for its write-ahead log before they are needed. It creates one by filling 16 MB with
 * zeros while all commits wait, 35 to 40 ms, and reuses old ones only after a checkpoint. A checkpoint begins every 250
 * MB and takes about as long as it takes to write the next 250 MB, so that the first 500 MB that a new database writes
 * would have such a pause every 16 MB.
 *
 * Each switch to the next file creates one, with pauses: a new database has its first load by then. A checkpoint that
 * PostgreSQL begins meanwhile would make used files ready again, so a replication slot keeps them until all are there.
 * The last checkpoint then renames those that were left, so that they are written next.
 */
export async function reserveWal(
  connection: EmbeddedConnection,
  { cluster, signal }: Pick<ReserveOptions, 'cluster' | 'signal'>,
): Promise<void> {
  const { bavail, bsize } = await statfs(cluster);
  if (bavail * bsize < leastFreeBytes) return;
  const client = await openSession(connection);
  try {
    if (reservedFiles - (await countFiles(client)) <= fewFiles) return;
    await client.query(`select pg_create_physical_replication_slot('${slot}', true, true)`);
    while ((await countFiles(client)) < reservedFiles) {
      const startedMs = performance.now();
      // Without a record in it PostgreSQL would not leave the file.
      await client.query(`select pg_logical_emit_message(false, 'embedded-postgres', 'reserve')`);
      await client.query('select pg_switch_wal()');
      await sleep(pauses * (performance.now() - startedMs), undefined, { signal, ref: false });
    }
    await client.query(`select pg_drop_replication_slot('${slot}')`);
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

/** The number of files of the write-ahead log, used and ready. */
async function countFiles(client: Client): Promise<number> {
  const { rows } = await client.query<{ files: number }>('select count(*)::int as files from pg_ls_waldir()');
  return rows[0]?.files ?? 0;
}

/** The same without a session: a file has the 24 digits of its place in the log as its name. */
async function countFilesIn(cluster: string): Promise<number> {
  const names = await readdir(join(cluster, 'pg_wal'));
  return names.filter((name) => /^[0-9A-F]{24}$/.test(name)).length;
}
