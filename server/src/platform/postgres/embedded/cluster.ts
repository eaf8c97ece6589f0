import { spawn } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  lchownSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { spawnAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError, embeddedUser, errorCode, type Log } from './contract.ts';
import type { DataFolder } from './data-folder.ts';
import { listProcesses, signal } from './process-table.ts';
import { clusterArgument } from './settings.ts';

const unfinishedPrefix = 'cluster.new-';

/**
 * Makes the cluster if there is none. It is made under another name, written to disk and renamed, so whatever
 * stands under the name `cluster` is whole; existing data is never touched.
 *
 * @throws EmbeddedPostgresError when the data is of another major version, or is no PostgreSQL data at all
 */
export async function ensureCluster(folder: DataFolder, binaries: Binaries, log: Log): Promise<void> {
  removeUnfinished(folder);
  if (holdsData(folder, binaries)) return;
  const begun = performance.now();
  const unfinished = mkdtempSync(join(folder.home, unfinishedPrefix));
  if (folder.account.switched) lchownSync(unfinished, folder.account.uid, folder.account.gid);
  await initdb(folder, unfinished, binaries);
  renameSync(unfinished, folder.cluster);
  for (const path of [folder.home, folder.root]) fsyncFolder(path);
  log.info({ folder: folder.cluster, elapsedMs: Math.round(performance.now() - begun) }, 'made a new database');
}

function holdsData(folder: DataFolder, binaries: Binaries): boolean {
  const version = readVersion(folder);
  if (version === undefined) return false;
  if (version === binaries.major) return true;
  throw new EmbeddedPostgresError(
    `data folder ${folder.root} holds data of PostgreSQL ${version}, but this Florin brings PostgreSQL ${binaries.major}; dump it with the Florin that made it and load it into a new folder`,
  );
}

function readVersion(folder: DataFolder): string | undefined {
  try {
    return readFileSync(join(folder.cluster, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  if (isAbsentOrEmpty(folder.cluster)) return undefined;
  throw new EmbeddedPostgresError(
    `${folder.cluster} holds files but no PG_VERSION, so it is no whole PostgreSQL database; restore a backup or move it away`,
  );
}

function isAbsentOrEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

/** Ends an initdb that outlived the Florin that started it, and removes what it made. */
function removeUnfinished(folder: DataFolder): void {
  for (const { pid, words } of listProcesses()) {
    const ours = words[0]?.endsWith('initdb') && words.includes(`cluster_name=${folder.mark}`);
    if (ours) endGroup(pid);
  }
  for (const name of readdirSync(folder.home)) {
    if (!name.startsWith(unfinishedPrefix)) continue;
    // A program that was just ended may still create a last file.
    rmSync(join(folder.home, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }
}

async function initdb(folder: DataFolder, target: string, binaries: Binaries): Promise<void> {
  const child = spawn(
    binaries.initdb,
    [
      ...['-D', clusterArgument({ ...folder, cluster: target })],
      ...['--username', embeddedUser],
      // The socket lies in a folder that only the account and root may enter.
      '--auth=trust',
      '--encoding=UTF8',
      // Order by code point, upper and lower case of all scripts, and nothing that changes with the system's libraries.
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      '--data-checksums',
      '--no-instructions',
      ...['--set', `cluster_name=${folder.mark}`],
    ],
    // Detached, so that it leads a group by which it can be ended together with its own children.
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
  throw new EmbeddedPostgresError(`initdb could not make a database in ${folder.root} (${failure}): ${reason}`);
}

/**
 * Nothing of our own environment, which holds secrets and perhaps a PGDATA or LD_LIBRARY_PATH. A set TZ spares
 * initdb the search for the system's time zone.
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
