import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { EmbeddedConnection, Log } from './contract.ts';

/** As many as `min_wal_size` (`settings.ts`) keeps: PostgreSQL may remove further ones. */
const reservedFiles = 16;
const fileBytes = 16 * 1024 * 1024;
/** The disk must have this much free: 2 GB. What is left of a nearly full one is for payments. */
const leastFreeBytes = 8 * reservedFiles * fileBytes;
/** The first requests after the start need the disk, and a process that soon stops needs no reserve. */
const afterMs = 5_000;

interface ReserveOptions {
  /** The folder of the cluster. */
  cluster: string;
  log: Log;
  signal: AbortSignal;
}

/** Calls `reserveWal` five seconds after the start. A failure is logged; nothing depends on the reserve but latency. */
export async function reserveWalLater(connection: EmbeddedConnection, options: ReserveOptions): Promise<void> {
  const { log, signal } = options;
  try {
    await sleep(afterMs, undefined, { signal, ref: false });
    await reserveWal(connection, options);
  } catch (error) {
    if (!signal.aborted) log.warn({ err: error }, 'Files for the write-ahead log could not be prepared');
  }
}

/**
 * Makes PostgreSQL create files for its write-ahead log before they are needed. It creates one by filling 16 MB with zeros
 * while all commits wait, 35 to 40 ms, and reuses old ones only after checkpoints, so that the first 250 MB that a new
 * database writes have a pause of this length every 16 MB (docs/decisions/0073).
 *
 * Each switch to the next file creates one. The checkpoint then renames the files that were left, so that they are written next.
 */
export async function reserveWal(
  connection: EmbeddedConnection,
  { cluster, signal }: Pick<ReserveOptions, 'cluster' | 'signal'>,
): Promise<void> {
  const { bavail, bsize } = await statfs(cluster);
  if (bavail * bsize < leastFreeBytes) return;
  const client = new Client({ ...connection, ssl: false });
  client.on('error', () => {});
  await client.connect();
  try {
    const missing = reservedFiles - (await filesAhead(client));
    if (missing < reservedFiles / 2) return;
    for (let i = 0; i < missing && !signal.aborted; i++) {
      // Without a record in it PostgreSQL would not leave the file.
      await client.query(`select pg_logical_emit_message(false, 'florin', 'reserve')`);
      await client.query('select pg_switch_wal()');
    }
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

/** The number of files that are ready to be written next. */
async function filesAhead(client: Client): Promise<number> {
  const { rows } = await client.query<{ files: number }>(
    'select count(*)::int as files from pg_ls_waldir() where name > pg_walfile_name(pg_current_wal_insert_lsn())',
  );
  return rows[0]?.files ?? 0;
}
