import type { GenerateUuid } from '../../../core/id.ts';
import type { NamedType } from '../../../platform/postgres/columns.ts';
import {
  afterCommit,
  type Queryable,
  type Transaction,
  type Transactional,
} from '../../../platform/postgres/database.ts';
import { type Statement, statement, type Wake } from '../../../platform/postgres/statement.ts';
import { wakesDeliveries, wakesStreams } from '../../webhooks/events/append-events.cte.ts';
import type { InvoicePayments } from './invoice-payments.ts';
import type { TransactionRow } from './statements.ts';
import { isFinal } from './states.ts';
import { rollupsDue } from './totals/totals.cte.ts';
import { type Transition, transitionCte, transitionInput, transitionParameters } from './transition.cte.ts';

/**
 * A payment whose transition was applied. The number of deliveries that the statement enqueued is the same in every
 * row.
 */
export interface TransitionedRow {
  id: string;
  deliveries: number;
  [changed: string]: unknown;
}

/**
 * Applies transitions to payments, together with their totals, ledger transfers and events, and with their invoices.
 */
export class PaymentTransitions {
  readonly #invoicePayments: Pick<InvoicePayments, 'lock' | 'follow'>;
  readonly #onApplied: ((transition: Transition) => void) | undefined;
  readonly #applyMany: Statement<TransitionedRow>;
  /** The topics that transitions make due; the statement must return `columns`. */
  readonly wakes: readonly Wake<TransitionedRow>[];
  readonly columns: string;

  /** `onApplied` is called for each transition that was applied, after the commit. */
  constructor(invoicePayments: Pick<InvoicePayments, 'lock' | 'follow'>, onApplied?: (transition: Transition) => void) {
    this.#invoicePayments = invoicePayments;
    this.#onApplied = onApplied;
    this.wakes = [{ topic: rollupsDue, when: (rows) => rows.length > 0 }, wakesDeliveries, wakesStreams];
    this.columns = 'id, (select count(*) from enqueued) as deliveries';
    this.#applyMany = statement<TransitionedRow>(
      'transactions.transition_many',
      `with move as (
         ${transitionInput()}
       ),
       ${this.cte()}
       select ${this.columns} from moved`,
      { wakes: this.wakes },
    );
  }

  /** `transitionCte`, for a statement that does more than apply transitions. */
  cte(further: readonly NamedType[] = []): string {
    return transitionCte(further);
  }

  /**
   * Applies transitions and returns the ids of the changed payments. Skips payments whose version has changed. A
   * transition that concerns an invoice (`concernsInvoice`) requires a transaction that holds `lockInvoices`.
   */
  async apply(
    database: Queryable | Transaction,
    transitions: readonly Transition[],
    generateUuid: GenerateUuid,
  ): Promise<Set<string>> {
    const parameters = transitionParameters(transitions, generateUuid, database);
    return this.applyIn((queryable) => queryable.run(this.#applyMany, parameters), transitions, database);
  }

  /** The same, with the locks that it requires. */
  applyLocked(
    database: Transactional,
    transitions: readonly Transition[],
    generateUuid: GenerateUuid,
  ): Promise<Set<string>> {
    const parameters = transitionParameters(transitions, generateUuid, database);
    return this.applyBy((queryable) => queryable.run(this.#applyMany, parameters), transitions, database);
  }

  /**
   * Runs a statement that applies transitions. If any of them concerns an invoice, the invoices are locked before and
   * settled afterwards, in one transaction with the statement. Otherwise the statement runs alone.
   */
  async applyBy(
    run: (database: Queryable) => Promise<TransitionedRow[]>,
    transitions: readonly Transition[],
    database: Transactional,
  ): Promise<Set<string>> {
    const concerned = transitions.filter(concernsInvoice).map(({ row }) => row);
    if (concerned.length === 0) return this.applyIn(run, transitions, database);
    return database.transaction(async (transaction) => {
      await this.lockInvoices(transaction, concerned);
      return this.applyIn(run, transitions, transaction);
    });
  }

  /**
   * The same without locks: where a transition concerns an invoice, `database` is a transaction that holds
   * `lockInvoices`.
   */
  async applyIn(
    run: (database: Queryable) => Promise<TransitionedRow[]>,
    transitions: readonly Transition[],
    database: Queryable | Transaction,
  ): Promise<Set<string>> {
    const rows = await run(database);
    await this.#follow(database, transitions, rows);
    return this.#applied(transitions, rows, database);
  }

  /** Locks the invoices of payments. To avoid deadlocks, invoices are locked before payments. */
  async lockInvoices(transaction: Queryable, payments: readonly TransactionRow[]): Promise<void> {
    const invoices = payments.flatMap(({ tenant_id: tenantId, invoice_id: invoiceId }) =>
      invoiceId === null ? [] : [{ tenantId, invoiceId }],
    );
    if (invoices.length > 0) await this.#invoicePayments.lock(transaction, invoices);
  }

  async #follow(
    transaction: Queryable,
    transitions: readonly Transition[],
    rows: readonly Pick<TransitionedRow, 'id'>[],
  ): Promise<void> {
    const ids = new Set(rows.map(({ id }) => id));
    const followed = transitions.filter((transition) => concernsInvoice(transition) && ids.has(transition.row.id));
    if (followed.length > 0) await this.#invoicePayments.follow(transaction, followed);
  }

  /** The ids of the payments whose transitions were applied on `database`. Counts them. */
  #applied(
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

/** Whether a payment of an invoice ends, or begins to wait for its payer. */
export function concernsInvoice({ row, to, requiresAction = false }: Transition): boolean {
  return row.invoice_id !== null && !isFinal(row.status) && (isFinal(to) || requiresAction);
}
