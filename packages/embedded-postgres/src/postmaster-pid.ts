import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The file in which a postmaster records its process and its state; it remains when the postmaster is killed. */
export const postmasterPidFile = 'postmaster.pid';

export interface PostmasterPid {
  readonly pid: number;
  /** The socket it listens on; undefined while it has none. */
  readonly socket: string | undefined;
  /** `starting`, `ready`, `stopping`, `standby`, or empty before the first report. */
  readonly status: string;
}

/** The file of this cluster; undefined when there is none, or only the beginning of one. */
export function readPostmasterPid(cluster: string): PostmasterPid | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster, postmasterPidFile), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  // In this order: pid, data folder, start time, port, socket folder, listen address, shared memory, status.
  const [pid, , , port, socketFolder] = lines;
  if (!Number.isInteger(Number(pid)) || Number(pid) <= 0) return undefined;
  const socket = port && socketFolder ? join(resolve(cluster, socketFolder), `.s.PGSQL.${port}`) : undefined;
  return { pid: Number(pid), socket, status: lines[7]?.trim() ?? '' };
}
