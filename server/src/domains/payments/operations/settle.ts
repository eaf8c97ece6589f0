import { type Clock, secondMs } from '../../../core/clock.ts';
import { type GenerateUuid, publicId } from '../../../core/id.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import { Batcher } from '../../../platform/postgres/batcher.ts';
import type { Queryable, Transaction, Transactional } from '../../../platform/postgres/database.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { OperatorWarnings } from '../channels/operator-warnings.ts';
import { type ChargeMethods, involvesMethod } from '../methods/charges.ts';
import { setMethodOfNext } from '../operation-queue/statements.ts';
import { findRefund, type RefundRow } from '../refunds/statements.ts';
import { concernsInvoice, type Payments } from '../transactions/payments.ts';
import { transitionParameters } from '../transactions/transition.cte.ts';
import { type DiscrepancyReporterDeps, reportContradiction, reportDifference } from './discrepancies/open.ts';
import { differenceOf, type Report } from './discrepancies/rules.ts';
import { nextChannelFor } from './fallback.ts';
import { settleOperations } from './settle-statements.ts';
import {
  contradicts,
  type FinalOutcome,
  reverses,
  type Settlement,
  type SettlementFacts,
  settlementOf,
  valuesOfSettlements,
} from './settlement.ts';
import { findOfPayment, type OperationRow } from './statements.ts';
import { isFinished, type SettledBy } from './states.ts';

export interface SettlerDeps {
  /** Used for two settling statements at a time: one of payments of invoices, one of all others. */
  database: Transactional;
  channels: ChannelDirectory;
  payments: Payments;
  chargeMethods: ChargeMethods;
  clock: Clock;
  generateUuid: GenerateUuid;
  /**
   * Called when an outcome contradicts the settled one, or is of another amount or mode, and when a provider knows
   * none.
   */
  onDiscrepancy: DiscrepancyReporterDeps['onDiscrepancy'];
  operatorWarnings: Pick<OperatorWarnings, 'failed'>;
}

/** The lease that is required, and the provider calls and look-ups that the outcome took. */
export type SettleOptions = Pick<SettlementFacts, 'lease' | 'calls' | 'lookUps'>;

const maximumBatch = 200;
const maximumQueued = 20_000;
/** How long a batch is retried while the database restarts. Then the operation is looked up instead. */
const retryForMs = 5 * secondMs;
/** How often a settlement is computed again because another node, or a request, has changed the payment meanwhile. */
const maximumTries = 20;

/**
 * Writes final outcomes: payment, totals, ledger, refund, event, deliveries and operation together in one statement, or
 * none of them; many settlements share a statement. The invoice of a payment is settled in the same transaction. A
 * final payment status never changes afterwards, except when a refund fails after it had succeeded. Contradicting
 * outcomes open a discrepancy.
 */
export class Settler {
  readonly #deps: SettlerDeps;
  readonly #batcher: Batcher<Settlement, boolean>;
  /**
   * Of payments of invoices and with payment methods, whose settlement waits for locks on the invoices and customers.
   */
  readonly #slowBatcher: Batcher<Settlement, boolean>;
  /**
   * By payment, because a statement can change a payment only once: many refunds of one payment may be answered
   * together.
   */
  readonly #turns = new KeyedMutex<string>();

  constructor(deps: SettlerDeps) {
    this.#deps = deps;
    const batching = {
      run: (settlements: readonly Settlement[]) => this.#write(settlements),
      maxBatch: maximumBatch,
      maxQueued: maximumQueued,
      retryForMs,
    };
    this.#batcher = new Batcher(batching);
    this.#slowBatcher = new Batcher(batching);
  }

