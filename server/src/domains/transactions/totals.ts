import type { Queryable } from '../../platform/postgres/database.ts';
import { statement } from '../../platform/postgres/statement.ts';

/** Change rows taken in one go: enough for a second at full speed, short enough to hold no one up. */
const foldAtMost = 20_000;

/**
 * Moves what has gathered in transaction_total_delta into transaction_total, each cell into all eight of its
 * combinations. One statement: a reader sees every payment either there or here, never twice or not at all. Two nodes
 * may fold at once: each takes rows the other has not, and both write in key order.
 */
const fold = statement<{ folded: number }>(
  'transactions.fold_totals',
  `with taken as (
     delete from transaction_total_delta
      where ctid = any (array(select ctid from transaction_total_delta limit ${foldAtMost} for update skip locked))
     returning *
   ),
   folded as (
     insert into transaction_total as total (tenant_id, channel_id, user_id, status, day, currency, count, amount)
     select tenant_id, coalesce(channel_id, 0), coalesce(user_id, 0), coalesce(status, '*'), day, currency,
            sum(count), sum(amount)
       from taken
      group by tenant_id, day, currency, cube (channel_id, user_id, status)
      order by 1, 2, 3, 4, 5, 6
     on conflict (tenant_id, channel_id, user_id, status, day, currency)
     do update set count = total.count + excluded.count, amount = total.amount + excluded.amount
   )
   select count(*) as folded from taken`,
);

/** Folds until nothing is left. */
export async function foldTotals(database: Queryable): Promise<void> {
  for (;;) {
    const [row] = await database.run(fold);
    if ((row?.folded ?? 0) < foldAtMost) return;
  }
}

const foldEveryMs = 1_000;
/** Changes of other nodes, or of a process that died before folding, are found at this pace. */
const foldIdleEveryMs = 15_000;

/** Folds the totals every second or so while payments are written here, and rarely otherwise. */
export class TotalsFolder {
  readonly #database: Queryable;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Number.POSITIVE_INFINITY;
  #folding: Promise<void> = Promise.resolve();
  #running = false;

  constructor(database: Queryable, onFailure: (error: unknown) => void) {
    this.#database = database;
    this.#onFailure = onFailure;
  }

  start(): void {
    this.#running = true;
    this.#schedule(foldEveryMs);
  }

  /** Payments were written. */
  wake(): void {
    if (this.#dueAtMs > performance.now() + foldEveryMs) this.#schedule(foldEveryMs);
  }

  async stop(): Promise<void> {
    this.#running = false;
    clearTimeout(this.#timer);
    await this.#folding;
  }

  #schedule(inMs: number): void {
    if (!this.#running) return;
    clearTimeout(this.#timer);
    this.#dueAtMs = performance.now() + inMs;
    this.#timer = setTimeout(() => {
      // While it runs nothing is due: a wake meanwhile plans the next run.
      this.#dueAtMs = performance.now() + foldIdleEveryMs;
      this.#folding = foldTotals(this.#database)
        .catch(this.#onFailure)
        .then(() => {
          if (this.#dueAtMs - performance.now() > foldEveryMs) this.#schedule(foldIdleEveryMs);
        });
    }, inMs);
  }
}
