import type { Clock } from '../../../core/clock.ts';
import { notFound, Refusal } from '../../../core/errors.ts';
import { type GenerateUuid, publicId, uuidOfPublicId } from '../../../core/id.ts';
import { otherModeRefusal, seesMode } from '../../../core/livemode.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import { encoders } from '../../../platform/postgres/array-literal.ts';
import { Batcher } from '../../../platform/postgres/batcher.ts';
import {
  afterCommit,
  type Database,
  type Queryable,
  type Transaction,
  type Transactional,
} from '../../../platform/postgres/database.ts';
import { type IdempotentAnswer, idempotencyMismatch } from '../../../platform/postgres/idempotency-records.ts';
import type { FanOut } from '../../webhooks/events/fan-out.ts';
import { authorizationRefusal } from '../channels/capture.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { ChannelRow } from '../channels/statements.ts';
import type { MethodCustomers } from '../methods/customers.ts';
import { type AttemptsLeft, lockedAttemptsLeft } from '../methods/declines.ts';
import { BatchInserter, type Outcome, outcomeOf } from './insert-batch.ts';
import type { InvoiceOfPayment, InvoicePayments } from './invoice-payments.ts';
import { newPayment, type PaymentInput, type PaymentRecord, type PaymentRow } from './record.ts';
import { usableChannel } from './rules.ts';
import {
  findExistingPayments,
  findPaymentInAnyTenant,
  findPayments,
  insertNewPayments,
  insertPaymentsUnlessRepeated,
  keyOf,
  lockPayment,
  type NewPayment,
  withCreatedEvent,
} from './statements.ts';
import { isFinal } from './states.ts';
import {
  type Transition,
  type TransitionedRow,
  transitionParameters,
  transitionsBy,
  variantFor,
} from './transition.cte.ts';

/**
 * Payments and deliveries in one statement. Beyond some hundreds a batch gains nothing, and its first request waits
 * longer. A delivery takes the database about half as long as a payment.
 */
const maximumBatch = 500;
/** Creates that may wait, about half a second of work at full speed. Further ones are refused with Retry-After. */
const maximumQueued = 10_000;
/** How long a create waits for a database that restarts. Writing it twice is harmless, because its id is fixed. */
const retryForMs = 3_000;

export interface PaymentsDeps {
  /** A pool of one connection, for creates alone: one batch at a time. */
  writer: Database;
  /** For payments of invoices, and for the first answers to repeats. */
  database: Database;
  /** For look-ups by id. Default: `database`. */
  lookupDatabase?: Queryable;
  channels: Pick<ChannelDirectory, 'findInTransaction'>;
  invoicePayments: InvoicePayments;
  methodCustomers: Pick<MethodCustomers, 'find'>;
  clock: Clock;
  fanOut: FanOut;
  generateUuid: GenerateUuid;
  seal: (plain: string, associatedData: string) => Buffer;
  observeBatch?: (size: number, durationMs: number) => void;
  /** Called for each payment that was written, after the commit. */
  onCreated?: (row: PaymentRow, by: 'request' | 'billing') => void;
  /** Called for each transition that was applied, after the commit. */
  onTransition?: (transition: Transition) => void;
}

/** What may refuse a payment that is about to be written. */
interface PaymentLimits {
  invoice: InvoiceOfPayment | null;
  methodId: string | null;
}

/** The idempotency key of a create, and the hash of its request. */
export type OnceKey = Pick<NewPayment, 'idempotencyKey' | 'requestHash'>;

/** Writes, finds, locks and changes payments. */
export class Payments {
  readonly #deps: PaymentsDeps;
  readonly #creates: Batcher<NewPayment, Outcome>;
  /** Concurrent look-ups share one statement: 2.6 times the throughput of one statement each. */
  readonly #lookups: Batcher<PaymentId, PaymentRow | undefined>;

