import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { spawnAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError, type Log } from './contract.ts';
import type { DataFolder } from './data-folder.ts';
import { requireFolderOrNothing, requirePlainFileOrNothing } from './places.ts';
import { listProcesses, signal } from './process-table.ts';
import { clusterArgument } from './settings.ts';

const unfinishedPrefix = 'cluster.new-';

interface InitdbOptions {
  superuser: string;
  /** Does not wait for the disk. */
  isDisposable?: boolean;
}

/**
 * Creates the cluster if there is none. It is created under another name, synced and renamed, so that a folder named
 * `cluster` is complete. Existing data is never changed.
 *
 * @throws EmbeddedPostgresError when the data is of another major version, damaged, or no PostgreSQL data at all
 */
export async function ensureCluster(
  folder: DataFolder,
  binaries: Binaries,
  log: Log,
  options: InitdbOptions,
): Promise<void> {
  removeUnfinished(folder);
  if (holdsData(folder, binaries)) return;
  const begun = performance.now();
  const unfinished = mkdtempSync(join(folder.home, unfinishedPrefix));
  if (folder.account.switched) lchownSync(unfinished, folder.account.uid, folder.account.gid);
  await initdb(folder, unfinished, binaries, options);
  renameSync(unfinished, folder.cluster);
  for (const path of [folder.home, folder.root]) fsyncFolder(path);
  log.info({ folder: folder.cluster, elapsedMs: Math.round(performance.now() - begun) }, 'made a new database');
}

/** Files of every cluster. Without one of these PostgreSQL would not start, or report another error. */
const essentials = ['global/pg_control', 'base', 'pg_wal', 'pg_xact', 'postgresql.conf'];
const controlFileBytes = 8192;

/** Whether there is a cluster. A damaged one is left unchanged: it may be the only copy of the data. */
function holdsData(folder: DataFolder, binaries: Binaries): boolean {
  const { cluster } = folder;
  requireFolderOrNothing(cluster);
  if (!existsSync(cluster)) return false;
  if (readdirSync(cluster).length === 0) {
    throw new EmbeddedPostgresError(
      'damaged',
      `${cluster} is empty, which no start leaves behind; mount or restore the database that belongs there, ` +
        'or remove the empty folder to begin with a new one',
    );
  }
  const version = readVersion(cluster);
  if (version !== binaries.major) {
    throw new EmbeddedPostgresError(
      'other_version',
      `data folder ${folder.root} holds data of PostgreSQL ${version}, but PostgreSQL ${binaries.major} is ` +
        'installed; dump it with the version that made it and load it into a new folder',
    );
  }
  for (const path of essentials.map((name) => join(cluster, name))) {
    if (!existsSync(path)) throw damaged(`${path} is missing`);
  }
  const controlFile = join(cluster, 'global/pg_control');
  if (statSync(controlFile).size < controlFileBytes) throw damaged(`${controlFile} is cut short`);
  return true;
}

function readVersion(cluster: string): string {
  const path = join(cluster, 'PG_VERSION');
  if (!existsSync(path)) {
    throw new EmbeddedPostgresError(
      'damaged',
      `${cluster} holds files but no PG_VERSION, so it is no whole PostgreSQL database; ` +
        'restore a backup or move it away',
    );
  }
  requirePlainFileOrNothing(path);
  const version = readFileSync(path, 'utf8').trim();
  if (!/^\d+(\.\d+)?$/.test(version)) throw damaged(`${path} does not hold a version`);
  return version;
}

function damaged(what: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'damaged',
    `${what}; the database is damaged: keep a copy of the data folder as it is, then restore a backup`,
  );
}

/** Ends an initdb of a process that was killed, and removes what it created. */
export function removeUnfinished(folder: DataFolder): void {
  const unfinished = readdirSync(folder.home).filter((name) => name.startsWith(unfinishedPrefix));
  // Without one no initdb runs. To read the processes of the machine takes 10 ms.
  if (unfinished.length === 0) return;
  for (const { pid, words } of listProcesses()) {
    const ours = words[0]?.endsWith('initdb') && words.includes(`cluster_name=${folder.mark}`);
    if (ours) endGroup(pid);
  }
  for (const name of unfinished) {
    // A program that was just ended may still create a file.
    rmSync(join(folder.home, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

async function initdb(
  folder: DataFolder,
  target: string,
  binaries: Binaries,
  { superuser, isDisposable = false }: InitdbOptions,
): Promise<void> {
  const child = spawn(
    binaries.initdb,
    [
      ...['-D', clusterArgument({ ...folder, cluster: target })],
      ...['--username', superuser],
      // The socket is in a folder that only the account and root may enter.
      '--auth=trust',
      '--encoding=UTF8',
      // Order by code point, upper and lower case of all scripts, and nothing that changes with the system's libraries.
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      '--data-checksums',
      '--no-instructions',
      ...(isDisposable ? ['--no-sync'] : []),
      ...['--set', `cluster_name=${folder.mark}`],
    ],
    // Detached: as leader of a process group it can be ended together with its children.
    {
      cwd: target,
      env: programEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
      ...spawnAs(folder.account),
    },
  );
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, killedBy) => resolve(code === 0 ? undefined : `ended with ${code ?? killedBy}`));
  });
  if (failure === undefined) return;
  if (child.pid !== undefined) endGroup(child.pid);
  rmSync(target, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  const reason = complaints.trim().replaceAll(/\s*\n\s*/g, '; ');
  throw new EmbeddedPostgresError(
    'failed',
    `initdb could not make a database in ${folder.root} (${failure}): ${reason}`,
  );
}

/**
 * Contains nothing of this process's environment, which has secrets and possibly PGDATA or LD_LIBRARY_PATH. With TZ
 * set, initdb does not search for the time zone of the system.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function endGroup(leader: number): void {
  signal(-leader, 'SIGKILL');
}

function fsyncFolder(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
