import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const hasProc = process.platform === 'linux';

/** Process ids are reused; the id together with the start time is unique. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The command line; PostgreSQL's workers replace theirs by a title. */
  readonly words: readonly string[];
}

/** The running process with this id. A zombie counts as dead: it answers signal 0, but has released its resources. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = hasProc ? startFromProc(pid) : startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** All processes that this account may see, unordered. */
export function listProcesses(): ProcessEntry[] {
  return hasProc ? listFromProc() : listFromPs();
}

/** Sends a signal; returns false when the process no longer exists. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** The fields of the process's state, from the third on. */
function statFields(pid: number): string[] | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may hold spaces and parentheses itself.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function startFromProc(pid: number): string | undefined {
  const fields = statFields(pid);
  if (!fields) return undefined;
  const [state] = fields;
  const startTicks = fields[19];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  // Ticks count from boot, so they mean nothing after the next one.
  return `${readOrNothing('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}/${startTicks}`;
}

function listFromProc(): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    // Only the command line is readable for everyone. The links `cwd` and `exe` are not even readable for
    // root in an ordinary container, which lacks CAP_SYS_PTRACE. A zombie has an empty command line.
    const words = (readOrNothing(`/proc/${pid}/cmdline`) ?? '').split('\0').filter((word) => word !== '');
    if (words.length > 0) entries.push({ pid, parent: Number(statFields(pid)?.[1] ?? 0), words });
  }
  return entries;
}

function startFromPs(pid: number): string | undefined {
  const line = ps('-o', 'stat=,lstart=', '-p', String(pid)).trim();
  return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
}

function listFromPs(): ProcessEntry[] {
  return ps('-axww', '-o', 'pid=,ppid=,command=')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, ...words]) => ({ pid: Number(pid), parent: Number(parent), words }))
    .filter((entry) => entry.words.length > 0);
}

function ps(...options: string[]): string {
  try {
    return execFileSync('ps', options, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    // `ps` ends with 1 when the process does not exist. Without `ps`, nothing could be said of any process.
    if ((error as { status?: number | null }).status === 1) return '';
    throw error;
  }
}

/** undefined: the process has ended, or may not be inspected. */
function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
