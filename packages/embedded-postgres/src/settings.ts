import { EmbeddedPostgresError, namePrefix } from './contract.ts';
import type { DataFolder } from './data-folder.ts';

/** Without these a committed row can be lost, so they cannot be changed. */
const durability = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
/** Of a database that is deleted afterwards. */
const noDurability = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

const defaults = {
  shared_buffers: '128MB',
  max_connections: '100',
  // After a kill everything since the last checkpoint is repeated before sessions are accepted. Measured under
  // full load on two cores, on a table of two million rows: 512 MB take 1.6 to 1.8 s, 1 GB takes 3.5 to 6.5 s,
  // 2 GB take 13 s, without being faster before. 256 MB take 0.9 s, but checkpoints come so often that writing
  // whole pages after each of them costs two thirds of the throughput.
  max_wal_size: '512MB',
  // As much as is used under load: files that are kept need not be created again when load returns, while commits wait.
  min_wal_size: '512MB',
  wal_recycle: 'on',
  checkpoint_timeout: '15min',
  // A checkpoint begins after max_wal_size / (1 + this): 390 MB instead of 270 with PostgreSQL's 0.9. Fewer checkpoints
  // write fewer whole pages to the log, and one that ends sooner has less of what tables grew by meanwhile left to
  // write at its end, while commits wait. What a recovery repeats is limited by max_wal_size as before.
  checkpoint_completion_target: '0.3',
  autovacuum: 'on',
  // Compiling costs more than it gains with short statements.
  jit: 'off',
  // Instead of three processes that read for others: analyzing, vacuuming and scanning 10⁶ payments in the system's
  // cache took a fifth less processor time and was not slower.
  io_method: 'sync',
  huge_pages: 'off',
  // Saves a process; there is no replication.
  max_logical_replication_workers: '0',
  // A statement of a killed client ends and releases its locks.
  client_connection_check_interval: '1s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
};

/**
 * The postmaster's command line. It takes precedence over postgresql.conf and ALTER SYSTEM, and PostgreSQL records it
 * beside the data, so that a later start can see whether a running postmaster is the one it would start.
 *
 * @throws EmbeddedPostgresError for a setting that is not free to choose
 */
export function postmasterArguments(
  folder: DataFolder,
  version: string,
  chosen: Readonly<Record<string, string>>,
  { port, isDisposable = false }: { port: number; isDisposable?: boolean },
): string[] {
  const fixed = {
    ...(isDisposable ? noDurability : durability),
    listen_addresses: '',
    port: String(port),
    unix_socket_directories: folder.socket.setting,
    logging_collector: 'off',
    log_destination: 'stderr',
    cluster_name: folder.mark,
    // Not a setting of PostgreSQL: it makes the command line differ between versions of the binaries.
    [`${namePrefix}.binaries`]: version,
  };
  const own = Object.entries(chosen).map(([name, value]) => [name.toLowerCase(), value] as const);
  for (const [name, value] of own) {
    const required = (fixed as Record<string, string>)[name];
    if (required !== undefined && required !== value) {
      const message = `setting ${name} of the embedded PostgreSQL is always ${required || 'empty'}`;
      throw new EmbeddedPostgresError('fixed_setting', message);
    }
  }
  const settings = { ...defaults, ...Object.fromEntries(own), ...fixed };
  return [
    '-D',
    clusterArgument(folder),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/**
 * How the account names the data folder. Below a folder such as /root it may not walk the path, although the data
 * is its own. The process's own working folder, entered while it was still root, is reached without walking.
 */
export function clusterArgument(folder: DataFolder): string {
  return folder.account.switched ? '/proc/self/cwd' : folder.cluster;
}
