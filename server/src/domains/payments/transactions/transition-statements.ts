import type { GenerateUuid } from '../../../core/id.ts';
import type { NamedType } from '../../../platform/postgres/columns.ts';
import { afterCommit, type Queryable, type Transaction } from '../../../platform/postgres/database.ts';
import { type Statement, statement, type Wake } from '../../../platform/postgres/statement.ts';
import { wakesDeliveries, wakesStreams } from '../../webhooks/events/append-events.cte.ts';
import { rollupsDue } from './totals/totals.cte.ts';
import {
  type Transition,
  type TransitionFollower,
  transitionCte,
  transitionInput,
  transitionParameters,
} from './transition.cte.ts';

/** A payment whose transition was applied. The number of deliveries that the statement enqueued is the same in every row. */
export interface TransitionedRow {
  id: string;
  deliveries: number;
  [changed: string]: unknown;
}

/** Applies transitions to payments, together with their totals, ledger transfers, events and followers. */
export class PaymentTransitions {
  readonly #followers: readonly TransitionFollower[];
  readonly #onApplied: ((transition: Transition) => void) | undefined;
  readonly #applyMany: Statement<TransitionedRow>;
  /** The topics that transitions make due; the statement must return `columns`. */
  readonly wakes: readonly Wake<TransitionedRow>[];
  readonly columns: string;

  /** `onApplied` is called for each transition that was applied, after the commit. */
  constructor(followers: readonly TransitionFollower[], onApplied?: (transition: Transition) => void) {
    this.#followers = followers;
    this.#onApplied = onApplied;
    this.wakes = [
      { topic: rollupsDue, when: (rows) => rows.length > 0 },
      wakesDeliveries,
      wakesStreams,
      ...followers.map(({ wakes: { topic, changed } }) => ({
        topic,
        when: ([row]: readonly TransitionedRow[]) => Number(row?.[changed] ?? 0) > 0,
      })),
    ];
    const counts = followers.map(({ wakes: { changed } }) => `, (select count(*) from ${changed}) as ${changed}`);
    this.columns = `id, (select count(*) from enqueued) as deliveries${counts.join('')}`;
    this.#applyMany = statement<TransitionedRow>(
      'transactions.move_many',
      `with move as (
         ${transitionInput()}
       ),
       ${this.cte()}
       select ${this.columns} from moved`,
      { wakes: this.wakes },
    );
  }

  /** `transitionCte` with the followers, for a statement that does more than apply transitions. */
  cte(further: readonly NamedType[] = []): string {
    return transitionCte(this.#followers, further);
  }

  /** Applies transitions and returns the ids of the changed payments. Skips payments whose version has changed. */
  async apply(
    database: Queryable | Transaction,
    transitions: readonly Transition[],
    generateUuid: GenerateUuid,
  ): Promise<Set<string>> {
    const rows = await database.run(this.#applyMany, transitionParameters(transitions, generateUuid, database));
    return this.applied(transitions, rows, database);
  }

  /**
   * The ids of the payments whose transitions a statement on `database` has applied, from the rows that it returned. Counts
   * them.
   */
  applied(
    transitions: readonly Transition[],
    rows: readonly Pick<TransitionedRow, 'id'>[],
    database: Queryable | Transaction,
  ): Set<string> {
    const ids = new Set(rows.map(({ id }) => id));
    const onApplied = this.#onApplied;
    if (onApplied !== undefined) {
      const applied = transitions.filter(({ row }) => ids.has(row.id));
      afterCommit(database, () => {
        for (const transition of applied) onApplied(transition);
      });
    }
    return ids;
  }
}
