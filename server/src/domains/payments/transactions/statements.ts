import { uuidTimeMs } from '../../../core/id.ts';
import { byteaArray } from '../../../platform/postgres/array-literal.ts';
import { columns } from '../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { relation, same } from '../../../platform/postgres/relation.ts';
import { type Statement, statement } from '../../../platform/postgres/statement.ts';
import {
  appendEventDrafts,
  eventBody,
  wakesDeliveries,
  wakesStreams,
} from '../../webhooks/events/append-events.cte.ts';
import { digestFor } from '../../webhooks/events/digests.ts';
import { openOperations, operationsDue } from '../operation-queue/open.cte.ts';
import { type PaymentRecord, type PaymentRow, payment } from './record.ts';
import { countTotals, rollupsDue } from './totals/totals.cte.ts';

/** A payment to insert, with what its create writes besides. */
export interface NewPayment {
  row: PaymentRow;
  /** The payment as it is shown: the answer, and the object of the event. */
  record: PaymentRecord;
  /** The body of its `transaction.created` event. */
  eventBody: string;
  /** Whether no payer waits for it, as for a renewal: charges of others are sent first. */
  background: boolean;
  idempotencyKey: string | null;
  /** SHA-256 of the request; null without an idempotency key. */
  requestHash: Buffer | null;
}

/** A new payment as it is shown, and the event of its creation, which has the payment's own id. */
export function withCreatedEvent(row: PaymentRow): Pick<NewPayment, 'row' | 'record' | 'eventBody'> {
  const record = payment.show(row);
  const { id, livemode } = row;
  const head = { id, type: 'transaction.created', createdMs: uuidTimeMs(id), livemode } as const;
  return { row, record, eventBody: eventBody(head, record) };
}

