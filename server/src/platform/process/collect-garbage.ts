import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void;

const checkEveryMs = 1_000;
/** An idle process has 0.02. */
const idleUtilization = 0.1;
/** Ten seconds. V8 collects more rarely as long as it has not seen how little of the heap is in use. */
const mostChecks = 10;

/**
 * Collects the garbage of the start after the first second in which this process does next to nothing, at the latest
 * after ten seconds: that takes 50 to 80 ms, for which the first requests would wait.
 */
export function collectGarbageOfStart(collect: () => void = collectGarbage): void {
  let since = performance.eventLoopUtilization();
  let checks = 0;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    if (utilization > idleUtilization && ++checks < mostChecks) return;
    clearInterval(timer);
    collect();
  }, checkEveryMs).unref();
}

/** Collects all garbage at once and returns the freed pages to the system, which V8 by itself does much later. */
function collectGarbage(): void {
  // The function exists only in contexts that are made after the flag was set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
