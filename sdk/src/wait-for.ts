import { TimeoutError } from './errors.ts';
import type { RequestOptions } from './operation.ts';
import { pause } from './transport.ts';

/** A payment in one of these statuses is decided. SUCCESS can still become REFUNDED. */
const finalStatuses: readonly string[] = ['SUCCESS', 'FAILED', 'CANCELLED', 'REFUNDED'];

const firstPollMs = 100;
const maxPollMs = 2_000;

export interface WaitOptions extends RequestOptions {
  /** `final`, the default: SUCCESS, FAILED, CANCELLED or REFUNDED. Or one of these statuses. */
  until?: 'final' | (string & {}) | readonly string[];
  /** How long to wait at most, in milliseconds. Default: 60,000. */
  waitMs?: number;
}

/** Reads a record until it has one of the awaited statuses. Rejects with a `TimeoutError` after `waitMs`. */
export async function waitFor<Row extends { id: string; status: string }>(
  read: (options: RequestOptions) => PromiseLike<Row>,
  { until = 'final', waitMs = 60_000, ...options }: WaitOptions,
): Promise<Row> {
  const statuses = until === 'final' ? finalStatuses : [until].flat();
  const deadline = Date.now() + waitMs;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(maxPollMs, pollMs * 1.5)) {
    const row = await read(options);
    if (statuses.includes(row.status)) return row;
    if (finalStatuses.includes(row.status) && !canFollow(row.status, statuses))
      throw waitEnded(row, `is ${row.status} and will not become ${statuses.join(' or ')}`);
    const leftMs = deadline - Date.now();
    if (leftMs <= 0) throw waitEnded(row, `is still ${row.status} after ${waitMs} ms`);
    await pause(Math.min(pollMs, leftMs), options.signal);
  }
}

const waitEnded = ({ id, status }: { id: string; status: string }, why: string) =>
  new TimeoutError(`${id} ${why}.`, { type: 'wait_ended', details: { status } });

const canFollow = (status: string, statuses: readonly string[]) =>
  (status === 'SUCCESS' || status === 'REFUNDED') && statuses.includes('REFUNDED');