const newPaymentColumns = columns<NewPayment>([
  ...payment.insertColumns(({ row }: NewPayment) => row),
  ['background', 'boolean', ({ background }) => background],
  ['event_body', 'text', ({ eventBody }) => eventBody],
  ['idempotency_key', 'text', ({ idempotencyKey }) => idempotencyKey],
  ['request_hash', 'bytea', ({ requestHash }) => requestHash],
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

const createdEvents = relation(
  'event_draft',
  {
    ...same(['tenant_id', 'id', 'livemode']),
    type: `'transaction.created'`,
    object_id: `'txn_' || replace(id::text, '-', '')`,
    created_at: 'created_at',
    body: 'event_body',
    digest: 'event_digest',
  },
  'from created',
);

const charges = relation(
  'operation',
  {
    tenant_id: 'tenant_id',
    transaction_id: 'id',
    number: '1',
    kind: `'CHARGE'`,
    refund_id: 'null::uuid',
    ...same(['channel_id', 'provider', 'amount', 'background']),
    at: 'created_at',
  },
  'from created where provider is not null',
);

const creations = relation(
  'change',
  {
    ...same(['tenant_id', 'livemode', 'channel_id', 'user_id']),
    status: `'PENDING'`,
    ...same(['created_at', 'currency']),
    count: '1',
    amount: 'amount',
  },
  'from created',
);

const insertedIds = 'array(select id from inserted where inserted.tenant_id = event_subscribers.tenant_id)';

/**
 * Writes a batch of payments in one statement: the payments, their events, a delivery for each subscribed endpoint, the
 * charges to open at providers, and the totals. The created event has the payment's own id.
 *
 * With `skipsRepeats`, a payment whose id or Idempotency-Key is taken is left out, with everything that would follow
 * from it. Without, such a payment fails the whole statement, which takes a quarter less of PostgreSQL's time: 33
 * instead of 43 µs for a payment in a batch of 32, and 38 instead of 58 µs with keys.
 *
 * `isManual`: of payments that are captured by requests. A statement of their own spares all others the column.
 */
function createBatch(
  name: string,
  { skipsRepeats, isManual = false }: { skipsRepeats: boolean; isManual?: boolean },
): Statement<InsertedRow> {
  return statement<InsertedRow>(
    name,
    `with input as materialized (
     ${newPaymentColumns.relation([['event_digest', 'bytea']])}
   ),
   inserted as (
     insert into transaction (${payment.inserted.columns}, idempotency_key, request_hash)
     select ${payment.inserted.valuesWith(isManual ? { capture_method: `'MANUAL'` } : {})},
            idempotency_key, request_hash
       from input
     ${skipsRepeats ? 'on conflict do nothing returning tenant_id, id' : ''}
   ),
   created as ${skipsRepeats ? 'materialized' : 'not materialized'} (
     select tenant_id, id, livemode, amount, currency, channel_id, user_id, provider, background, event_body,
            event_digest, to_timestamp(created_ms / 1000) as created_at
       from input ${skipsRepeats ? 'join inserted using (tenant_id, id)' : ''}
   ),
   ${createdEvents.cte},
   ${appendEventDrafts(createdEvents)},
   ${charges.cte},
   ${openOperations(charges)},
   ${creations.cte},
   ${countTotals(creations)}
   select tenant_id, cardinality(endpoints) as deliveries,
          ${skipsRepeats ? insertedIds : 'null::uuid[]'} as ids,
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
const createManual = createBatch('transactions.create_manual_batch', { skipsRepeats: false, isManual: true });
const createManualUnlessRepeated = createBatch('transactions.create_manual_batch_unless_repeated', {
  skipsRepeats: true,
  isManual: true,
});

const isManual = ({ row }: NewPayment) => row.capture_method === 'MANUAL';

/** The payments of a batch that one statement can insert together. */
export function insertableTogether(payments: readonly NewPayment[]): (readonly NewPayment[])[] {
  if (!payments.some(isManual)) return [payments];
  return [payments.filter((payment) => !isManual(payment)), payments.filter(isManual)].filter(
    ({ length }) => length > 0,
  );
}

/**
 * Inserts payments (`insertableTogether`). Throws a violation of a unique constraint when an id or Idempotency-Key is
 * taken.
 */
export function insertNewPayments(database: Queryable, payments: readonly NewPayment[]): Promise<InsertedRow[]> {
  return database.run(payments.some(isManual) ? createManual : createNew, parametersOf(payments, database));
}

/** Inserts the payments (`insertableTogether`) whose id and Idempotency-Key are free. */
export function insertPaymentsUnlessRepeated(
  database: Queryable,
  payments: readonly NewPayment[],
): Promise<InsertedRow[]> {
  const statement = payments.some(isManual) ? createManualUnlessRepeated : createUnlessRepeated;
  return database.run(statement, parametersOf(payments, database));
}

function parametersOf(payments: readonly NewPayment[], database: Queryable): Buffer[] {
  const digests = payments.map(({ row, eventBody }) =>
    digestFor(database, { tenantId: row.tenant_id, body: eventBody }),
  );
  return [...newPaymentColumns.parametersOf(payments), byteaArray(digests)];
}

/** A payment that has an id or idempotency key already, with the event that holds the answer of its create. */
export interface ExistingPayment {
  tenant_id: number;
  id: string;
  idempotency_key: string | null;
  request_hash: Buffer | null;
  event_body: string;
}

/** The payment of a create, by its id or by the idempotency key of its request. */
export interface PaymentKey extends Pick<NewPayment, 'idempotencyKey' | 'requestHash'> {
  tenantId: number;
  id: string;
}

export function keyOf({ row, idempotencyKey, requestHash }: NewPayment): PaymentKey {
  return { tenantId: row.tenant_id, id: row.id, idempotencyKey, requestHash };
}

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

/** Selects a `PaymentRow` from `transaction t`. */
export const paymentColumns = payment.select();

/** Many payments, each by tenant and id; ids that do not exist are left out. Arrays: tenants, ids. */
export const findPayments = statement<PaymentRow>(
  'transactions.find_many',
  `select ${paymentColumns}
     from unnest($1::bigint[], $2::uuid[]) as wanted (tenant_id, id)
     join transaction t on t.tenant_id = wanted.tenant_id and t.id = wanted.id`,
);

/** A payment of any tenant, for platform administrators: one index lookup per tenant. Values: id. */
export const findPaymentInAnyTenant = statement<PaymentRow>(
  'transactions.find_in_any_tenant',
  `select ${paymentColumns}
     from tenant
     join transaction t on t.tenant_id = tenant.id and t.id = $1`,
);

/** A payment, locked for the rest of the transaction. Values: tenant, id. */
export const lockPayment = statement<PaymentRow>(
  'transactions.lock_one',
  `select ${paymentColumns} from transaction t where t.tenant_id = $1 and t.id = $2 for update`,
);
