import type { Clock } from '../../../../core/clock.ts';
import { byteaArray, plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { recordResults } from '../../delivery-queue/record-statements.ts';
import type { DeliveryResult } from './result.ts';

export interface RecorderOptions {
  database: Queryable;
  clock: Clock;
  /** Called once for each batch whose first write fails. */
  onError: (error: unknown) => void;
  onWritten: () => void;
  /** Results that did not count: another sender had claimed the delivery, or the database was away beyond the lease. */
  onDiscarded: (count: number) => void;
}

/**
 * A write starts at this many results, or after this delay. The receiver has been answered; but what is unwritten when the
 * process dies is sent again. A result of 400 takes PostgreSQL a tenth less than one of 200, one of a few much more.
 */
const flushThreshold = 256;
const flushDelayMs = 15;
const maxBatchSize = 500;
const retryPauseMs = 100;

/**
 * Writes results in batches, one statement each, fenced by their leases. While the database is away, results wait for as
 * long as their leases hold.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  #waiting: DeliveryResult[] = [];
  /** Results that are being written. */
  #written: readonly DeliveryResult[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  add(result: DeliveryResult): void {
    if (this.#isClosed) {
      this.#options.onDiscarded(1);
      return;
    }
    this.#waiting.push(result);
    if (this.#writing === undefined) this.#schedule();
  }

  /**
   * For a delivery that was claimed again before its result was written, because the clock jumped or the database was away
   * until its lease ran out: the result is written under the newer lease, and nothing is sent again. false: there is no
   * unwritten result.
   */
  renew(deliveryId: string, { lease, leasedUntilMs }: Pick<DeliveryResult, 'lease' | 'leasedUntilMs'>): boolean {
    const isOf = (result: DeliveryResult) => result.deliveryId === deliveryId;
    const result = this.#waiting.find(isOf) ?? this.#written.find(isOf);
    if (result === undefined) return false;
    result.lease = lease;
    result.leasedUntilMs = leasedUntilMs;
    return true;
  }

  /** Resolves when all results are written or discarded. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#writing !== undefined) {
      if (this.#writing === undefined) this.#startWrite();
      await this.#writing;
    }
  }

  /** Discards what is not written: the leases run out, and those deliveries are sent again. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#waiting.length >= flushThreshold) this.#startWrite();
    else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#startWrite(), flushDelayMs);
  }

  #startWrite(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#write(this.#waiting.splice(0, maxBatchSize)).then(() => {
      this.#writing = undefined;
      this.#schedule();
    });
  }

  async #write(batch: readonly DeliveryResult[]): Promise<void> {
    const { database, clock, onError, onWritten, onDiscarded } = this.#options;
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

/** The values of `recordResults`. */
function valuesOf(batch: readonly DeliveryResult[]): (string | Buffer)[] {
  const claims = new DistinctResults(isSameClaim, claimKey);
  const answers = new DistinctResults(isSameAnswer, answerKey);
  const claimIndexes = batch.map((result) => claims.indexOf(result));
  const answerIndexes = batch.map((result) => answers.indexOf(result));
  return [
    plainArray(batch.map((result) => result.deliveryId)),
    plainArray(batch.map((result) => result.endedMs)),
    plainArray(batch.map((result) => result.dueMs)),
    plainArray(batch.map((result) => result.durationMs)),
    plainArray(claimIndexes),
    plainArray(answerIndexes),
    plainArray(claims.values.map(({ tenantId }) => tenantId)),
    plainArray(claims.values.map(({ lease }) => lease)),
    plainArray(answers.values.map(({ state }) => state)),
    plainArray(answers.values.map(({ status }) => status)),
    plainArray(answers.values.map(({ outcome }) => outcome)),
    plainArray(answers.values.map(({ resent }) => resent)),
    plainArray(answers.values.map(({ address }) => address)),
    textArray(answers.values.map(({ headersJson }) => headersJson)),
    byteaArray(answers.values.map(({ body }) => body)),
  ];
}

const isSameClaim = (a: DeliveryResult, b: DeliveryResult) => a.lease === b.lease && a.tenantId === b.tenantId;
const claimKey = ({ tenantId, lease }: DeliveryResult) => `${tenantId} ${lease}`;

function isSameAnswer(a: DeliveryResult, b: DeliveryResult): boolean {
  const isSameOutcome = a.state === b.state && a.status === b.status && a.outcome === b.outcome;
  const isSameWay = a.resent === b.resent && a.address === b.address;
  return isSameOutcome && isSameWay && a.body === null && b.body === null && a.headersJson === b.headersJson;
}

function answerKey({ state, status, outcome, resent, address, headersJson, body }: DeliveryResult): string {
  return `${state} ${status} ${outcome} ${resent} ${address} ${headersJson} ${body?.toString('latin1')}`;
}

/** Distinct results in one respect, and their indexes, which begin at 1 as in PostgreSQL arrays. */
class DistinctResults {
  readonly values: DeliveryResult[] = [];
  readonly #isSame: (a: DeliveryResult, b: DeliveryResult) => boolean;
  readonly #keyOf: (result: DeliveryResult) => string;
  readonly #indexes = new Map<string, number>();
  #last: DeliveryResult | undefined;
  #lastIndex = 0;

  constructor(isSame: (a: DeliveryResult, b: DeliveryResult) => boolean, keyOf: (result: DeliveryResult) => string) {
    this.#isSame = isSame;
    this.#keyOf = keyOf;
  }

  /** Most results are like the one before: to build and hash the key of each took a third of encoding a batch. */
  indexOf(result: DeliveryResult): number {
    if (this.#last === undefined || !this.#isSame(this.#last, result)) {
      const key = this.#keyOf(result);
      this.#lastIndex = this.#indexes.get(key) ?? this.values.push(result);
      this.#indexes.set(key, this.#lastIndex);
      this.#last = result;
    }
    return this.#lastIndex;
  }
}
