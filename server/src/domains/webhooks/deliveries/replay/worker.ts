import { type Clock, secondMs } from '../../../../core/clock.ts';
import { typesMatching } from '../../../../core/event-types.ts';
import { leastUuidAt } from '../../../../core/id.ts';
import { ClaimLoop } from '../../../../platform/jobs/claim-loop.ts';
import type { Database, Queryable } from '../../../../platform/postgres/database.ts';
import { lockEndpoint } from '../../endpoints/endpoint-statements.ts';
import { bringReplaysForward } from '../set-back.ts';
import {
  advanceReplay,
  claimReplays,
  enqueueAgain,
  giveBackReplays,
  lockReplay,
  type ReplayRow,
  releaseReplay,
} from './statements.ts';

export interface ReplayWorkerOptions {
  /** One connection of it is used at a time. */
  database: Pick<Database, 'run' | 'transaction'>;
  clock: Clock;
  onError: (error: unknown) => void;
  onRecovered?: () => void;
  /** Events in one transaction at most. */
  batch?: number;
}

/** Replays worked off by one node at the same time: it uses one connection. */
const slots = 1;
const pollMs = secondMs;
/** Renewed with every batch, which a database that is alive writes within 10 s. */
const leaseMs = 30 * secondMs;
/** Between two batches, so that a replay of millions takes a share of the database and no more: 5,000 events a second. */
const pauseMs = 100;
const largestBatch = 500;
/** Deliveries stand in the order of their events, those to all endpoints of a tenant together: so many are read for one batch. */
const deliveriesRead = 50_000;
/**
 * What was happening when the replay was asked for may become visible this much later: a statement takes 10 s at most.
 * So its last stretch is looked at once more then.
 */
const settledAfterMs = 15 * secondMs;

interface Held {
  tenant_id: number;
  id: string;
  endpoint_id: number;
  lease: string;
}

/**
 * Works replays off, in batches of one transaction each, on whichever node: it makes deliveries, and the sender sends them.
 * When a node dies its lease runs out and another goes on behind the last batch that was written.
 */
export class ReplayWorker {
  readonly #options: ReplayWorkerOptions;
  readonly #loop: ClaimLoop<Held>;
  #isStopping = false;

  constructor(options: ReplayWorkerOptions) {
    const { onError, onRecovered } = options;
    this.#options = options;
    this.#loop = new ClaimLoop<Held>({
      claim: (room, lease) => this.#claim(room, lease),
      giveBack: async (leases) => {
        await options.database.run(giveBackReplays, [leases]);
      },
      keyOf: ({ id }) => id,
      renew: (inFlight, { lease }) => Object.assign(inFlight, { lease }),
      perform: (held) => this.#workOff(held),
      release: async (notStarted) => {
        for (const held of notStarted) await this.#release(held);
      },
      slots: () => slots,
      maxBatch: slots,
      pollMs: () => pollMs,
      onError: onError,
      ...(onRecovered && { onRecovered }),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** A replay has just been asked for here. */
  wake(): void {
    this.#loop.wake();
  }

  /** The database's clock was set back. */
  async clockWasSetBack(): Promise<void> {
    const { database, clock } = this.#options;
    await bringReplaysForward(database, clock(), leaseMs);
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#loop.stop();
    await this.#loop.drained();
  }

  async #claim(room: number, lease: string): Promise<Held[]> {
    const { database, clock } = this.#options;
    const nowMs = clock();
    const rows = await database.run(claimReplays, [nowMs, nowMs + leaseMs, room, lease]);
    return rows.map((row) => ({ ...row, lease }));
  }

  async #workOff(held: Held): Promise<void> {
    while (!this.#isStopping) {
      const isOver = await this.#options.database.transaction((transaction) => this.#batch(transaction, held));
      if (isOver) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    await this.#release(held);
  }

  /** One batch, written together with how far it came. Over: nothing more is to be done now, or it is another node's. */
  async #batch(transaction: Queryable, held: Held): Promise<boolean> {
    const { tenant_id, id, lease, endpoint_id } = held;
    const [row] = await transaction.run(lockReplay, [tenant_id, id, lease]);
    if (row === undefined) return true;
    const [endpoint] = await transaction.run(lockEndpoint, [[tenant_id], endpoint_id]);
    const nowMs = this.#options.clock();
    if (endpoint?.state !== true) {
      const values = [tenant_id, id, 'STOPPED', row.last_event_id, 0, 0, nowMs, null, nowMs];
      await transaction.run(advanceReplay, values);
      return true;
    }
    const size = this.#sizeOfBatch(row.endpoints);
    const [made] = await transaction.run(enqueueAgain, [
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
    const { looked = 0, enqueued = 0, last_event_id = null } = made ?? {};
    const isOver = looked < size;
    const next = isOver ? afterTheLast(row, nowMs) : { state: 'RUNNING' };
    await transaction.run(advanceReplay, [
      tenant_id,
      id,
      next.state,
      next.lastEventId ?? last_event_id ?? row.last_event_id,
      isSecondLook(row) ? 0 : looked,
      enqueued,
      next.dueMs ?? Date.parse(row.due_at),
      isOver ? null : nowMs + leaseMs,
      nowMs,
    ]);
    return isOver;
  }

  #sizeOfBatch(endpoints: number): number {
    const atMost = this.#options.batch ?? largestBatch;
    return Math.max(1, Math.min(atMost, Math.floor(deliveriesRead / (endpoints + 1))));
  }

  async #release({ tenant_id, id, lease }: Held): Promise<void> {
    await this.#options.database.run(releaseReplay, [tenant_id, id, lease]);
  }
}

/** A replay is due when it is asked for, and then once more. */
const isSecondLook = (row: ReplayRow) => row.due_at !== row.created_at;

/** What becomes of a replay that found no more events: done, or to be looked at again when late ones must be there. */
function afterTheLast(row: ReplayRow, nowMs: number): { state: string; lastEventId?: string; dueMs?: number } {
  // No later than 15 s from now, whatever a clock that was ahead made of `until`.
  const dueMs = Math.min(Date.parse(row.until_at), nowMs) + settledAfterMs;
  if (isSecondLook(row) || nowMs >= dueMs) return { state: 'DONE' };
  const againFromMs = Math.max(Date.parse(row.from_at), Date.parse(row.until_at) - settledAfterMs);
  return { state: 'RUNNING', lastEventId: leastUuidAt(againFromMs), dueMs };
}
