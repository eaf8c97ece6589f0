import { type Clock, secondMs } from '../../../core/clock.ts';
import { type GenerateUuid, publicId } from '../../../core/id.ts';
import { KeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import { Batcher } from '../../../platform/postgres/batcher.ts';
import type { Queryable, Transaction, Transactional } from '../../../platform/postgres/database.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { OperatorWarnings } from '../channels/operator-warnings.ts';
import { type ChargeMethods, involvesMethod } from '../methods/charges.ts';
import { findUnderWay, setMethodOfNext } from '../operation-queue/statements.ts';
import type { Failure } from '../providers/failures.ts';
import { findRefund, type RefundRow } from '../refunds/statements.ts';
import { type CaptureRow, findCaptures } from '../transactions/capture-record.ts';
import { isAuthorized } from '../transactions/captured.ts';
import { concernsInvoice, type Payments } from '../transactions/payments.ts';
import { isFinal } from '../transactions/states.ts';
import { isManual, transitionParameters, variantFor } from '../transactions/transition.cte.ts';
import { takesWithoutCapture } from './capture-effects.ts';
import { type DiscrepancyReporterDeps, reportContradiction, reportDifference } from './discrepancies/open.ts';
import { differenceOf, isManualCharge, type Report } from './discrepancies/rules.ts';
import type { Authorized, FinalOutcome, SettlementFacts } from './effect.ts';
import { nextChannelFor } from './fallback.ts';
import { settleBy } from './settle-statements.ts';
import { contradicts, reverses, type Settlement, settlementOf, valuesOfSettlements } from './settlement.ts';
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
export interface AuthorizeOptions extends Omit<SettleOptions, 'lease'> {
  /** When the charge is due again. */
  dueMs: number;
  tellsExpiring: boolean;
  isLookedUp: boolean;
}

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
   * Of payments of invoices and with payment methods, whose settlement waits for locks on the invoices and customers,
   * and of those that are captured by requests, whose statement is a larger one.
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
  ): Promise<'settled' | 'mismatch' | 'undecided'> {
    if (isManualCharge(row)) return this.#settleManualCharge(row, outcome, by, options);
    if (await this.reportDifference(row, outcome, by)) return 'mismatch';
    await this.#turns.take(row.id, async (hasWaited) =>
      this.#settleInTurn(hasWaited ? await this.#read(row) : row, outcome, by, options),
    );
    return 'settled';
  }

  /**
   * Settles a charge that is captured by further operations. While a capture or a release is under way, the charge
   * cannot tell what became of it: nothing is settled then (`undecided`), and the caller looks the charge up later.
   */
  #settleManualCharge(
    row: OperationRow,
    outcome: FinalOutcome,
    by: SettledBy,
    options: SettleOptions,
  ): Promise<'settled' | 'mismatch' | 'undecided'> {
    const { database } = this.#deps;
    return this.#turns.take(row.id, async () => {
      const current = (await this.#read(row)) ?? row;
      // Read after the payment, whose version guards the settlement: a capture that begins now changes it.
      const underWay = await database.run(findUnderWay, [row.tenant_id, row.id]);
      if (!isFinished(current.state) && underWay.some(({ kind }) => kind !== 'CANCEL')) return 'undecided';
      // A capture that has ended between the two readings is missing in the first one.
      if ((await this.#read(row))?.version !== current.version) return 'undecided';
      if (await this.reportDifference(current, outcome, by)) return 'mismatch';
      const isApplied = await this.#settleInTurn(current, outcome, by, { ...options, tries: 1 });
      return isApplied ? 'settled' : 'undecided';
    });
  }

  /**
   * Records that a charge has reserved its amount; if that is known and `tellsExpiring`, that the authorization ends
   * soon. The charge stays open. Nothing if it has ended meanwhile.
   */
  async authorize(
    row: OperationRow,
    outcome: Authorized,
    { tellsExpiring, isLookedUp, ...facts }: AuthorizeOptions,
  ): Promise<void> {
    const { chargeMethods, clock } = this.#deps;
    await this.#turns.take(row.id, async () => {
      for (let tries = 0; tries < maximumTries; tries++) {
        const current = await this.#read(row);
        if (current === undefined || isFinished(current.state) || isFinal(current.status)) return;
        if (isAuthorized(current) && !(tellsExpiring && current.expiring_at === null)) return;
        const isNew = !isAuthorized(current);
        const method =
          isNew && involvesMethod(current) ? await chargeMethods.effectOf(current, outcome, isLookedUp) : null;
        const settlement = settlementOf({ row: current, outcome, by: 'answer', ...facts, method, atMs: clock() });
        if (await this.#slowBatcher.add(settlement)) return;
      }
      throw changedTooOften(row);
    });
  }

  /**
   * Settles an operation in the caller's transaction, with the outcome that a user has found at the provider. Returns
   * false if that contradicts what is settled: nothing is changed then. A charge that failed is not tried through
   * another channel.
   */
  async settleByUser(row: OperationRow, outcome: FinalOutcome, transaction: Transaction): Promise<boolean> {
    await this.#deps.payments.lockInvoices(transaction, [row]);
    return this.#settleIn(transaction, row, outcome, 'user');
  }

  /** Fails an operation that was never sent, in the transaction that holds the lock of its payment. */
  async failUnsent(row: OperationRow, reason: Failure, transaction: Transaction): Promise<void> {
    await this.#settleIn(transaction, row, { kind: 'failed', failure: reason }, 'nothing');
  }

  async #settleIn(transaction: Transaction, row: OperationRow, outcome: FinalOutcome, by: SettledBy): Promise<boolean> {
    const { payments, clock } = this.#deps;
    for (let tries = 0; tries < maximumTries; tries++) {
      const current = await this.#read(row, transaction);
      if (current === undefined) return false;
      if (isFinished(current.state)) return (current.state === 'SUCCEEDED') === (outcome.kind === 'succeeded');
      if (contradicts(current, outcome) || takesWithoutCapture(current, outcome)) return false;
      const refund = await this.#readRefund(current, transaction);
      const capture = await this.#readCapture(current, transaction);
      const settlement = settlementOf({ row: current, outcome, by, refund, capture, atMs: clock() });
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
    { tries: maximum = maximumTries, ...options }: SettleOptions & { tries?: number },
  ): Promise<boolean> {
    const { chargeMethods } = this.#deps;
    let current = row;
    let isReported = false;
    for (let tries = 0; tries < maximum; tries++) {
      if (current === undefined) return true;
      if (!isReported && contradicts(current, outcome, options.calls)) {
        isReported = true;
        await reportContradiction(current, outcome, by, this.#deps);
      }
      if (isFinished(current.state) && !reverses(current, outcome, options.calls)) return true;
      const facts: SettlementFacts = { row: current, outcome, by, ...options, atMs: this.#deps.clock() };
      const nextChannel = await nextChannelFor(current, outcome, this.#deps);
      const refund = await this.#readRefund(current);
      const capture = await this.#readCapture(current);
      const method =
        involvesMethod(current) && by !== 'nothing'
          ? await chargeMethods.effectOf(current, outcome, by === 'look_up')
          : null;
      const settlement = settlementOf({ ...facts, nextChannel, refund, capture, method });
      const { transition } = settlement;
      const isSlow = concernsInvoice(transition) || concernsMethod(settlement) || isManual(transition);
      if (await (isSlow ? this.#slowBatcher : this.#batcher).add(settlement)) {
        await this.#warnOperator(settlement, current);
        return true;
      }
      current = await this.#read(current);
    }
    if (maximum < maximumTries) return false;
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

  /** The capture of the operation, for the same reason. */
  async #readCapture(row: OperationRow, database: Queryable = this.#deps.database): Promise<CaptureRow | undefined> {
    if (row.kind !== 'CAPTURE') return undefined;
    return (await database.run(findCaptures, [row.tenant_id, row.id])).find(({ id }) => id === row.capture_id);
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
    const variant = variantFor(attempted);
    const transitions = transitionParameters(variant, attempted, this.#deps.generateUuid, database);
    const parameters = [...transitions, ...valuesOfSettlements(variant, settlements)];
    return (queryable: Queryable) => queryable.run(settleBy[variant], parameters);
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
