import { secondMs } from '../../../core/clock.ts';
import { isUnavailable } from '../../../core/errors.ts';
import { claimBy, leasesOf } from '../../../platform/jobs/lease-statements.ts';
import { type FailureReports, type Leased, Worker } from '../../../platform/jobs/worker.ts';
import { retryAt } from './rules.ts';
import { type CallbackSettlerDeps, settleCallback } from './settle.ts';
import {
  callbackDue,
  callbacksDue,
  callbackTable,
  claimCallbacks,
  type DueCallback,
  recordCallback,
} from './statements.ts';

export interface CallbackWorkerDeps extends CallbackSettlerDeps, FailureReports {
  /** Called when a callback reaches its final state. */
  observe: (result: 'settled' | 'ignored') => void;
}

/** Few enough to leave the shared connections to the dispatcher. */
const maximumInFlight = 50;
/** Longer than a settlement is retried while the database is unavailable. */
const leaseMs = 30 * secondMs;
/** Wait before the next try when the operation is in use or the database is unavailable. */
const busyRetryMs = secondMs;

/** What is recorded after a try. */
interface TryResult {
  state: 'RECEIVED' | 'SETTLED' | 'IGNORED';
  tries: number;
  dueMs: number;
}

/**
 * Settles stored callbacks. Those of one operation are settled one after another, in the order in which they were
 * received (`claimCallbacks`). A callback whose operation is not found is retried after 5 s, 30 s, 5 min and 1 h, then
 * ignored. A callback whose process died is due again when its lease ends.
 */
export function callbackWorker(deps: CallbackWorkerDeps): Worker<DueCallback> {
  const { onError, onRecovered } = deps;
  const leasing = { ...deps, leaseMs };
  return new Worker<DueCallback>({
    name: 'callbacks',
    dueWork: { topic: callbacksDue, due: callbackDue },
    claim: claimBy(claimCallbacks, leasing),
    leases: leasesOf(callbackTable, leasing),
    keyOf: ({ id }) => id,
    perform: (callback) => perform(callback, deps),
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}

async function perform(callback: Leased<DueCallback>, deps: CallbackWorkerDeps): Promise<void> {
  const { database, clock, observe } = deps;
  const { state, tries, dueMs } = await settle(callback, deps);
  const values = [callback.channel_id, callback.event_id, callback.lease, state, tries, dueMs, clock()];
  await database.run(recordCallback, values);
  if (state !== 'RECEIVED') observe(state === 'SETTLED' ? 'settled' : 'ignored');
}

async function settle(callback: DueCallback, deps: CallbackWorkerDeps): Promise<TryResult> {
  const { clock, onError } = deps;
  const { tries } = callback;
  try {
    const result = await settleCallback(callback, deps);
    if (result === 'settled') return { state: 'SETTLED', tries, dueMs: clock() };
    if (result === 'busy') return { state: 'RECEIVED', tries, dueMs: clock() + busyRetryMs };
  } catch (error) {
    onError(error);
    if (isUnavailable(error)) return { state: 'RECEIVED', tries, dueMs: clock() + busyRetryMs };
  }
  const dueMs = retryAt(tries, clock());
  return dueMs === undefined
    ? { state: 'IGNORED', tries: tries + 1, dueMs: clock() }
    : { state: 'RECEIVED', tries: tries + 1, dueMs };
}
