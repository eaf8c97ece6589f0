import type { DrawUuid } from '../../../core/id.ts';
import type { NamedType } from '../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
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

/** A payment that was moved; what the statement has enqueued is the same in every row. */
export interface MovedRow {
  id: string;
  deliveries: number;
  [changed: string]: unknown;
}

/** Applies transitions to payments, together with their totals, ledger transfers, events and followers. */
export class PaymentTransitions {
  readonly #followers: readonly TransitionFollower[];
  readonly #onMoved: ((transition: Transition) => void) | undefined;
  readonly #applyMany: Statement<MovedRow>;
  /** The topics that moved payments make due; the statement must return `columns`. */
  readonly wakes: readonly Wake<MovedRow>[];
  readonly columns: string;

  /** `onMoved` is called for each transition that was applied; one within a transaction can still be rolled back. */
  constructor(followers: readonly TransitionFollower[], onMoved?: (transition: Transition) => void) {
    this.#followers = followers;
    this.#onMoved = onMoved;
    this.wakes = [
      { topic: rollupsDue, when: (rows) => rows.length > 0 },
      wakesDeliveries,
      wakesStreams,
      ...followers.map(({ wakes: { topic, changed } }) => ({
        topic,
        when: ([row]: readonly MovedRow[]) => Number(row?.[changed] ?? 0) > 0,
      })),
    ];
    const counts = followers.map(({ wakes: { changed } }) => `, (select count(*) from ${changed}) as ${changed}`);
    this.columns = `id, (select count(*) from enqueued) as deliveries${counts.join('')}`;
    this.#applyMany = statement<MovedRow>(
      'transactions.move_many',
      `with move as (
         ${transitionInput()}
       ),
       ${this.cte()}
       select ${this.columns} from moved`,
      { wakes: this.wakes },
    );
  }

  /** `transitionCte` with the followers of this node, for a statement that does more than apply transitions. */
  cte(further: readonly NamedType[] = []): string {
    return transitionCte(this.#followers, further);
  }

  /** Applies transitions and returns the ids of the payments changed. A payment with a newer version is left as it is. */
  async apply(database: Queryable, transitions: readonly Transition[], drawUuid: DrawUuid): Promise<Set<string>> {
    const rows = await database.run(this.#applyMany, transitionParameters(transitions, drawUuid));
    return this.movedOf(transitions, rows);
  }

  /** The ids of the payments that a statement has moved, which are counted here. */
  movedOf(transitions: readonly Transition[], rows: readonly Pick<MovedRow, 'id'>[]): Set<string> {
    const moved = new Set(rows.map(({ id }) => id));
    for (const transition of transitions) if (moved.has(transition.row.id)) this.#onMoved?.(transition);
    return moved;
  }
}
