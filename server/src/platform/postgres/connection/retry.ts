import { isUnavailable } from '../../../core/errors.ts';

/** Longer in all than an embedded PostgreSQL takes to restart. A stop of the process waits for it. */
const waitsMs = [500, 1_000, 2_000, 4_000];

/**
 * Runs `work` again while the database is unavailable, up to five times in 8 s; for work that nobody would repeat
 * otherwise. A failed try may have been committed: `work` must be safe to run again.
 */
export async function retryWhileUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const waitMs of waitsMs) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
  return work();
}
