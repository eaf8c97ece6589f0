import { type Clock, secondMs } from '../../../../core/clock.ts';
import { typesMatching } from '../../../../core/event-types.ts';
import { leastUuidAt } from '../../../../core/id.ts';
import { claimBy, leasesOf } from '../../../../platform/jobs/lease-statements.ts';
import { type FailureReports, type Leased, Worker } from '../../../../platform/jobs/worker.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import { lockEndpoint } from '../../endpoints/statements.ts';
import {
  advanceReplay,
  claimReplays,
  countDue,
  type DueReplay,
  enqueueReplayed,
  lockReplay,
  type ReplayRow,
  replayDue,
  replaysDue,
  replayTable,
} from './statements.ts';

export interface ReplayWorkerOptions extends FailureReports {
  /** Uses one connection at a time. */
  database: Pick<Database, 'run' | 'transaction'>;
  clock: Clock;
  /** Whether work waits for this machine (`WaitingWork`): replays wait until it is done. Default: it does not. */
  isBehind?: () => boolean;
  /** Events examined in one transaction at most. */
  batch?: number;
}

/** Replays that one node performs at the same time. */
const slots = 1;
/** Renewed with every batch, which takes at most 10 s, the statement timeout. */
const leaseMs = 30 * secondMs;
/** Pause between batches: limits a replay of millions to 5,000 events per second. */
const batchPauseMs = 100;
const maxBatchSize = 500;
/** While so many deliveries to the endpoint are due, the next batch waits: new events would have to wait behind it. */
const mostWaiting = 500;
/** Deliveries read for one batch: an index range of events contains the deliveries to all endpoints of the tenant. */
const maxDeliveriesRead = 50_000;
/**
 * An event whose transaction was open when the replay was created may become visible this much later, because a
 * statement takes at most 10 s. So the replay examines its last 15 s once more after that time.
 */
const lateCommitMs = 15 * secondMs;

type LeasedReplay = Leased<DueReplay>;

/**
 * Performs replays: enqueues deliveries in batches, one transaction each, which the delivery worker sends. When a node
 * dies, its lease runs out and another node continues after the last committed batch.
 */
export function replayWorker(options: ReplayWorkerOptions): Worker<DueReplay> {
  const leasing = { ...options, leaseMs };
  const leases = leasesOf(replayTable, leasing);
  const replayer = new Replayer(options);
  const worker: Worker<DueReplay> = new Worker<DueReplay>({
    ...options,
    name: 'replays',
    dueWork: { topic: replaysDue, due: replayDue },
    claim: claimBy(claimReplays, leasing),
    leases,
    keyOf: ({ id }) => id,
    perform: async (replay) => {
      const isFinished = await replayer.run(replay, () => worker.isRunning);
      if (!isFinished) await leases.release([replay.lease]);
    },
    slots,
  });
  return worker;
}

class Replayer {
  readonly #options: ReplayWorkerOptions;

  constructor(options: ReplayWorkerOptions) {
    this.#options = options;
  }

  /** Returns whether nothing is left to do now, or another node has the lease. */
  async run(replay: LeasedReplay, isRunning: () => boolean): Promise<boolean> {
    while (isRunning()) {
      const isFinished =
        (await this.#mayEnqueue(replay)) &&
        (await this.#options.database.transaction((transaction) => this.#runBatch(transaction, replay)));
      if (isFinished) return true;
      await new Promise((resolve) => setTimeout(resolve, batchPauseMs));
    }
    return false;
  }

  /** Replayed deliveries take only what new ones leave, at the endpoint as well as on this machine. */
  async #mayEnqueue({ endpoint_id }: LeasedReplay): Promise<boolean> {
    const { database, clock, isBehind = () => false } = this.#options;
    if (isBehind()) return false;
    const [row] = await database.run(countDue, [endpoint_id, clock(), mostWaiting]);
    return (row?.count ?? 0) < mostWaiting;
  }

  /** Enqueues one batch and records the progress. true: nothing is left to do now, or another node has the lease. */
  async #runBatch(transaction: Queryable, replay: LeasedReplay): Promise<boolean> {
    const { tenant_id, id, lease, endpoint_id } = replay;
    const [row] = await transaction.run(lockReplay, [tenant_id, id, lease]);
    if (row === undefined) return true;
    const [endpoint] = await transaction.run(lockEndpoint, [[tenant_id], endpoint_id]);
    const nowMs = this.#options.clock();
    if (endpoint?.state !== true) {
      const values = [tenant_id, id, 'STOPPED', row.last_event_id, 0, 0, nowMs, null, nowMs];
      await transaction.run(advanceReplay, values);
      return true;
    }
    const size = this.#batchSize(row.endpoints);
    const [batch] = await transaction.run(enqueueReplayed, [
      tenant_id,
      row.last_event_id,
      leastUuidAt(Date.parse(row.until_at)),
      size,
      endpoint_id,
      [...new Set(endpoint.events.flatMap(typesMatching))],
      row.states,
      Date.parse(row.created_at),
      nowMs,
      endpoint.livemode,
    ]);
    const { looked = 0, enqueued = 0, last_event_id = null } = batch ?? {};
    const isFinished = looked < size;
    const next = isFinished ? afterLastEvent(row, nowMs) : { state: 'RUNNING' };
    await transaction.run(advanceReplay, [
      tenant_id,
      id,
      next.state,
      next.lastEventId ?? last_event_id ?? row.last_event_id,
      isSecondPass(row) ? 0 : looked,
      enqueued,
      next.dueMs ?? Date.parse(row.due_at),
      isFinished ? null : nowMs + leaseMs,
      nowMs,
    ]);
    return isFinished;
  }

  #batchSize(endpoints: number): number {
    const maxSize = this.#options.batch ?? maxBatchSize;
    return Math.max(1, Math.min(maxSize, Math.floor(maxDeliveriesRead / (endpoints + 1))));
  }
}

/** A replay is due when it is created and, for late commits, once more. */
const isSecondPass = (row: ReplayRow) => row.due_at !== row.created_at;

/** The next step of a replay that has examined its last event: a second pass for late commits, or done. */
function afterLastEvent(row: ReplayRow, nowMs: number): { state: string; lastEventId?: string; dueMs?: number } {
  // At most 15 s from now, even if `until` comes from a clock that was ahead.
  const dueMs = Math.min(Date.parse(row.until_at), nowMs) + lateCommitMs;
  if (isSecondPass(row) || nowMs >= dueMs) return { state: 'DONE' };
  const secondPassFromMs = Math.max(Date.parse(row.from_at), Date.parse(row.until_at) - lateCommitMs);
  return { state: 'RUNNING', lastEventId: leastUuidAt(secondPassFromMs), dueMs };
}
