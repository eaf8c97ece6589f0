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
const adoptedPollMs = 50;
const fastShutdownMs = 30_000;
const stillStartingMs = 10_000;

export interface Postmaster {
  readonly pid: number;
  /** Says how it ended, as soon as it did. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** Where in the log its own lines begin: what stands before was said by others. */
  readonly logStart: number;
}

/** The program and its arguments. */
export interface CommandLine {
  readonly program: string;
  readonly words: readonly string[];
}

/**
 * Starts a postmaster, in a session of its own: Ctrl-C in the terminal reaches us and not it, so that we can
 * finish our work before we stop it.
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

/** Takes over a postmaster that an earlier, killed Florin started. It is not our child, so its end must be looked for. */
export function adopt(folder: DataFolder, identity: ProcessIdentity): Postmaster {
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
 * Waits until sessions are accepted. There is no deadline: recovery takes the time it takes.
 *
 * @throws Error when it ends instead
 */
export async function untilReady(folder: DataFolder, postmaster: Postmaster, log: Log): Promise<void> {
  let nextReport = performance.now() + stillStartingMs;
  for (;;) {
    const report = readPostmasterPid(folder.cluster);
    if (report?.pid === postmaster.pid && report.status === 'ready') return;
    if (postmaster.hasEnded()) {
      const reason = `PostgreSQL did not start (${await postmaster.ended})`;
      throw new EmbeddedPostgresError(`${reason}, see ${folder.logFile}: ${complaintOf(folder, postmaster.logStart)}`);
    }
    if (performance.now() > nextReport) {
      log.warn({ pid: postmaster.pid }, 'PostgreSQL is still starting; after a crash it first repeats its log');
      nextReport += stillStartingMs;
    }
    await sleep(readyPollMs);
  }
}

/** Fast shutdown: sessions end, a checkpoint is written. If that hangs, the end without one is just as safe. */
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
  while (isRunning(identity)) await sleep(adoptedPollMs);
  return 'unknown, it was not our child';
}

/** Not followed if it is a link: as root we may be in a folder that somebody else writes to. */
function openLog(path: string): number {
  const former = statSync(path, { throwIfNoEntry: false });
  if (former && former.size > longestLogBytes) renameSync(path, `${path}.1`);
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  return openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
}

function explainSpawn(error: Error, program: string): Error {
  if (!['EACCES', 'EPERM', 'ENOENT', 'EINVAL'].includes(errorCode(error))) return error;
  return new EmbeddedPostgresError(
    `${program} cannot be run (${errorCode(error)}); as root, Florin must be allowed to change to another account, or start it as an ordinary user`,
    { cause: error },
  );
}

/** In one line what the log says, from `start` on, of a failure: its last fatal line, with the detail below it. */
function complaintOf(folder: DataFolder, start: number): string {
  const file = openSync(folder.logFile, 'r');
  const tail = Buffer.alloc(8_192);
  const length = readSync(file, tail, 0, tail.length, Math.max(start, fstatSync(file).size - tail.length));
  closeSync(file);
  const lines = tail.toString('utf8', 0, length).trimEnd().split('\n').map(withoutPrefix);
  const fatal = lines.findLastIndex((line) => /^(FATAL|PANIC)/.test(line));
  // Before it has read its configuration it writes without levels, over several lines.
  const said =
    fatal < 0 ? lines.slice(-3) : lines.slice(fatal, lines[fatal + 1]?.startsWith('DETAIL') ? fatal + 2 : fatal + 1);
  // The account reaches the cluster by its working folder; an operator does not.
  return (said.join('; ') || 'it says nothing').replaceAll('/proc/self/cwd', folder.cluster).replace(/\.$/, '');
}

/** Lines of the log begin with the time and the process (`log_line_prefix`). */
function withoutPrefix(line: string): string {
  return line.replace(/^\S+ \S+ UTC \[\d+\] /, '').replace(/ {2,}/g, ' ');
}
