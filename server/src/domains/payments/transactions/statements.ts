import { byteaArray } from '../../../platform/postgres/array-literal.ts';
import { columns } from '../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type Statement, statement } from '../../../platform/postgres/statement.ts';
import { appendEventsCte, wakesDeliveries, wakesStreams } from '../../webhooks/events/append-events.cte.ts';
import { digestFor } from '../../webhooks/events/digests.ts';
import { openOperationsCte, operationsDue } from '../operation-queue/open.cte.ts';
import type { TransactionStatus } from './states.ts';
import { countTotalsCte, rollupsDue } from './totals/totals.cte.ts';

export interface TransactionRow {
  tenant_id: number;
  id: string;
  /** The mode of its channel. */
  livemode: boolean;
  amount: number;
  amount_refunded: number;
  /** The sum of all refunds that are neither FAILED nor CANCELLED: what can no longer be refunded. */
  amount_refund_held: number;
  currency: string;
  status: TransactionStatus;
  channel_id: number;
  user_id: number;
  description: string | null;
  metadata: Record<string, unknown> | null;
  customer_id: number | null;
  invoice_id: number | null;
  failure_code: string | null;
  failure_message: string | null;
  /**
   * The channel's provider when the payment was created. Null: Florin only records, and the status changes by update.
   */
  provider: string | null;
  provider_reference: string | null;
  /** The provider's token, as an older version stored it in clear. */
  payment_method: string | null;
  payment_method_sealed: Buffer | null;
  return_url: string | null;
  next_action: Record<string, unknown> | null;
  version: number;
  created_at: string;
  updated_at: string;
}

/** A payment to insert, with the body of its `transaction.created` event. */
export interface Draft {
  tenantId: number;
  id: string;
  livemode: boolean;
  amount: number;
  currency: string;
  channelId: number;
  userId: number;
  description: string | null;
  metadataJson: string | null;
  customerId: number | null;
  invoiceId: number | null;
  /** The provider's token, sealed. */
  paymentMethodSealed: Buffer | null;
  returnUrl: string | null;
  /** The channel's provider. With one, a charge is opened together with the payment. */
  provider: string | null;
  /** Whether no payer waits for it: others are sent first. */
  background: boolean;
  createdMs: number;
  eventBody: string;
  idempotencyKey: string | null;
  /** SHA-256 of the request; null without an idempotency key. */
  requestHash: Buffer | null;
}

const draftColumns = columns<Draft>([
  ['tenant_id', 'bigint', (draft) => draft.tenantId],
  ['id', 'uuid', (draft) => draft.id],
  ['livemode', 'boolean', (draft) => draft.livemode],
  ['amount', 'bigint', (draft) => draft.amount],
  ['currency', 'text', (draft) => draft.currency],
  ['channel_id', 'bigint', (draft) => draft.channelId],
  ['user_id', 'bigint', (draft) => draft.userId],
  ['description', 'text', (draft) => draft.description],
  ['metadata', 'text', (draft) => draft.metadataJson],
  ['customer_id', 'bigint', (draft) => draft.customerId],
  ['invoice_id', 'bigint', (draft) => draft.invoiceId],
  ['payment_method_sealed', 'bytea', (draft) => draft.paymentMethodSealed],
  ['return_url', 'text', (draft) => draft.returnUrl],
  ['provider', 'text', (draft) => draft.provider],
  ['background', 'boolean', (draft) => draft.background],
  ['created_ms', 'float8', (draft) => draft.createdMs],
  ['event_body', 'text', (draft) => draft.eventBody],
  ['idempotency_key', 'text', (draft) => draft.idempotencyKey],
  ['request_hash', 'bytea', (draft) => draft.requestHash],
]);

/** What a batch wrote for one tenant in one mode. */
export interface InsertedRow {
  tenant_id: number;
  /** The payments that were inserted; null: all of the batch. */
  ids: string[] | null;
  /** Deliveries of each payment's event. */
  deliveries: number;
  has_operation: boolean;
}

/**
 * Writes a batch of payments in one statement: the payments, their events, a delivery for each subscribed endpoint, the
 * charges to open at providers, and the totals. The created event has the payment's own id.
 *
 * With `skipsRepeats`, a payment whose id or Idempotency-Key is taken is left out, with everything that would follow
 * from it. Without, such a payment fails the whole statement, which takes a quarter less of PostgreSQL's time: 33
 * instead of 43 µs for a payment in a batch of 32, and 38 instead of 58 µs with keys.
 */
