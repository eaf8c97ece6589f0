import { type Clock, secondMs } from '../../../../core/clock.ts';
import { typesMatching } from '../../../../core/event-types.ts';
import { leastUuidAt } from '../../../../core/id.ts';
import { Worker } from '../../../../platform/jobs/worker.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import { lockEndpoint } from '../../endpoints/statements.ts';
import { bringReplaysForward } from '../clock-set-back.ts';
import {
  advanceReplay,
  claimReplays,
  enqueueReplayed,
  lockReplay,
  type ReplayRow,
  releaseReplay,
  releaseReplayLeases,
} from './statements.ts';

export interface ReplayWorkerOptions {
  /** Uses one connection at a time. */
  database: Pick<Database, 'run' | 'transaction'>;
  clock: Clock;
  onError: (error: unknown) => void;
  onRecovered?: () => void;
  /** Events examined in one transaction at most. */
  batch?: number;
}

/** Replays that one node performs at the same time. */
const slots = 1;
const pollMs = secondMs;
/** Renewed with every batch, which takes at most 10 s, the statement timeout. */
const leaseMs = 30 * secondMs;
/** Pause between batches: limits a replay of millions to 5,000 events per second. */
const batchPauseMs = 100;
const maxBatchSize = 500;
/** Deliveries read for one batch: an index range of events contains the deliveries to all endpoints of the tenant. */
const maxDeliveriesRead = 50_000;
/**
 * An event whose transaction was open when the replay was created may become visible this much later, because a statement
 * takes at most 10 s. So the replay examines its last 15 s once more after that time.
 */
const lateCommitMs = 15 * secondMs;

interface LeasedReplay {
  tenant_id: number;
  id: string;
  endpoint_id: number;
  lease: string;
}

/**
 * Performs replays: enqueues deliveries in batches, one transaction each, which the `DeliveryWorker` sends. When a node
 * dies, its lease runs out and another node continues after the last committed batch.
 */
export class ReplayWorker {
  readonly #options: ReplayWorkerOptions;
  readonly #loop: Worker<LeasedReplay>;
  #isStopping = false;

  constructor(options: ReplayWorkerOptions) {
    const { onError, onRecovered } = options;
    this.#options = options;
    this.#loop = new Worker<LeasedReplay>({
      name: 'replays',
      claim: (freeSlots, lease) => this.#claim(freeSlots, lease),
      leases: {
        release: (leases) => options.database.run(releaseReplayLeases, [leases]),
        freeAll: async () => {},
        shortenWaits: () => bringReplaysForward(options.database, options.clock(), leaseMs),
      },
      keyOf: ({ id }) => id,
      perform: (replay) => this.#perform(replay),
      slots,
      pollMs: () => pollMs,
      onError,
      ...(onRecovered && { onRecovered }),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** A replay may be due: claim now, not at the next poll. */
  wake(): void {
    this.#loop.wake();
  }

  /** The database's clock was set back. */
  clockWasSetBack(): Promise<void> {
    return this.#loop.clockWasSetBack();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#loop.stop();
  }

  async #claim(freeSlots: number, lease: string): Promise<LeasedReplay[]> {
    const { database, clock } = this.#options;
    const nowMs = clock();
    const rows = await database.run(claimReplays, [nowMs, nowMs + leaseMs, freeSlots, lease]);
    return rows.map((row) => ({ ...row, lease }));
  }

  async #perform(replay: LeasedReplay): Promise<void> {
    while (!this.#isStopping) {
      const isFinished = await this.#options.database.transaction((transaction) => this.#runBatch(transaction, replay));
      if (isFinished) return;
      await new Promise((resolve) => setTimeout(resolve, batchPauseMs));
    }
    await this.#release(replay);
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

  async #release({ tenant_id, id, lease }: LeasedReplay): Promise<void> {
    await this.#options.database.run(releaseReplay, [tenant_id, id, lease]);
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
