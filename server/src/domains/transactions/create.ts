import { Batcher } from '../../platform/postgres/batcher.ts';
import type { Database, Queryable } from '../../platform/postgres/database.ts';
import { idempotencyMismatch, requestHash } from '../../platform/postgres/kept-answers.ts';
import { Refusal } from '../../vocabulary/errors.ts';
import type { DrawUuid } from '../../vocabulary/id.ts';
import type { Principal } from '../../vocabulary/principal.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { ChannelRow } from '../channels/sql.ts';
import { objectOfBody } from '../events/outbox.ts';
import { holdForPayment, isInvoiceHeld } from '../invoices/hold.ts';
import type { PaymentRequest } from '../invoices/payments.ts';
import { type CreateInput, draftOf, usable } from './draft.ts';
import { createMany, type Draft, findKeptAnswers, type KeptAnswer } from './sql.ts';

/** The answer to a create: the payment's JSON, and whether it is an earlier answer given again. */
export interface Created {
  json: string;
  replayed: boolean;
}

type Outcome = Created | Refusal;

/** Rows in one statement at most: beyond some hundreds a batch gains nothing and its first request waits longer. */
const maximumBatch = 500;
/** Creates waiting at most, about half a second's worth at full speed: what comes on top is told to come back. */
const maximumQueued = 10_000;
/** How long a create outlasts a database that restarts. Its id makes writing it twice harmless. */
const retryForMs = 3_000;

export interface CreateTransactionDeps {
  /** Kept for this writer: one connection, one batch at a time. */
  writer: Database;
  /** For what is not written: earlier answers. */
  database: Database;
  channels: ChannelDirectory;
  drawUuid: DrawUuid;
  /** Deliveries have been committed: someone may send them. */
  onDeliveries: () => void;
  /** Payments have been committed: the totals have something to fold. */
  onWritten: () => void;
  /** Charges have been opened: a provider can be called. */
  onOperations: () => void;
  observeBatch: (size: number, durationMs: number) => void;
}

/** Records payments, many in one statement. What it answers is on disk, with its event and its deliveries. */
export class TransactionCreator {
  readonly #deps: CreateTransactionDeps;
  readonly #batcher: Batcher<Draft, Outcome>;

