import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts a process's time in hundredths of a second, whatever the machine. */
const tickUs = 10_000;

export interface ProcessTimes {
  parent: number;
  /** User and system time, its ended children's included, in µs. */
  cpuUs: number;
}

/** What a process has used so far, from /proc; undefined when it is gone, or on a system without /proc. */
export function timesOf(pid: number): ProcessTimes | undefined {
  const text = contentOf(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in brackets may hold anything, so counting begins behind it: field 3 is the state.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), cpuUs: (field(14) + field(15) + field(16) + field(17)) * tickUs };
}

/** The same of a process and all below it: PostgreSQL with its backends and workers, running and ended. */
export function timesOfTree(root: number): number {
  const processes = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const times = Number.isInteger(pid) ? timesOf(pid) : undefined;
    if (times !== undefined) processes.set(pid, times);
  }
  let totalUs = 0;
  for (const [pid, { cpuUs }] of processes) if (isBelow(pid, root, processes)) totalUs += cpuUs;
  return totalUs;
}

function isBelow(pid: number, root: number, processes: Map<number, ProcessTimes>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = processes.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

/** Time all processors of the machine have been busy, in µs. */
export function machineBusyUs(): number {
  const [all = ''] = (contentOf('/proc/stat') ?? '').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = all.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq + steal) * tickUs;
}

/** What a process holds in memory, in MB: now, at most since its start, and of it what is mapped from files. */
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
