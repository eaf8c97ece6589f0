import type { DrawUuid } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type Statement, statement } from '../../../platform/postgres/statement.ts';
import { wakesSenders } from '../../webhooks/events/append-events.cte.ts';
import { rollupsDue } from './totals.cte.ts';
import {
  type FurtherColumn,
  type Transition,
  type TransitionFollower,
  transitionCte,
  transitionInput,
  valuesOfTransitions,
} from './transition.cte.ts';

/** Moves payments along their transitions, together with their totals, ledger, events and everyone who follows. */
export class PaymentTransitions {
  readonly #followers: readonly TransitionFollower[];
  readonly #many: Statement<{ id: string; deliveries: number }>;

  constructor(followers: readonly TransitionFollower[]) {
    this.#followers = followers;
    this.#many = statement<{ id: string; deliveries: number }>(
      'transactions.move_many',
      `with move as (
         ${transitionInput()}
       ),
       ${this.cte()}
       select id, (select count(*) from enqueued) as deliveries from moved`,
      { wakes: [{ topic: rollupsDue, when: (rows) => rows.length > 0 }, wakesSenders] },
    );
  }

  /** The CTEs of a transition, for a statement that does more: from a CTE `move` with these further columns. */
  cte(further: readonly FurtherColumn[] = []): string {
    return transitionCte(this.#followers, further);
  }

  /** Applies transitions and returns the ids of the payments that moved; one that has changed meanwhile stays as it is. */
  async apply(database: Queryable, transitions: readonly Transition[], drawUuid: DrawUuid): Promise<Set<string>> {
    const rows = await database.run(this.#many, valuesOfTransitions(transitions, drawUuid));
    return new Set(rows.map(({ id }) => id));
  }
}