  constructor(deps: PaymentsDeps) {
    this.#deps = deps;
    const { writer, database, lookupDatabase = database, fanOut, observeBatch } = deps;
    const onInserted = ({ row }: NewPayment) => deps.onCreated?.(row, 'request');
    const inserter = new BatchInserter({ writer, database, fanOut, onInserted });
    this.#creates = new Batcher({
      run: (batch) => inserter.insert(batch),
      maxBatch: maximumBatch,
      // A tenant pays for its own endpoints: its deliveries take places from its payments, not from those of others.
      costOf: ({ row }) => fanOut.costOf(row.tenant_id, 1),
      groupOf: ({ row }) => row.tenant_id,
      maxQueued: maximumQueued,
      retryForMs,
      ...(observeBatch && { observe: observeBatch }),
    });
    this.#lookups = new Batcher({
      run: (ids) => readMany(lookupDatabase, ids),
      maxBatch: 200,
      maxQueued: 10_000,
    });
  }

  /**
   * Writes a new payment with its event, its deliveries, its charge and its totals; many in one statement. When it
   * resolves, they are on disk. A payment of an invoice is written in a transaction that reserves its amount, and one
   * with a payment method in a transaction that counts its attempts.
   */
  async write(row: PaymentRow, once: OnceKey): Promise<IdempotentAnswer<PaymentRecord>> {
    const { invoicePayments, database } = this.#deps;
    const payment = { ...withCreatedEvent(row), ...once, background: false };
    const { tenant_id: tenantId, invoice_id: invoiceId, method_id: methodId } = row;
    // The id may also be a reference to another system.
    const isOfInvoice = invoiceId !== null && (await invoicePayments.hasInvoice(database, { tenantId, invoiceId }));
    const invoice = isOfInvoice ? { tenantId, invoiceId } : null;
    const outcome =
      invoice === null && methodId === null
        ? await this.#creates.add(payment)
        : await this.#writeLimited(payment, { invoice, methodId });
    if (outcome instanceof Refusal) throw outcome;
    return outcome;
  }

  /** Writes a payment that what is left to pay of an invoice limits, or the cap of a payment method's network. */
  async #writeLimited(payment: NewPayment, limits: PaymentLimits): Promise<Outcome> {
    const { invoicePayments, database, onCreated } = this.#deps;
    const { row, record } = payment;
    const { invoice, methodId } = limits;
    const stillWaiting = invoice === null ? new Set<string>() : await invoicePayments.lookUpWaiting(invoice);
    return database.transaction(async (transaction) => {
      if (invoice !== null) await invoicePayments.lock(transaction, [invoice]);
      const attempts = methodId === null ? undefined : await this.#lockedAttemptsLeft(transaction, row, methodId);
      if (payment.idempotencyKey !== null) {
        const existing = await findExistingPayments(transaction, [keyOf(payment)]);
        if (existing.length > 0) return outcomeOf(keyOf(payment), existing);
      }
      if (attempts?.left === 0) return attempts.refusal;
      if (invoice !== null) {
        const { livemode, id, amount, currency, created_at } = row;
        const createdMs = Date.parse(created_at);
        const ofInvoice = { ...invoice, livemode, transactionId: id, amount, currency, createdMs };
        await invoicePayments.reserve(transaction, ofInvoice, stillWaiting);
      }
      const inserted = await insertPaymentsUnlessRepeated(transaction, [payment]);
      // Repeats of the same request wait for the lock. Another request has used the key since.
      if (inserted.length === 0) throw idempotencyMismatch();
      transaction.afterCommit(() => onCreated?.(row, 'request'));
      return { answer: record, replayed: false };
    });
  }

  async #lockedAttemptsLeft(
    transaction: Transaction,
    { tenant_id: tenantId, customer_id: customerId }: PaymentRow,
    methodId: string,
  ): Promise<AttemptsLeft | undefined> {
    const { methodCustomers, clock } = this.#deps;
    const customer = customerId === null ? undefined : await methodCustomers.find(transaction, [tenantId], customerId);
    const nowMs = customer?.nowMs ?? clock();
    return (await lockedAttemptsLeft(transaction, [{ tenantId, methodId }], nowMs)).get(methodId);
  }

  /** The answer to an earlier request with this key; undefined: there was none. */
  async firstAnswer(tenantId: number, once: OnceKey): Promise<IdempotentAnswer<PaymentRecord> | undefined> {
    if (once.idempotencyKey === null) return undefined;
    const key = { tenantId, id: noId, ...once };
    const existing = await findExistingPayments(this.#deps.database, [key]);
    if (existing.length === 0) return undefined;
    const outcome = outcomeOf(key, existing);
    if (outcome instanceof Refusal) throw outcome;
    return outcome;
  }

  /**
   * Creates payments in a transaction of the caller, who has reserved their amounts on their invoices. Returns, in
   * order, each payment, or the refusal of one that its channel does not accept.
   */
  async createInTransaction(
    transaction: Transaction,
    requests: readonly PaymentRequest[],
  ): Promise<(Refusal | PaymentRow)[]> {
    const { channels, onCreated } = this.#deps;
    const found = new Map<number, ChannelRow | undefined>();
    for (const { channelId } of requests) {
      if (!found.has(channelId)) found.set(channelId, await channels.findInTransaction(transaction, channelId));
    }
    const results = requests.map((request) => this.#rowOrRefusal(request, found.get(request.channelId)));
    const payments = results.flatMap((row, i) =>
      row instanceof Refusal
        ? []
        : [{ ...withCreatedEvent(row), ...withoutKey, background: requests[i]?.background ?? false }],
    );
    if (payments.length === 0) return results;
    await insertNewPayments(transaction, payments);
    transaction.afterCommit(() => {
      for (const { row } of payments) onCreated?.(row, 'billing');
    });
    return results;
  }

  #rowOrRefusal(request: PaymentRequest, channel: ChannelRow | undefined): PaymentRow | Refusal {
    const { seal } = this.#deps;
    const { id, tenantId, userId, livemode, channelId } = request;
    const createdBy = { tenantId, userId };
    const usable = usableChannel(channel, request, createdBy);
    if (usable instanceof Refusal) return usable;
    if (usable.livemode !== livemode) {
      return otherModeRefusal(livemode, usable.livemode, 'channelId', { noun: 'channel', id: channelId });
    }
    const unable = request.captureMethod === 'MANUAL' ? authorizationRefusal(usable, request) : undefined;
    return unable ?? newPayment(request, usable, createdBy, id, seal);
  }

  /**
   * The payment with this public id, if the caller may see it. An id that does not exist and the id of another tenant's
   * payment get the same refusal (`field` is its field).
   */
  async find(idOnWire: string, principal: Principal, field = 'id'): Promise<PaymentRow> {
    const id = uuidOfPublicId('txn', idOnWire);
    if (id === undefined) throw notFound('transaction', idOnWire, field);
    const row =
      (await this.#lookups.add({ tenantId: principal.tenantId, id })) ??
      (seesAllTenants(principal) ? (await this.#deps.database.run(findPaymentInAnyTenant, [id]))[0] : undefined);
    if (row === undefined || !seesMode(principal, row.livemode)) throw notFound('transaction', idOnWire, field);
    return row;
  }

  /** Reads a payment that was found before, and locks it for the rest of the transaction. */
  async lock(transaction: Queryable, { tenant_id, id }: Pick<PaymentRow, 'tenant_id' | 'id'>): Promise<PaymentRow> {
    const [row] = await transaction.run(lockPayment, [tenant_id, id]);
    if (row === undefined) throw notFound('transaction', publicId('txn', id));
    return row;
  }

  /**
   * Applies transitions, with their totals, ledger transfers and events, and returns the ids of the changed payments.
   * Skips payments whose version has changed. A transition that concerns an invoice (`concernsInvoice`) requires a
   * transaction that holds `lockInvoices`.
   */
  async transition(database: Queryable | Transaction, transitions: readonly Transition[]): Promise<Set<string>> {
    return this.runTransitions(this.#transitioning(transitions, database), transitions, database);
  }

  /** The same, with the locks that it requires. */
  transitionWithInvoices(database: Transactional, transitions: readonly Transition[]): Promise<Set<string>> {
    return this.runTransitionsWithInvoices(this.#transitioning(transitions, database), transitions, database);
  }

  #transitioning(transitions: readonly Transition[], database: Queryable) {
    const variant = variantFor(transitions);
    const parameters = transitionParameters(variant, transitions, this.#deps.generateUuid, database);
    return (queryable: Queryable) => queryable.run(transitionsBy[variant], parameters);
  }

  /**
   * Runs a statement that applies transitions (`applyTransitions`) and more. If any of them concerns an invoice, the
   * invoices are locked before and settled afterwards, in one transaction with the statement. Otherwise it runs alone.
   */
  async runTransitionsWithInvoices(
    run: (database: Queryable) => Promise<TransitionedRow[]>,
    transitions: readonly Transition[],
    database: Transactional,
  ): Promise<Set<string>> {
    const concerned = transitions.filter(concernsInvoice).map(({ row }) => row);
    if (concerned.length === 0) return this.runTransitions(run, transitions, database);
    return database.transaction(async (transaction) => {
      await this.lockInvoices(transaction, concerned);
      return this.runTransitions(run, transitions, transaction);
    });
  }

  /**
   * The same without locks: where a transition concerns an invoice, `database` is a transaction that holds
   * `lockInvoices`.
   */
  async runTransitions(
    run: (database: Queryable) => Promise<TransitionedRow[]>,
    transitions: readonly Transition[],
    database: Queryable | Transaction,
  ): Promise<Set<string>> {
    const { invoicePayments, onTransition } = this.#deps;
    const ids = new Set((await run(database)).map(({ id }) => id));
    const applied = transitions.filter(({ row }) => ids.has(row.id));
    const ofInvoices = applied.filter(concernsInvoice);
    if (ofInvoices.length > 0) await invoicePayments.follow(database, ofInvoices);
    if (onTransition !== undefined) afterCommit(database, () => applied.forEach(onTransition));
    return ids;
  }

  /** Locks the invoices of payments. To avoid deadlocks, invoices are locked before payments. */
  async lockInvoices(transaction: Queryable, payments: readonly PaymentRow[]): Promise<void> {
    const invoices = payments.flatMap(({ tenant_id: tenantId, invoice_id: invoiceId }) =>
      invoiceId === null ? [] : [{ tenantId, invoiceId }],
    );
    if (invoices.length > 0) await this.#deps.invoicePayments.lock(transaction, invoices);
  }

  /** Creates that wait to be written. */
  get queued(): number {
    return this.#creates.queued;
  }

  drained(): Promise<void> {
    return this.#creates.drained();
  }
}

/** The id in a lookup by idempotency key alone. */
const noId = '00000000-0000-0000-0000-000000000000';

/** What billing creates is created once by other means. */
const withoutKey: OnceKey = { idempotencyKey: null, requestHash: null };

/** A payment that billing creates, for an invoice or from a payer's page. */
export interface PaymentRequest extends PaymentInput {
  id: string;
  tenantId: number;
  /** The mode of what is paid: a channel of the other mode is refused. */
  livemode: boolean;
  /** The user on whose behalf the payment is created. */
  userId: number;
  /** No payer waits for it, as for a renewal: charges of others are sent first. Default: false. */
  background?: boolean;
}

interface PaymentId {
  tenantId: number;
  id: string;
}

async function readMany(database: Queryable, ids: readonly PaymentId[]): Promise<(PaymentRow | undefined)[]> {
  const rows = await database.run(findPayments, [
    encoders.bigint(ids.map(({ tenantId }) => tenantId)),
    encoders.uuid(ids.map(({ id }) => id)),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map(({ tenantId, id }) => {
    const row = byId.get(id);
    return row?.tenant_id === tenantId ? row : undefined;
  });
}

/** Whether a payment of an invoice ends, begins to wait for its payer, is authorized, or is captured. */
export function concernsInvoice({ row, to, requiresAction = false, authorization }: Transition): boolean {
  if (row.invoice_id === null || isFinal(row.status)) return false;
  if (isFinal(to) || requiresAction) return true;
  return authorization?.begins !== undefined || (authorization?.capturedChange ?? 0) > 0;
}
