import { Refusal } from '../../../core/errors.ts';
import type { DrawUuid } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import { Batcher } from '../../../platform/postgres/batcher.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { idempotencyMismatch, requestHash } from '../../../platform/postgres/idempotency-records.ts';
import { objectOfBody } from '../../webhooks/events/append-events.cte.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { ChannelRow } from '../channels/statements.ts';
import { type CreateInput, draftOf, usable } from './draft.ts';
import type { PaymentReservations } from './reservations.ts';
import { createMany, type Draft, findKeptAnswers, type IdempotencyRecord } from './statements.ts';

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
  reservations: PaymentReservations;
  drawUuid: DrawUuid;
  observeBatch: (size: number, durationMs: number) => void;
}

/** A payment of an invoice that is to be written. */
export interface PaymentRequest {
  id: string;
  tenantId: number;
  /** In whose name. */
  userId: number;
  amount: number;
  currency: string;
  channelId: number;
  customerId: number;
  invoiceId: number;
  description: string;
  metadata: Record<string, unknown> | null;
  paymentMethod: string | null;
  returnUrl: string | null;
}

/** Writes payments in a transaction of the caller's. */
export type PaymentWriter = Pick<TransactionCreator, 'createWithin'>;

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
      if (
        draft.invoiceId !== null &&
        (await this.#deps.reservations.isKept(this.#deps.database, draft.tenantId, draft.invoiceId))
      ) {
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
   * Writes payments of invoices in a transaction of the caller's. For each, in order:
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

  get queued(): number {
    return this.#batcher.queued;
  }

  drained(): Promise<void> {
    return this.#batcher.drained();
  }

  /** Payments for an invoice run in a transaction that reserves the amount on the locked invoice. */
  async #createForInvoice(draft: Draft, invoiceId: number): Promise<Created> {
    const { tenantId, id: transactionId, amount, currency, createdMs } = draft;
    await this.#deps.database.transaction(async (transaction) => {
      await this.#deps.reservations.reserve(transaction, {
        tenantId,
        invoiceId,
        transactionId,
        amount,
        currency,
        createdMs,
      });
      const created = await createMany(transaction, [draft]);
      // Its key stands already: what is held is given up, and the first answer looked for.
      if (created.length === 0) throw idempotencyMismatch();
    });
    return createdOf(draft);
  }

  async #write(drafts: readonly Draft[]): Promise<Outcome[]> {
    const inKeyOrder = drafts.some((draft) => draft.idempotencyKey !== null)
      ? drafts.toSorted(byIdempotencyKey)
      : drafts;
    const created = await createMany(this.#deps.writer, inKeyOrder);
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
  kept: readonly IdempotencyRecord[],
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
