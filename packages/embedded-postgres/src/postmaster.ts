import { spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnAs } from './account.ts';
import { programEnvironment } from './cluster.ts';
import { EmbeddedPostgresError, errorCode, type Log } from './contract.ts';
import type { DataFolder } from './data-folder.ts';
import { readPostmasterPid } from './postmaster-pid.ts';
import { isRunning, type ProcessIdentity, signal } from './process-table.ts';

/** A larger log is rotated at the next launch; one former log is kept. */
const longestLogBytes = 10_000_000;
const readyPollMs = 5;
const attachedPollMs = 50;
const fastShutdownMs = 30_000;
const stillStartingMs = 10_000;

export interface Postmaster {
  readonly pid: number;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** The offset in the log at which its own lines begin. */
  readonly logStart: number;
}

/** The program and its arguments. */
export interface CommandLine {
  readonly program: string;
  readonly words: readonly string[];
}

/**
 * Starts a postmaster in its own session: Ctrl-C in the terminal reaches only this process, which finishes its work
 * before it stops PostgreSQL.
 */
export async function launch(folder: DataFolder, { program, words }: CommandLine): Promise<Postmaster> {
  const output = openLog(folder.logFile);
  const logStart = fstatSync(output).size;
  const child = spawn(program, words, {
    cwd: folder.cluster,
    env: programEnvironment(),
    stdio: ['ignore', output, output],
    detached: true,
    ...spawnAs(folder.account),
  });
  closeSync(output);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(explainSpawn(error, program)));
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, killedBy) => resolve(killedBy ?? `exit code ${code}`));
  });
  return watched(child.pid as number, ended, logStart);
}

/** Attaches to a postmaster that a killed process started. Its end is found by polling, because it is no child. */
export function attach(folder: DataFolder, identity: ProcessIdentity): Postmaster {
  const logStart = statSync(folder.logFile, { throwIfNoEntry: false })?.size ?? 0;
  return watched(identity.pid, endOf(identity), logStart);
}

/** Whether the running postmaster of this folder was started with exactly this command line. */
export function runsWith(folder: DataFolder, { program, words }: CommandLine): boolean {
  try {
    const recorded = readFileSync(join(folder.cluster, 'postmaster.opts'), 'utf8').trimEnd();
    return recorded === [realpathSync(program), ...words.map((word) => `"${word}"`)].join(' ');
  } catch {
    return false;
  }
}

/**
 * Waits until sessions are accepted. There is no deadline, because recovery may take long.
 *
 * @throws Error when it ends before
 */
export async function untilReady(folder: DataFolder, postmaster: Postmaster, log: Log): Promise<void> {
  let nextReport = performance.now() + stillStartingMs;
  for (;;) {
    const report = readPostmasterPid(folder.cluster);
    if (report?.pid === postmaster.pid && report.status === 'ready') return;
    if (postmaster.hasEnded()) {
      const reason = `PostgreSQL did not start (${await postmaster.ended})`;
      const complaint = complaintOf(folder, postmaster.logStart);
      throw new EmbeddedPostgresError('failed', `${reason}, see ${folder.logFile}: ${complaint}`);
    }
    if (performance.now() > nextReport) {
      log.warn({ pid: postmaster.pid }, 'PostgreSQL is still starting; after a crash it first repeats its log');
      nextReport += stillStartingMs;
    }
    await sleep(readyPollMs);
  }
}

/** Fast shutdown: ends sessions and writes a checkpoint. If that hangs, an immediate shutdown is equally safe. */
export async function shutDown(postmaster: Postmaster, log: Log): Promise<void> {
  signal(postmaster.pid, 'SIGINT');
  const timer = setTimeout(() => {
    log.warn({ pid: postmaster.pid }, 'PostgreSQL does not stop; ending it without a checkpoint');
    signal(postmaster.pid, 'SIGQUIT');
  }, fastShutdownMs);
  await postmaster.ended;
  clearTimeout(timer);
}

function watched(pid: number, ended: Promise<string>, logStart: number): Postmaster {
  let over = false;
  const end = () => {
    over = true;
  };
  ended.then(end, end);
  return { pid, ended, hasEnded: () => over, logStart };
}

async function endOf(identity: ProcessIdentity): Promise<string> {
  while (isRunning(identity)) await sleep(attachedPollMs);
  return 'unknown, it was not our child';
}

/** Does not follow links: another account may be able to write to the folder while this process is root. */
function openLog(path: string): number {
  const former = statSync(path, { throwIfNoEntry: false });
  if (former && former.size > longestLogBytes) renameSync(path, `${path}.1`);
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
}

function explainSpawn(error: Error, program: string): Error {
  if (!['EACCES', 'EPERM', 'ENOENT', 'EINVAL'].includes(errorCode(error))) return error;
  return new EmbeddedPostgresError(
    'cannot_run',
    `${program} cannot be run (${errorCode(error)}); root must be allowed to change to another account, ` +
      'or start it as an ordinary user',
    { cause: error },
  );
}

/** The reason of a failure in one line: the last fatal line of the log after `start`, with its detail. */
function complaintOf(folder: DataFolder, start: number): string {
  const file = openSync(folder.logFile, 'r');
  const tail = Buffer.alloc(8_192);
  const length = readSync(file, tail, 0, tail.length, Math.max(start, fstatSync(file).size - tail.length));
  closeSync(file);
  const lines = tail.toString('utf8', 0, length).trimEnd().split('\n').map(withoutPrefix);
  const fatal = lines.findLastIndex((line) => /^(FATAL|PANIC)/.test(line));
  // Before it has read its configuration it logs without levels, over several lines.
  const said =
    fatal < 0 ? lines.slice(-3) : lines.slice(fatal, lines[fatal + 1]?.startsWith('DETAIL') ? fatal + 2 : fatal + 1);
  // The account reaches the cluster by its working directory, an operator by the path.
  return (said.join('; ') || 'it says nothing').replaceAll('/proc/self/cwd', folder.cluster).replace(/\.$/, '');
}

/** Lines of the log begin with the time and the process (`log_line_prefix`). */
function withoutPrefix(line: string): string {
  return line.replace(/^\S+ \S+ UTC \[\d+\] /, '').replace(/ {2,}/g, ' ');
}
