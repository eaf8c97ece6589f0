import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports CPU time in units of 10 ms (USER_HZ) on all machines. */
const tickUs = 10_000;

export interface ProcessTimes {
  parent: number;
  /** User and system time in µs, including that of children that have exited. */
  cpuUs: number;
}

/** CPU time of a process from /proc; undefined when the process has exited or the system has no /proc. */
export function timesOf(pid: number): ProcessTimes | undefined {
  const text = contentOf(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in brackets may contain spaces and brackets, so count from its end: field 3 is the state.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), cpuUs: (field(14) + field(15) + field(16) + field(17)) * tickUs };
}

/** Its direct children. */
export function childrenOf(pid: number): number[] {
  return [...allTimes()].filter(([, { parent }]) => parent === pid).map(([child]) => child);
}

/** CPU time in µs of a process and all its descendants, such as PostgreSQL with its backends and workers. */
export function timesOfTree(root: number): number {
  const processes = allTimes();
  let totalUs = 0;
  for (const [pid, { cpuUs }] of processes) if (isInTree(pid, root, processes)) totalUs += cpuUs;
  return totalUs;
}

function allTimes(): Map<number, ProcessTimes> {
  const processes = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const times = Number.isInteger(pid) ? timesOf(pid) : undefined;
    if (times !== undefined) processes.set(pid, times);
  }
  return processes;
}

function isInTree(pid: number, root: number, processes: Map<number, ProcessTimes>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = processes.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

/** Busy time of all CPUs of the machine in µs. */
export function machineBusyUs(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = machineTicks();
  return (user + nice + system + irq + softirq + steal) * tickUs;
}

/** The time in µs for which a host has given all CPUs of a virtual machine to others ("steal"). */
export function stolenUs(): number {
  return (machineTicks()[7] ?? 0) * tickUs;
}

function machineTicks(): number[] {
  const [all = ''] = (contentOf('/proc/stat') ?? '').split('\n', 1);
  return all.split(/\s+/).slice(1).map(Number);
}

/** Memory of a process in MB: resident now, resident peak since the start, and the resident part mapped from files. */
export function memoryOf(pid: number): { residentMb: number; peakMb: number; ofFilesMb: number } {
  const status = contentOf(`/proc/${pid}/status`) ?? '';
  const mb = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
  return { residentMb: mb('VmRSS'), peakMb: mb('VmHWM'), ofFilesMb: mb('RssFile') };
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
