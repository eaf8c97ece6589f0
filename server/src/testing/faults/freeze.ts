import { readdirSync, readFileSync } from 'node:fs';

/**
 * Stops a PostgreSQL with all its backends where they stand: no connection breaks, no statement fails, and nothing is
 * answered. Gives back what lets it go on. Linux only.
 */
export function freeze(postmaster: number): () => void {
  process.kill(postmaster, 'SIGSTOP');
  const backends = childrenOf(postmaster);
  for (const pid of backends) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of [...backends, postmaster]) process.kill(pid, 'SIGCONT');
  };
}

/** The process id of the PostgreSQL that runs on a cluster; undefined while none does. */
export function postmasterOf(cluster: string): number | undefined {
  try {
    const [pid] = readFileSync(`${cluster}/postmaster.pid`, 'utf8').split('\n');
    return Number(pid) || undefined;
  } catch {
    return undefined;
  }
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      // pid (name) state parent: no program of PostgreSQL has a bracket in its name.
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]) === parent;
    } catch {
      return false;
    }
  });
}
