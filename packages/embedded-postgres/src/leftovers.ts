import { readdirSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError, type Log } from './contract.ts';
import type { DataFolder } from './data-folder.ts';
import { socketPrefix } from './data-folder.ts';
import { requirePlainFileOrNothing } from './places.ts';
import { postmasterPidFile, readPostmasterPid } from './postmaster-pid.ts';
import { identify, listProcesses, type ProcessEntry, type ProcessIdentity, signal } from './process-table.ts';

/**
 * Workers end by themselves when their postmaster dies. Those that do not within this time get SIGQUIT, then SIGKILL.
 */
const askAfterMs = 100;
const forceAfterMs = 500;

/** The living postmaster of this folder that an earlier process started; its own pid file must name it. */
export function findOrphan(folder: DataFolder): ProcessIdentity | undefined {
  const report = readPostmasterPid(folder.cluster);
  if (!report) return undefined;
  const entry = markedProcesses(folder).find(({ pid }) => pid === report.pid);
  return entry && identify(entry.pid);
}

/**
 * Clears what a killed postmaster left: workers that still hold its shared memory, which would make a new one refuse,
 * then its pid file and its socket. Only to be called when `findOrphan` found no living postmaster of ours; one that
 * had not yet written its pid file by then is ended as a worker.
 *
 * @throws EmbeddedPostgresError when a postmaster of somebody else runs on the data
 */
export async function clearLeftovers(folder: DataFolder, log: Log): Promise<void> {
  // Before any worker is ended: those of somebody else's postmaster bear the same title as ours.
  refuseVisibleStranger(folder);
  await endWorkers(folder, log);
  // Afterwards: a worker that was forked just before its postmaster was killed may still hold the socket.
  await refuseAnsweringStranger(folder);
  const pidFile = join(folder.cluster, postmasterPidFile);
  requirePlainFileOrNothing(pidFile);
  rmSync(pidFile, { force: true });
  for (const name of readdirSync(folder.socket.folder)) {
    if (name.startsWith(socketPrefix)) rmSync(join(folder.socket.folder, name), { force: true });
  }
}

async function endWorkers(folder: DataFolder, log: Log): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const workers = markedProcesses(folder);
    if (workers.length === 0) return;
    const elapsedMs = performance.now() - begun;
    if (elapsedMs > askAfterMs) {
      const name = elapsedMs > forceAfterMs ? 'SIGKILL' : 'SIGQUIT';
      log.warn({ workers: workers.map(({ pid }) => pid), signal: name }, 'ending workers of a killed postmaster');
      for (const { pid } of workers) signal(pid, name);
    }
    await sleep(elapsedMs > askAfterMs ? 50 : 5);
  }
}

/** Processes of this folder. A worker that was forked just now still bears the postmaster's command line. */
function markedProcesses(folder: DataFolder): ProcessEntry[] {
  const title = `postgres: ${folder.mark}: `;
  const setting = `cluster_name=${folder.mark}`;
  return listProcesses().filter(({ words }) => {
    if (`${words.join(' ')} `.startsWith(title)) return true;
    return words[0]?.endsWith('postgres') && words.includes(setting);
  });
}

/**
 * A pid file may name a living process that has nothing to do with this data, because process ids are reused. It counts
 * as the postmaster when it works in the data folder, or when workers of this data are its children.
 */
function refuseVisibleStranger(folder: DataFolder): void {
  const report = readPostmasterPid(folder.cluster);
  if (!report || identify(report.pid) === undefined) return;
  const marked = markedProcesses(folder);
  // Ours: it wrote its pid file after `findOrphan` had read it.
  if (marked.some(({ pid }) => pid === report.pid)) return;
  const hasWorkers = marked.some(({ parent }) => parent === report.pid);
  if (hasWorkers || worksIn(report.pid, folder.cluster)) throw inUse(folder, report.pid);
}

/** Also finds a postmaster in another container, whose process cannot be seen from here. */
async function refuseAnsweringStranger(folder: DataFolder): Promise<void> {
  const report = readPostmasterPid(folder.cluster);
  if (report?.socket && (await answers(report.socket))) throw inUse(folder, report.pid);
}

function inUse(folder: DataFolder, pid: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'in_use',
    `data folder ${folder.root} is in use by PostgreSQL process ${pid}, which this process did not start; ` +
      'stop it first',
  );
}

function worksIn(pid: number, path: string): boolean {
  try {
    const [working, own] = [statSync(`/proc/${pid}/cwd`), statSync(path)];
    return working.dev === own.dev && working.ino === own.ino;
  } catch {
    // The process may not be inspected, or the system has no /proc.
    return false;
  }
}

export async function answers(socket: string): Promise<boolean> {
  const connection = connect({ path: socket });
  try {
    return await new Promise((resolve) => {
      connection.once('connect', () => resolve(true));
      connection.once('error', () => resolve(false));
      // A listener that is too busy to accept a connection is a listener.
      connection.setTimeout(1_000, () => resolve(true));
    });
  } finally {
    connection.destroy();
  }
}
