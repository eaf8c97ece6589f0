import { isWithdrawn, withdrawnRefusal } from '../../../core/currency.ts';
import { Refusal } from '../../../core/errors.ts';
import type { GenerateUuid } from '../../../core/id.ts';
import { otherModeRefusal } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { Batcher } from '../../../platform/postgres/batcher.ts';
import type { Database, Transaction } from '../../../platform/postgres/database.ts';
import { idempotencyMismatch, requestHash } from '../../../platform/postgres/idempotency-records.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import type { FanOut } from '../../webhooks/events/fan-out.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { actOn } from '../channels/rules.ts';
import type { ChannelRow } from '../channels/statements.ts';
import { type CreateInput, draftOf, usableChannel } from './draft.ts';
import { BatchInserter, type Created, createdFrom, type Outcome, outcomeOf } from './insert-batch.ts';
import type { InvoicePayments } from './invoice-payments.ts';
import type { CreatedPayment, PaymentRequest, PaymentWriter, StoredToken } from './payment-writer.ts';
import { type Draft, findExistingPayments, insertNewPayments, insertPaymentsUnlessRepeated } from './statements.ts';

/**
 * Payments and deliveries in one statement. Beyond some hundreds a batch gains nothing, and its first request waits
 * longer. A delivery takes the database about half as long as a payment.
 */
const maximumBatch = 500;
/** Creates that may wait, about half a second of work at full speed. Further ones are refused with Retry-After. */
const maximumQueued = 10_000;
/** How long a create waits for a database that restarts. Writing it twice is harmless, because its id is fixed. */
const retryForMs = 3_000;

export interface CreateTransactionDeps {
  /** A pool of one connection, for this creator alone: one batch at a time. */
  writer: Database;
  /** For payments of invoices and for lookups. */
  database: Database;
  channels: ChannelDirectory;
  invoicePayments: Pick<InvoicePayments, 'hasInvoice' | 'lookUpWaiting' | 'lock' | 'reserve'>;
  fanOut: FanOut;
  generateUuid: GenerateUuid;
  /** Opens a sealed value from its place of storage. */
  open: (sealed: Buffer, place: string) => string;
  seal: (plain: string, place: string) => Buffer;
  observeBatch: (size: number, durationMs: number) => void;
  /** Called for each payment that was written, after the commit. */
  onCreated?: (draft: Draft, by: 'request' | 'billing') => void;
}

/**
 * Creates payments, many in one statement. When a create resolves, the payment is on disk together with its event and
 * its deliveries.
 */
export class TransactionCreator implements PaymentWriter {
  readonly #deps: CreateTransactionDeps;
  readonly #batcher: Batcher<Draft, Outcome>;

