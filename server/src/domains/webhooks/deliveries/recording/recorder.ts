import type { Clock } from '../../../../core/clock.ts';
import { byteaArray, plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { Result } from './result.ts';
import { recordResults } from './statements.ts';

export interface RecorderOptions {
  database: Queryable;
  clock: Clock;
  /** Told once for each batch that cannot be written at first. */
  onError: (error: unknown) => void;
  onWritten: () => void;
  /** Told of results that did not count: another sender had taken the delivery over, or the database stayed away. */
  onLost: (count: number) => void;
}

/** Enough for one statement to be cheap, or this long: a row's lease does not mind, and the receiver has its answer. */
const gatheredResults = 128;
const gatherMs = 5;
const maximumBatch = 500;
const retryPauseMs = 100;

/** Writes results many in one statement. While the database is away they wait, as long as their leases hold. */
export class Recorder {
  readonly #options: RecorderOptions;
  #waiting: Result[] = [];
  /** What is waiting or being written, by delivery. */
  readonly #unwritten = new Map<string, Result>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #closed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  add(result: Result): void {
    if (this.#closed) {
      this.#options.onLost(1);
      return;
    }
    this.#waiting.push(result);
    this.#unwritten.set(result.deliveryId, result);
    if (this.#writing !== undefined) return;
    if (this.#waiting.length >= gatheredResults) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), gatherMs);
  }

  /**
   * A delivery whose result is still to be written has been claimed once more: the clock jumped, or the database was away
   * until its lease ran out. The result is written under the newer lease, and nothing is sent again. False: there is none.
   */
  renew(deliveryId: string, { lease, leasedUntilMs }: Pick<Result, 'lease' | 'leasedUntilMs'>): boolean {
    const result = this.#unwritten.get(deliveryId);
    if (result === undefined) return false;
    result.lease = lease;
    result.leasedUntilMs = leasedUntilMs;
    return true;
  }

  /** Writes all there is; resolves when that is done, or cannot be any more. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#writing !== undefined) {
      if (this.#writing === undefined) this.#begin();
      await this.#writing;
    }
  }

  /** Gives up on what is not written by now: its leases run out, and it is sent again. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#write(this.#waiting.splice(0, maximumBatch)).then(() => {
      this.#writing = undefined;
      if (this.#waiting.length >= gatheredResults) this.#begin();
      else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#begin(), gatherMs);
    });
  }

  async #write(batch: Result[]): Promise<void> {
    const { database, clock, onError, onWritten, onLost } = this.#options;
    for (let tries = 1; ; tries++) {
      const leases = batch.map(({ lease }) => lease);
      try {
        const [row] = await database.run(recordResults, columnsOf(batch));
        onWritten();
        // A lease that was replaced while the statement was on its way cannot have been found by it.
        const renewed = batch.filter(({ lease }, i) => lease !== leases[i]);
        const lost = batch.length - renewed.length - (row?.applied ?? 0);
        if (lost > 0) onLost(lost);
        this.#forget(batch.filter(({ lease }, i) => lease === leases[i]));
        if (renewed.length === 0) return;
        batch = renewed;
      } catch (error) {
        if (tries === 1) onError(error);
        const isHeld = (result: Result) => !this.#closed && result.leasedUntilMs > clock();
        const given = batch.filter((result) => !isHeld(result));
        if (given.length > 0) onLost(given.length);
        this.#forget(given);
        batch = batch.filter((result) => !given.includes(result));
        if (batch.length === 0) return;
        await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      }
    }
  }

  #forget(results: readonly Result[]): void {
    for (const result of results) {
      if (this.#unwritten.get(result.deliveryId) === result) this.#unwritten.delete(result.deliveryId);
    }
  }
}

/** The values of `recordResults`. */
function columnsOf(batch: readonly Result[]): (string | Buffer)[] {
  const holdings = new Distinct<Result>();
  const endings = new Distinct<Result>();
  const holding = batch.map((result) => holdings.placeOf(`${result.tenantId} ${result.lease}`, result));
  const ending = batch.map((result) => endings.placeOf(endingOf(result), result));
  return [
    plainArray(batch.map((result) => result.deliveryId)),
    plainArray(batch.map((result) => result.endedMs)),
    plainArray(batch.map((result) => result.dueMs)),
    plainArray(batch.map((result) => result.durationMs)),
    plainArray(holding),
    plainArray(ending),
    plainArray(holdings.values.map(({ tenantId }) => tenantId)),
    plainArray(holdings.values.map(({ lease }) => lease)),
    plainArray(endings.values.map(({ state }) => state)),
    plainArray(endings.values.map(({ status }) => status)),
    plainArray(endings.values.map(({ outcome }) => outcome)),
    plainArray(endings.values.map(({ resent }) => resent)),
    plainArray(endings.values.map(({ address }) => address)),
    textArray(endings.values.map(({ headersJson }) => headersJson)),
    byteaArray(endings.values.map(({ body }) => body)),
  ];
}

/** What is the same for many: a receiver's usual answer. */
function endingOf({ state, status, outcome, resent, address, headersJson, body }: Result): string {
  return `${state} ${status} ${outcome} ${resent} ${address} ${headersJson} ${body?.toString('latin1')}`;
}

/** Values that differ, each at its place, counted from 1 as PostgreSQL counts. */
class Distinct<Value> {
  readonly values: Value[] = [];
  readonly #places = new Map<string, number>();

  placeOf(key: string, value: Value): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.values.push(value);
    this.#places.set(key, place);
    return place;
  }
}