function createBatch(name: string, { skipsRepeats }: { skipsRepeats: boolean }): Statement<InsertedRow> {
  return statement<InsertedRow>(
    name,
    `with input as materialized (
     ${draftColumns.relation([['event_digest', 'bytea']])}
   ),
   inserted as (
     insert into transaction (tenant_id, id, livemode, amount, currency, status, channel_id, user_id, description, metadata,
                              customer_id, invoice_id, idempotency_key, request_hash, provider, payment_method_sealed,
                              return_url, created_at, updated_at)
     select tenant_id, id, livemode, amount, currency, 'PENDING', channel_id, user_id, description, metadata::json,
            customer_id, invoice_id, idempotency_key, request_hash, provider, payment_method_sealed, return_url,
            to_timestamp(created_ms / 1000), to_timestamp(created_ms / 1000)
       from input
     ${skipsRepeats ? 'on conflict do nothing returning tenant_id, id' : ''}
   ),
   created as ${skipsRepeats ? 'materialized' : 'not materialized'} (
     select tenant_id, id, livemode, amount, currency, channel_id, user_id, provider, background, event_body,
            event_digest, to_timestamp(created_ms / 1000) as created_at
       from input ${skipsRepeats ? 'join inserted using (tenant_id, id)' : ''}
   ),
   event_draft as (
     select tenant_id, id, livemode, 'transaction.created' as type, 'txn_' || replace(id::text, '-', '') as object_id,
            created_at, event_body as body, event_digest as digest
       from created
   ),
   ${appendEventsCte},
   operation as (
     select tenant_id, id as transaction_id, 1 as number, 'CHARGE' as kind, null::uuid as refund_id, channel_id,
            provider, amount, background, created_at as at
       from created
      where provider is not null
   ),
   ${openOperationsCte},
   change as (
     select tenant_id, livemode, channel_id, user_id, 'PENDING' as status, created_at, currency, 1 as count, amount from created
   ),
   ${countTotalsCte}
   select tenant_id, cardinality(endpoints) as deliveries,
          ${skipsRepeats ? 'array(select id from inserted where inserted.tenant_id = event_subscribers.tenant_id)' : 'null::uuid[]'} as ids,
          exists (select from operation) as has_operation
     from event_subscribers`,
    {
      wakes: [
        { topic: rollupsDue, when: (rows) => rows.length > 0 },
        wakesDeliveries,
        wakesStreams,
        { topic: operationsDue, when: (rows) => rows.some(({ has_operation }) => has_operation) },
      ],
    },
  );
}

const createNew = createBatch('transactions.create_batch', { skipsRepeats: false });
const createUnlessRepeated = createBatch('transactions.create_batch_unless_repeated', { skipsRepeats: true });

/** Inserts payments. Throws a violation of a unique constraint when an id or Idempotency-Key is taken. */
export function insertNewPayments(database: Queryable, drafts: readonly Draft[]): Promise<InsertedRow[]> {
  return database.run(createNew, parametersOf(drafts, database));
}

/** Inserts the payments whose id and Idempotency-Key are free. */
export function insertPaymentsUnlessRepeated(database: Queryable, drafts: readonly Draft[]): Promise<InsertedRow[]> {
  return database.run(createUnlessRepeated, parametersOf(drafts, database));
}

function parametersOf(drafts: readonly Draft[], database: Queryable): Buffer[] {
  const digests = drafts.map(({ tenantId, eventBody }) => digestFor(database, { tenantId, body: eventBody }));
  return [...draftColumns.parametersOf(drafts), byteaArray(digests)];
}

/** A payment that has an id or idempotency key already, with the event that holds the answer of its create. */
export interface ExistingPayment {
  tenant_id: number;
  id: string;
  idempotency_key: string | null;
  request_hash: Buffer | null;
  event_body: string;
}

type PaymentKey = Pick<Draft, 'tenantId' | 'id' | 'idempotencyKey'>;

const keyColumns = columns<PaymentKey>([
  ['tenant_id', 'bigint', (key) => key.tenantId],
  ['id', 'uuid', (key) => key.id],
  ['idempotency_key', 'text', (key) => key.idempotencyKey],
]);

const findExisting = statement<ExistingPayment>(
  'transactions.find_existing',
  `with wanted as (
     ${keyColumns.relation()}
   ),
   existing as (
     select t.tenant_id, t.id, t.idempotency_key, t.request_hash
       from wanted join transaction t on t.tenant_id = wanted.tenant_id and t.id = wanted.id
     union
     select t.tenant_id, t.id, t.idempotency_key, t.request_hash
       from wanted
       join transaction t on t.tenant_id = wanted.tenant_id and t.idempotency_key = wanted.idempotency_key
   )
   select existing.tenant_id, existing.idempotency_key, existing.request_hash,
          existing.id, event.body as event_body
     from existing
     join event on event.tenant_id = existing.tenant_id and event.id = existing.id`,
);

/** Payments that have one of these ids or one of these idempotency keys. */
export function findExistingPayments(database: Queryable, keys: readonly PaymentKey[]): Promise<ExistingPayment[]> {
  return database.run(findExisting, keyColumns.parametersOf(keys));
}

/** Selects a payment as `TransactionRow`, from `transaction t`. */
export const paymentColumns = `t.tenant_id, t.id, t.livemode, t.amount, t.amount_refunded, t.amount_refund_held, t.currency, t.status,
  t.channel_id, t.user_id, t.description, t.metadata, t.customer_id, t.invoice_id, t.failure_code, t.failure_message,
  t.provider, t.provider_reference, t.payment_method, t.payment_method_sealed, t.return_url, t.next_action, t.version, t.created_at, t.updated_at`;

/** Many payments, each by tenant and id; ids that do not exist are left out. Arrays: tenants, ids. */
export const findPayments = statement<TransactionRow>(
  'transactions.find_many',
  `select ${paymentColumns}
     from unnest($1::bigint[], $2::uuid[]) as wanted (tenant_id, id)
     join transaction t on t.tenant_id = wanted.tenant_id and t.id = wanted.id`,
);

/** A payment of any tenant, for platform administrators: one index lookup per tenant. Values: id. */
export const findPaymentInAnyTenant = statement<TransactionRow>(
  'transactions.find_in_any_tenant',
  `select ${paymentColumns}
     from tenant
     join transaction t on t.tenant_id = tenant.id and t.id = $1`,
);

/** A payment, locked for the rest of the transaction. Values: tenant, id. */
export const lockPayment = statement<TransactionRow>(
  'transactions.lock_one',
  `select ${paymentColumns} from transaction t where t.tenant_id = $1 and t.id = $2 for update`,
);