  constructor(deps: CreateTransactionDeps) {
    this.#deps = deps;
    const { writer, database, fanOut, onCreated } = deps;
    const onInserted = onCreated && ((draft: Draft) => onCreated(draft, 'request'));
    const inserter = new BatchInserter({ writer, database, fanOut, onInserted });
    this.#batcher = new Batcher({
      run: (drafts) => inserter.insert(drafts),
      maxBatch: maximumBatch,
      // A tenant pays for its own endpoints: its deliveries take places from its payments, not from those of others.
      costOf: ({ tenantId }) => fanOut.costOf(tenantId, 1),
      groupOf: ({ tenantId }) => tenantId,
      maxQueued: maximumQueued,
      retryForMs,
      observe: deps.observeBatch,
    });
  }

  /**
   * Creates a payment. A repeat with the same idempotency key and body gets the first answer, even if the channel would
   * refuse the payment now; the same key with another body is refused (`idempotency_mismatch`). A platform
   * administrator creates it for the tenant that the request names, or whose channel it names.
   */
  async create(input: CreateInput, caller: Principal, idempotencyKey?: string): Promise<Created> {
    const { channels, database, generateUuid, seal } = this.#deps;
    const channel = channels.cached(input.channelId) ?? (await channels.find(input.channelId));
    // Awaited only when necessary, because each promise adds garbage to the create path.
    const actor = input.tenantId === undefined ? caller : await actFor(caller, input.tenantId, database);
    const principal = actOn(channel, actor);
    const isRefused = isWithdrawn(input.currency) && !(await this.#paysInvoice(input, principal));
    const usable = isRefused ? withdrawnRefusal(input.currency) : usableChannel(channel, input, principal);
    const outcome =
      usable instanceof Refusal
        ? ((await this.#firstOutcome(input, principal, idempotencyKey)) ?? usable)
        : await this.#createNew(draftOf(input, usable, principal, generateUuid(), idempotencyKey, seal));
    if (outcome instanceof Refusal) throw outcome;
    return outcome;
  }

  /** Invoices in a currency that was withdrawn since can still be paid. */
  async #paysInvoice({ invoiceId }: CreateInput, { tenantId }: Principal): Promise<boolean> {
    const { invoicePayments, database } = this.#deps;
    return invoiceId != null && (await invoicePayments.hasInvoice(database, { tenantId, invoiceId }));
  }

  #createNew(draft: Draft): Promise<Outcome> {
    const { invoiceId } = draft;
    return invoiceId === null ? this.#batcher.add(draft) : this.#createNaming(invoiceId, draft);
  }

  /** `invoiceId` may be a reference of the caller's own instead of an invoice. */
  async #createNaming(invoiceId: number, draft: Draft): Promise<Outcome> {
    const { invoicePayments, database } = this.#deps;
    if (await invoicePayments.hasInvoice(database, { tenantId: draft.tenantId, invoiceId })) {
      return this.#createForInvoice(draft, invoiceId);
    }
    return this.#batcher.add(draft);
  }

  /** Payments for an invoice run in a transaction that reserves the amount on the locked invoice. */
  async #createForInvoice(draft: Draft, invoiceId: number): Promise<Outcome> {
    const { tenantId, livemode, id: transactionId, amount, currency, createdMs } = draft;
    const { invoicePayments, database, onCreated } = this.#deps;
    const invoice = { tenantId, invoiceId };
    const stillWaiting = await invoicePayments.lookUpWaiting(invoice);
    return database.transaction(async (transaction) => {
      if (draft.idempotencyKey !== null) {
        await invoicePayments.lock(transaction, [invoice]);
        const existing = await findExistingPayments(transaction, [draft]);
        if (existing.length > 0) return outcomeOf(draft, existing);
      }
      const payment = { ...invoice, livemode, transactionId, amount, currency, createdMs };
      await invoicePayments.reserve(transaction, payment, stillWaiting);
      const inserted = await insertPaymentsUnlessRepeated(transaction, [draft]);
      // Repeats of the same request wait for the lock. Another request has used the key since.
      if (inserted.length === 0) throw idempotencyMismatch();
      if (onCreated !== undefined) transaction.afterCommit(() => onCreated(draft, 'request'));
      return createdFrom(draft);
    });
  }

  /** The outcome for a repeat of an earlier request; undefined: there was none. */
  async #firstOutcome(
    input: CreateInput,
    { tenantId }: Principal,
    idempotencyKey: string | undefined,
  ): Promise<Outcome | undefined> {
    if (idempotencyKey === undefined) return undefined;
    const key = { tenantId, id: noId, idempotencyKey, requestHash: requestHash(input) };
    const existing = await findExistingPayments(this.#deps.database, [key]);
    return existing.length === 0 ? undefined : outcomeOf(key, existing);
  }

  async createInTransaction(
    transaction: Transaction,
    requests: readonly PaymentRequest[],
  ): Promise<(Refusal | CreatedPayment)[]> {
    const channels = new Map<number, ChannelRow | undefined>();
    for (const { channelId } of requests) {
      if (!channels.has(channelId))
        channels.set(channelId, await this.#deps.channels.findInTransaction(transaction, channelId));
    }
    const results = requests.map((request) => draftOrRefusal(request, channels.get(request.channelId), this.#deps));
    const drafts = results.filter((result): result is Draft => !(result instanceof Refusal));
    if (drafts.length > 0) {
      await insertNewPayments(transaction, drafts);
      const { onCreated } = this.#deps;
      if (onCreated !== undefined) {
        transaction.afterCommit(() => {
          for (const draft of drafts) onCreated(draft, 'billing');
        });
      }
    }
    return results;
  }

  get queued(): number {
    return this.#batcher.queued;
  }

  drained(): Promise<void> {
    return this.#batcher.drained();
  }
}

/** The id in a lookup by idempotency key alone. */
const noId = '00000000-0000-0000-0000-000000000000';

function draftOrRefusal(
  request: PaymentRequest,
  channel: ChannelRow | undefined,
  { open, seal }: Pick<CreateTransactionDeps, 'open' | 'seal'>,
): Draft | Refusal {
  const { id, tenantId, livemode, userId, amount, currency, channelId } = request;
  const { customerId, invoiceId, description, metadata, paymentMethod, returnUrl, background = false } = request;
  const createdBy = { tenantId, userId };
  const usable = usableChannel(channel, { channelId, currency }, createdBy);
  if (usable instanceof Refusal) return usable;
  if (usable.livemode !== livemode) {
    return otherModeRefusal(livemode, usable.livemode, 'channelId', `channel ${channelId}`);
  }
  const token = paymentMethod === null ? undefined : openToken(paymentMethod, open);
  if (token instanceof Refusal) return token;
  const input = {
    ...{ amount, currency, channelId },
    ...(customerId !== null && { customerId }),
    ...(invoiceId !== null && { invoiceId }),
    ...(description !== null && { description }),
    ...(metadata !== null && { metadata }),
    ...(token !== undefined && { paymentMethod: token }),
    ...(returnUrl !== null && { returnUrl }),
  };
  return { ...draftOf(input, usable, createdBy, id, undefined, seal), background };
}

/** Refuses the one payment: a token that cannot be opened must not keep those of other customers. */
function openToken(token: StoredToken | string, open: CreateTransactionDeps['open']): string | Refusal {
  if (typeof token === 'string') return token;
  try {
    return open(token.sealed, token.place);
  } catch (cause) {
    const message = 'The stored payment method of the customer cannot be opened.';
    return new Refusal('payment_method_unreadable', message, { cause });
  }
}
