import type { Queryable } from '../../../platform/postgres/database.ts';
import type { PlanRow } from './statements.ts';

/** Runs in the transaction that has locked the plan. */
type IsInUse = (transaction: Queryable, plan: PlanRow) => Promise<boolean>;

/** Whether a plan is in use and must keep its currency and interval. An extension point: subscriptions register. */
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
