import type { Clock } from '../../../../core/clock.ts';
import { encoders } from '../../../../platform/postgres/array-literal.ts';
import { columns } from '../../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { WriteBehind } from '../../../../platform/postgres/write-behind.ts';
import { recordResults } from '../../delivery-queue/record-statements.ts';
import type { DeliveryResult } from './result.ts';

export interface ResultWriterOptions {
  database: Queryable;
  clock: Clock;
  /** Called once for each batch whose first write fails. */
  onError: (error: unknown) => void;
  onWritten: () => void;
  /** Results that did not count: the delivery was claimed by another sender, or recorded after its lease. */
  onDiscarded: (count: number) => void;
}

/**
 * A write starts at this many results, or after this delay. The receiver has been answered; but what is unwritten when
 * the process dies is sent again. A result of 400 takes PostgreSQL a tenth less than one of 200, one of a few much
 * more.
 */
const flushThreshold = 256;
const flushDelayMs = 15;
const maxBatchSize = 500;
const retryPauseMs = 100;

/**
 * Writes results in batches, one statement each, fenced by their leases. While the database is unavailable, results
 * wait for as long as their leases hold.
 */
export class ResultWriter {
  readonly #options: ResultWriterOptions;
  readonly #results: WriteBehind<DeliveryResult>;
  /** Results that are being written. */
  #written: readonly DeliveryResult[] = [];
  #isClosed = false;

  constructor(options: ResultWriterOptions) {
    this.#options = options;
    this.#results = new WriteBehind({
      write: (batch) => this.#write(batch),
      delayMs: flushDelayMs,
      startAt: flushThreshold,
      maxBatch: maxBatchSize,
      onLost: options.onError,
    });
  }

  add(result: DeliveryResult): void {
    if (this.#isClosed) this.#options.onDiscarded(1);
    else this.#results.add(result);
  }

  /**
   * For a delivery that was claimed again before its result was written, because the clock jumped or the database was
   * unavailable until its lease ran out: the result is written under the newer lease, and nothing is sent again. false:
   * there is no unwritten result.
   */
  renew(deliveryId: string, { lease, leasedUntilMs }: Pick<DeliveryResult, 'lease' | 'leasedUntilMs'>): boolean {
    const isOf = (result: DeliveryResult) => result.deliveryId === deliveryId;
    const result = this.#results.waiting.find(isOf) ?? this.#written.find(isOf);
    if (result === undefined) return false;
    result.lease = lease;
    result.leasedUntilMs = leasedUntilMs;
    return true;
  }

  /** Resolves when all results added so far are written or discarded. */
  flush(): Promise<void> {
    return this.#results.flush();
  }

  /** Discards what is not written: the leases run out, and those deliveries are sent again. */
  close(): void {
    this.#isClosed = true;
  }

  /** Never rejects: writes again while the leases hold. */
  async #write(batch: readonly DeliveryResult[]): Promise<void> {
    const { database, clock, onError, onWritten, onDiscarded } = this.#options;
    if (this.#isClosed) batch = [];
    for (let tries = 1; batch.length > 0; tries++) {
      this.#written = batch;
      const leases = batch.map(({ lease }) => lease);
      try {
        const [row] = await database.run(recordResults, valuesOf(batch));
        onWritten();
        // The statement cannot have matched a lease that was renewed while it ran: those results are written again.
        const renewed = batch.filter(({ lease }, i) => lease !== leases[i]);
        const discarded = batch.length - renewed.length - (row?.applied ?? 0);
        if (discarded > 0) onDiscarded(discarded);
        batch = renewed;
      } catch (error) {
        if (tries === 1) onError(error);
        const leased = batch.filter((result) => !this.#isClosed && result.leasedUntilMs > clock());
        if (leased.length < batch.length) onDiscarded(batch.length - leased.length);
        batch = leased;
        this.#written = batch;
        if (batch.length > 0) await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      }
    }
    this.#written = [];
  }
}

/** What most results of a batch have in common, in the order of `recordResults`. */
const shared = columns<DeliveryResult>([
  ['tenant_id', 'bigint', ({ tenantId }) => tenantId],
  ['lease', 'uuid', ({ lease }) => lease],
  ['state', 'text', ({ state }) => state],
  ['due_ms', 'float8', ({ dueMs }) => dueMs],
  ['status', 'smallint', ({ status }) => status],
  ['outcome', 'text', ({ outcome }) => outcome],
  ['resent', 'boolean', ({ resent }) => resent],
  ['address', 'text', ({ address }) => address],
  ['headers', 'text', ({ headersJson }) => headersJson],
  ['body', 'bytea', ({ body }) => body],
]);

/** The values of `recordResults`. Indexes begin at 1, as in PostgreSQL arrays. */
function valuesOf(batch: readonly DeliveryResult[]): Buffer[] {
  const distinct: DeliveryResult[] = [];
  const indexes = new Map<string, number>();
  let last: DeliveryResult | undefined;
  let index = 0;
  const indexOf = (result: DeliveryResult): number => {
    // Most results are like the one before: to build and hash the key of each took a third of encoding a batch.
    if (last === undefined || !isAlike(last, result)) {
      const key = keyOf(result);
      index = indexes.get(key) ?? distinct.push(result);
      indexes.set(key, index);
      last = result;
    }
    return index;
  };
  return [
    encoders.uuid(batch.map(({ deliveryId }) => deliveryId)),
    encoders.float8(batch.map(({ endedMs }) => endedMs)),
    encoders.int(batch.map(({ durationMs }) => durationMs)),
    encoders.int(batch.map(indexOf)),
    ...shared.parametersOf(distinct),
  ];
}

function isAlike(a: DeliveryResult, b: DeliveryResult): boolean {
  const isSameClaim = a.lease === b.lease && a.tenantId === b.tenantId;
  const isSameOutcome = a.state === b.state && a.dueMs === b.dueMs && a.status === b.status && a.outcome === b.outcome;
  const isSameWay = a.resent === b.resent && a.address === b.address;
  return (
    isSameClaim && isSameOutcome && isSameWay && a.body === null && b.body === null && a.headersJson === b.headersJson
  );
}

function keyOf(result: DeliveryResult): string {
  const { tenantId, lease, state, dueMs, status, outcome, resent, address, headersJson, body } = result;
  return (
    `${tenantId} ${lease} ${state} ${dueMs} ${status} ${outcome} ${resent} ${address} ${headersJson} ` +
    `${body?.toString('latin1')}`
  );
}