  /**
   * Resolves when the outcome is committed, or was before. `mismatch`: the outcome is of another amount, currency or
   * mode, so nothing was settled; a discrepancy is open, and the caller must have the operation looked up again.
   */
  async settle(
    row: OperationRow,
    outcome: FinalOutcome,
    by: SettledBy,
    options: SettleOptions = {},
  ): Promise<'settled' | 'mismatch'> {
    if (await this.reportDifference(row, outcome, by)) return 'mismatch';
    await this.#turns.take(row.id, async (hasWaited) =>
      this.#settleInTurn(hasWaited ? await this.#read(row) : row, outcome, by, options),
    );
    return 'settled';
  }

  /**
   * Settles an operation in the caller's transaction, with the outcome that a user has found at the provider. Returns
   * false if that contradicts what is settled: nothing is changed then. A charge that failed is not tried through
   * another channel.
   */
  async settleByUser(row: OperationRow, outcome: FinalOutcome, transaction: Transaction): Promise<boolean> {
    const { payments, clock } = this.#deps;
    await payments.lockInvoices(transaction, [row]);
    for (let tries = 0; tries < maximumTries; tries++) {
      const current = await this.#read(row, transaction);
      if (current === undefined) return false;
      if (isFinished(current.state)) return (current.state === 'SUCCEEDED') === (outcome.kind === 'succeeded');
      if (contradicts(current, outcome)) return false;
      const refund = await this.#readRefund(current, transaction);
      const settlement = settlementOf({ row: current, outcome, by: 'user', refund, atMs: clock() });
      const run = this.#settling([settlement], transaction);
      if ((await payments.runTransitions(run, [settlement.transition], transaction)).has(row.id)) return true;
    }
    throw changedTooOften(row);
  }

  /**
   * Opens a discrepancy about a report of another amount, currency or mode, which is never booked. Returns whether it
   * is one.
   */
  async reportDifference(row: OperationRow, report: Report, by: SettledBy): Promise<boolean> {
    const difference = differenceOf(row, report);
    if (difference !== undefined) await reportDifference(row, report, difference, by, this.#deps);
    return difference !== undefined;
  }

  /** Opens a discrepancy about an operation of which the provider can no longer say anything. */
  reportForgotten(row: OperationRow, by: SettledBy): Promise<void> {
    return reportDifference(row, { kind: null }, 'forgotten', by, this.#deps);
  }

  /** Whether a charge with this outcome would be tried through another channel. */
  async hasFallback(row: OperationRow, outcome: FinalOutcome): Promise<boolean> {
    return (await nextChannelFor(row, outcome, this.#deps)) !== null;
  }

  /** How long the oldest outcome has waited to be written, in ms. */
  get oldestWaitMs(): number {
    return Math.max(this.#batcher.oldestWaitMs, this.#slowBatcher.oldestWaitMs);
  }

  drained(): Promise<void> {
    return this.#turns.drained();
  }

  async #settleInTurn(
    row: OperationRow | undefined,
    outcome: FinalOutcome,
    by: SettledBy,
    options: SettleOptions,
  ): Promise<void> {
    const { chargeMethods } = this.#deps;
    let current = row;
    let isReported = false;
    for (let tries = 0; tries < maximumTries; tries++) {
      if (current === undefined) return;
      if (!isReported && contradicts(current, outcome, options.calls)) {
        isReported = true;
        await reportContradiction(current, outcome, by, this.#deps);
      }
      if (isFinished(current.state) && !reverses(current, outcome, options.calls)) return;
      const facts: SettlementFacts = { row: current, outcome, by, ...options, atMs: this.#deps.clock() };
      const nextChannel = await nextChannelFor(current, outcome, this.#deps);
      const refund = await this.#readRefund(current);
      const method =
        involvesMethod(current) && by !== 'nothing'
          ? await chargeMethods.effectOf(current, outcome, by === 'look_up')
          : null;
      const settlement = settlementOf({ ...facts, nextChannel, refund, method });
      const needsTransaction = concernsInvoice(settlement.transition) || concernsMethod(settlement);
      const batcher = needsTransaction ? this.#slowBatcher : this.#batcher;
      if (await batcher.add(settlement)) return this.#warnOperator(settlement, current);
      current = await this.#read(current);
    }
    throw changedTooOften(row);
  }

  /** A cancellation that comes too late, and a request that was not sent, are no reason to warn. */
  async #warnOperator({ failure, settledBy }: Settlement, row: OperationRow): Promise<void> {
    if (failure === null || row.kind === 'CANCEL' || settledBy === 'nothing') return;
    await this.#deps.operatorWarnings.failed({
      channelId: row.operation_channel_id,
      provider: row.operation_provider,
      failure,
      facts: { transactionId: publicId('txn', row.id), operation: row.number },
    });
  }

  /** The refund of the operation, for the event that reports its outcome. */
  async #readRefund(row: OperationRow, database: Queryable = this.#deps.database): Promise<RefundRow | undefined> {
    if (row.kind !== 'REFUND') return undefined;
    const [refund] = await database.run(findRefund, [[row.tenant_id], row.refund_id]);
    return refund;
  }

  /**
   * Returns for each settlement whether it was applied. Sorted, because all settlers must lock payments in one order.
   */
  async #write(settlements: readonly Settlement[]): Promise<boolean[]> {
    const { database, payments } = this.#deps;
    const sorted = settlements.toSorted(({ transition: { row: a } }, { transition: { row: b } }) =>
      a.id < b.id ? -1 : 1,
    );
    const attempted = sorted.map(({ transition }) => transition);
    const applied = sorted.some(concernsMethod)
      ? await this.#writeWithMethods(sorted)
      : await payments.runTransitionsWithInvoices(this.#settling(sorted, database), attempted, database);
    return settlements.map(({ transition }) => applied.has(transition.row.id));
  }

  /** The same in one transaction with the payment methods that the charges have kept, or that failed. */
  async #writeWithMethods(settlements: readonly Settlement[]): Promise<Set<string>> {
    const { database, payments, chargeMethods } = this.#deps;
    return database.transaction(async (transaction) => {
      const ofInvoices = settlements.map(({ transition }) => transition).filter(concernsInvoice);
      await payments.lockInvoices(
        transaction,
        ofInvoices.map(({ row }) => row),
      );
      await chargeMethods.lockCustomers(transaction, settlements.filter(({ method }) => method !== null).map(chargeOf));
      const current = await chargeMethods.withoutStale(transaction, settlements, chargeOf);
      if (current.length === 0) return new Set();
      const attempted = current.map(({ transition }) => transition);
      const applied = await payments.runTransitions(this.#settling(current, database), attempted, transaction);
      for (const settlement of current.filter(({ transition }) => applied.has(transition.row.id))) {
        const { method, nextChannel } = settlement;
        const charge = chargeOf(settlement);
        if (method !== null) await chargeMethods.apply(transaction, charge, method);
        if (nextChannel?.methodId == null) continue;
        const { tenant_id, id } = charge;
        await transaction.run(setMethodOfNext, [tenant_id, id, nextChannel.id, nextChannel.methodId]);
      }
      return applied;
    });
  }

  /** The settling statement with its parameters: those of each try, so that a repeated one writes the same events. */
  #settling(settlements: readonly Settlement[], database: Queryable) {
    const attempted = settlements.map(({ transition }) => transition);
    const transitions = transitionParameters(attempted, this.#deps.generateUuid, database);
    const parameters = [...transitions, ...valuesOfSettlements(settlements)];
    return (queryable: Queryable) => queryable.run(settleOperations, parameters);
  }

  async #read(
    { tenant_id, id, number }: OperationRow,
    database: Queryable = this.#deps.database,
  ): Promise<OperationRow | undefined> {
    const rows = await database.run(findOfPayment, [tenant_id, id]);
    return rows.find((row) => row.number === number);
  }
}

/** Whether a settlement writes a payment method, or the method of the next charge. */
const concernsMethod = ({ method, nextChannel }: Settlement) => method !== null || nextChannel?.methodId != null;

/** Every settlement is of an operation, whose row its transition has. */
const chargeOf = ({ transition }: Settlement) => transition.row as OperationRow;

function changedTooOften(row: OperationRow | undefined): Error {
  return new Error(`Payment ${row?.id} could not be settled: it changed during each of ${maximumTries} tries.`);
}
