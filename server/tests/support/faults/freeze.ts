import { readdirSync, readFileSync } from 'node:fs';

/**
 * Suspends a PostgreSQL with all its backends: no connection breaks, no statement fails, and nothing is answered.
 * Returns a function that resumes them. Linux only.
 */
export function freeze(postmaster: number): () => void {
  process.kill(postmaster, 'SIGSTOP');
  const backends = childrenOf(postmaster);
  for (const pid of backends) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of [...backends, postmaster]) process.kill(pid, 'SIGCONT');
  };
}

/** The process id of the PostgreSQL that runs on a data directory; undefined while none does. */
export function postmasterOf(cluster: string): number | undefined {
  try {
    const [pid] = readFileSync(`${cluster}/postmaster.pid`, 'utf8').split('\n');
    return Number(pid) || undefined;
  } catch {
    return undefined;
  }
}

/** Linux only. */
export function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      // The format is `pid (name) state parent`. The programs that tests ask for have no bracket in their names.
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]) === parent;
    } catch {
      return false;
    }
  });
}
