import { dayMs, hourMs, minuteMs, secondMs } from '../../../core/clock.ts';
import { retryAfterMs } from '../../../core/retry-after.ts';
import { type FailureReports, Worker } from '../../../platform/jobs/worker.ts';
import { maximumLimitWaitMs } from '../operation-queue/rules.ts';
import type { ProviderName } from '../providers/directory.ts';
import type { DisputeNotices, DisputeNoticesDeps } from './notices.ts';
import { type ReadingPace, withoutPermitMs } from './reading-pace.ts';
import {
  beginChannelReadings,
  type ChannelReading,
  channelReadingDue,
  claimChannelReadings,
  claimDisputeReadings,
  type DueReading,
  disputeReadingDue,
  disputeReadingsDue,
  postponeDisputeReading,
  readChangedDisputes,
  recordChannelReading,
} from './reading-statements.ts';

export interface ReadingDeps extends DisputeNoticesDeps, FailureReports {
  notices: DisputeNotices;
  /** How often each channel's list is read: `app.dispute.list-interval`. */
  listIntervalMs: number;
  /** How long known disputes are read: `app.dispute.read-for`. */
  readForMs: number;
  readingPace: ReadingPace;
  /** Providers that tell of disputes. */
  providersWithDisputes: readonly ProviderName[];
}

const maximumInFlight = 3;
/** How long a new channel waits until its list is read for the first time. */
const newChannelsPollMs = 10 * secondMs;
/** After a reading that found out nothing. */
const retryMs = 10 * minuteMs;
/**
 * Each reading overlaps the last one by this much: providers list late what began before, and a refund may be one of
 * Florin's whose answer was lost, until it is looked up.
 */
const overlapMs = 3 * hourMs;
/** How long a list is read again for what has not ended: a refund made elsewhere, or the payment of one. */
const longestWindowMs = 30 * dayMs;

/**
 * Reads the list of disputes of each channel, and the refunds with it, so that nothing depends on callbacks. A list is
 * read page by page; the next node goes on where a process died.
 */
export function channelReadingWorker(deps: ReadingDeps): Worker<ChannelReading> {
  const { database, clock, providersWithDisputes, readingPace, onError, onRecovered } = deps;
  return new Worker<ChannelReading>({
    name: 'dispute lists',
    dueWork: { topic: disputeReadingsDue, due: channelReadingDue },
    claim: async (room) => {
      await database.run(beginChannelReadings, [providersWithDisputes, clock()]);
      return database.run(claimChannelReadings, [clock(), room, clock() + retryMs, readingPace.held]);
    },
    keyOf: ({ channel_id }) => String(channel_id),
    perform: (reading) => readPage(reading, deps),
    // Channels that are new are found by polling.
    pollMs: () => newChannelsPollMs,
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}

async function readPage({ channel_id, since_ms, cursor, began_ms }: ChannelReading, deps: ReadingDeps): Promise<void> {
  const { database, clock, notices, listIntervalMs, readingPace } = deps;
  const readMs = clock();
  if (!(await readingPace.mayCall(channel_id, readMs - since_ms - listIntervalMs))) {
    return record(channel_id, since_ms, cursor, began_ms, readMs + withoutPermitMs, deps);
  }
  const beganMs = began_ms ?? readMs;
  const page = await notices.ask(channel_id, (disputes, call) =>
    disputes.listSince(since_ms - overlapMs, cursor, call),
  );
  if (page === undefined) return record(channel_id, since_ms, null, null, readMs + dayMs, deps);
  if (page === 'busy' || page.kind === 'unknown') return;
  if (page.kind === 'rate_limited') {
    const waitMs = Math.min(retryAfterMs(page.retryAfter, readMs) ?? minuteMs, maximumLimitWaitMs);
    return record(channel_id, since_ms, cursor, beganMs, clock() + waitMs, deps);
  }
  // What Florin does not know of, such as payments made elsewhere, is left out.
  const applied = await notices.applyPage(channel_id, page, readMs);
  const { next, changed = [] } = page;
  if (changed.length > 0) {
    const references = changed.map(({ reference }) => reference);
    const times = changed.map(({ atMs }) => atMs);
    await database.run(readChangedDisputes, [channel_id, references, times, clock()]);
  }
  // Then the next reading begins where this one did.
  const isUnfinished = applied.some((one) => one === 'later' || one === 'under_way');
  const readUntilMs = isUnfinished ? Math.max(since_ms, beganMs - longestWindowMs) : beganMs;
  if (next !== null) return record(channel_id, since_ms, next, readUntilMs, clock(), deps);
  // From its beginning: what began after that may not have been seen.
  await record(channel_id, readUntilMs, null, null, beganMs + listIntervalMs, deps);
}

async function record(
  channelId: number,
  sinceMs: number,
  cursor: string | null,
  beganMs: number | null,
  dueMs: number,
  { database }: ReadingDeps,
): Promise<void> {
  await database.run(recordChannelReading, [channelId, sinceMs, cursor, beganMs, dueMs]);
}

/** Reads known disputes once a day, because providers change their minds weeks later. */
export function disputeReadingWorker(deps: ReadingDeps): Worker<DueReading> {
  const { database, clock, notices, readForMs, readingPace, onError, onRecovered } = deps;
  return new Worker<DueReading>({
    name: 'dispute readings',
    dueWork: { topic: disputeReadingsDue, due: disputeReadingDue },
    claim: (room) => database.run(claimDisputeReadings, [clock(), room, clock() + hourMs, readingPace.held]),
    perform: async ({ tenant_id, id, channel_id, provider_reference, created_at, read_at }) => {
      const nowMs = clock();
      if (!(await readingPace.mayCall(channel_id, nowMs - Date.parse(read_at) - dayMs))) {
        await database.run(postponeDisputeReading, [tenant_id, id, nowMs + withoutPermitMs]);
        return;
      }
      const result = await notices.read(channel_id, { dispute: provider_reference, charge: null });
      if (result !== 'settled') return;
      const nextMs = nowMs + dayMs;
      const isOver = nextMs > Date.parse(created_at) + readForMs;
      await database.run(postponeDisputeReading, [tenant_id, id, isOver ? null : nextMs]);
    },
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}
