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
  /** How long to wait at most, in milliseconds; 60,000 unless given. */
  waitMs?: number;
}

/** Reads a record until its status is one of those waited for. Rejects with a `TimeoutError` after `waitMs`. */
export async function waitFor<Row extends { id: string; status: string }>(
  read: (options: RequestOptions) => PromiseLike<Row>,
  { until = 'final', waitMs = 60_000, ...options }: WaitOptions,
): Promise<Row> {
  const statuses = until === 'final' ? finalStatuses : [until].flat();
  const deadline = Date.now() + waitMs;
  for (let pollMs = firstPollMs; ; pollMs = Math.min(maxPollMs, pollMs * 1.5)) {
    const row = await read(options);
    if (statuses.includes(row.status)) return row;
    if (finalStatuses.includes(row.status) && !canFollow(row.status, statuses)) {
      throw new TimeoutError(`${row.id} is ${row.status} and will not become ${statuses.join(' or ')}.`, {
        type: 'wait_ended',
        details: { status: row.status },
      });
    }
    const leftMs = deadline - Date.now();
    if (leftMs <= 0) {
      throw new TimeoutError(`${row.id} is still ${row.status} after ${waitMs} ms.`, {
        type: 'wait_ended',
        details: { status: row.status },
      });
    }
    await pause(Math.min(pollMs, leftMs), options.signal);
  }
}

const canFollow = (status: string, statuses: readonly string[]) =>
  (status === 'SUCCESS' || status === 'REFUNDED') && statuses.includes('REFUNDED');
