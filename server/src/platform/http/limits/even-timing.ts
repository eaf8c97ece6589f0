import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Does the work. A failure is reported only at a multiple of `stepMs` after the start, so that the time of an answer
 * does not tell for which reason it fails.
 */
export async function withEvenFailures<Result>(stepMs: number, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await work();
  } catch (error) {
    const elapsedMs = performance.now() - startedAt;
    await sleep(Math.ceil(elapsedMs / stepMs) * stepMs - elapsedMs);
    throw error;
  }
}
