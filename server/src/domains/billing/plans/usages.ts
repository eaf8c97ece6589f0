import type { Queryable } from '../../../platform/postgres/database.ts';
import type { PlanRow } from './statements.ts';

/** Whether something uses a plan. Runs in the transaction that holds the plan's lock. */
type IsInUse = (transaction: Queryable, plan: PlanRow) => Promise<boolean>;

/** Tells whether a plan is in use, so that its price can no longer change. An extension point: subscriptions register. */
export class PlanUsages {
  readonly #usages: IsInUse[] = [];

  register(isInUse: IsInUse): void {
    this.#usages.push(isInUse);
  }

  async isInUse(transaction: Queryable, plan: PlanRow): Promise<boolean> {
    for (const isInUse of this.#usages) if (await isInUse(transaction, plan)) return true;
    return false;
  }
}