  constructor(deps: CreateTransactionDeps) {
    this.#deps = deps;
    this.#batcher = new Batcher({
      run: (drafts) => this.#write(drafts),
      maxBatch: maximumBatch,
      maxQueued: maximumQueued,
      retryForMs,
      observe: deps.observeBatch,
    });
  }

  async create(input: CreateInput, principal: Principal, idempotencyKey?: string): Promise<Created> {
    try {
      const { channels } = this.#deps;
      const channel = channels.remembered(input.channelId) ?? (await channels.find(input.channelId));
      const draft = draftOf(input, usable(channel, input, principal), principal, this.#deps.drawUuid(), idempotencyKey);
      if (draft.invoiceId !== null && (await isInvoiceHeld(this.#deps.database, draft.tenantId, draft.invoiceId))) {
        return await this.#createForInvoice(draft, draft.invoiceId);
      }
      return answered(await this.#batcher.add(draft));
    } catch (error) {
      if (error instanceof Refusal && error.type === 'database_unavailable') throw error;
      // A repeat gets its first answer, also when the channel would no longer take the payment.
      const kept = idempotencyKey !== undefined && (await this.#keptAnswer(input, principal, idempotencyKey));
      if (kept) return answered(kept);
      throw error;
    }
  }

  /**
   * Writes payments of invoices in a transaction of the caller's, who calls `written` after the commit. For each, in order:
   * the refusal of one that its channel does not take, else undefined.
   */
  async createWithin(transaction: Queryable, requests: readonly PaymentRequest[]): Promise<(Refusal | undefined)[]> {
    const found = new Map<number, ChannelRow | undefined>();
    for (const { channelId } of requests) {
      if (!found.has(channelId)) found.set(channelId, await this.#deps.channels.findWithin(transaction, channelId));
    }
    const drafted = requests.map((request) => draftOrRefusal(request, found.get(request.channelId)));
    const drafts = drafted.filter((draft): draft is Draft => !(draft instanceof Refusal));
    if (drafts.length > 0) {
      const created = await createMany(transaction, drafts);
      if (created.length !== drafts.length) throw new Error('A payment of an invoice stood there already.');
    }
    return drafted.map((draft) => (draft instanceof Refusal ? draft : undefined));
  }

  /** Payments have been committed outside the batches: everyone who follows has something to do. */
  readonly written = (): void => {
    this.#deps.onWritten();
    this.#deps.onDeliveries();
    this.#deps.onOperations();
  };

  get queued(): number {
    return this.#batcher.queued;
  }

  drained(): Promise<void> {
    return this.#batcher.drained();
  }

  /** A payment of an invoice that is kept here takes the long way: what it takes of the invoice is held under its lock. */
  async #createForInvoice(draft: Draft, invoiceId: number): Promise<Created> {
    const { tenantId, id: transactionId, amount, currency, createdMs } = draft;
    await this.#deps.database.transaction(async (transaction) => {
      await holdForPayment(transaction, { tenantId, invoiceId, transactionId, amount, currency, createdMs });
      const created = await createMany(transaction, [draft]);
      // Its key stands already: what is held is given up, and the first answer looked for.
      if (created.length === 0) throw idempotencyMismatch();
    });
    this.written();
    return createdOf(draft);
  }

  async #write(drafts: readonly Draft[]): Promise<Outcome[]> {
    const inKeyOrder = drafts.some((draft) => draft.idempotencyKey !== null)
      ? drafts.toSorted(byIdempotencyKey)
      : drafts;
    const created = await createMany(this.#deps.writer, inKeyOrder);
    if (created.length > 0) this.#deps.onWritten();
    if (created[0] !== undefined && created[0].deliveries > 0) this.#deps.onDeliveries();
    if (drafts.some((draft) => draft.provider !== null)) this.#deps.onOperations();
    if (created.length === drafts.length) return drafts.map(createdOf);
    const written = new Set(created.map((row) => row.id));
    const kept = await findKeptAnswers(
      this.#deps.database,
      drafts.filter((draft) => !written.has(draft.id)),
    );
    return drafts.map((draft) => (written.has(draft.id) ? createdOf(draft) : outcomeOf(draft, kept)));
  }

  async #keptAnswer(input: CreateInput, { tenantId }: Principal, idempotencyKey: string): Promise<Outcome | undefined> {
    const draft = { tenantId, id: noId, idempotencyKey, requestHash: requestHash(input).toString('hex') };
    const kept = await findKeptAnswers(this.#deps.database, [draft]);
    return kept.length === 0 ? undefined : outcomeOf(draft, kept);
  }
}

function draftOrRefusal(request: PaymentRequest, channel: ChannelRow | undefined): Draft | Refusal {
  const { id, tenantId, userId, metadata, paymentMethod, returnUrl, ...input } = request;
  const given = {
    ...input,
    ...(metadata !== null && { metadata }),
    ...(paymentMethod !== null && { paymentMethod }),
    ...(returnUrl !== null && { returnUrl }),
  };
  const creator = { tenantId, userId };
  try {
    return draftOf(given, usable(channel, given, creator), creator, id, undefined);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const noId = '00000000-0000-0000-0000-000000000000';

/** Two nodes that insert the same keys must take them in the same order, or each waits for the other. */
function byIdempotencyKey(a: Draft, b: Draft): number {
  const [keyA, keyB] = [a.idempotencyKey ?? '', b.idempotencyKey ?? ''];
  return keyA < keyB ? -1 : keyA > keyB ? 1 : 0;
}

const createdOf = (draft: Draft): Created => ({ json: objectOfBody(draft.eventBody), replayed: false });

/** What to answer for a payment that was not inserted because something already stood there. */
function outcomeOf(
  {
    id,
    tenantId,
    idempotencyKey,
    requestHash: hash,
  }: Pick<Draft, 'id' | 'tenantId' | 'idempotencyKey' | 'requestHash'>,
  kept: readonly KeptAnswer[],
): Outcome {
  const own = kept.find((row) => row.id === id);
  // An earlier try of this same batch was committed, and only its reply was lost on the way from the database.
  if (own !== undefined) return { json: objectOfBody(own.body), replayed: false };
  const earlier = kept.find((row) => row.tenant_id === tenantId && row.idempotency_key === idempotencyKey);
  if (earlier === undefined) throw new Error(`Payment ${id} was neither inserted nor found.`);
  if (earlier.request_hash === hash) return { json: objectOfBody(earlier.body), replayed: true };
  return idempotencyMismatch();
}

function answered(outcome: Outcome): Created {
  if (outcome instanceof Refusal) throw outcome;
  return outcome;
}
