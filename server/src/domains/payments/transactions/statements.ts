import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { appendEventsCte, wakesSenders } from '../../webhooks/events/append-events.cte.ts';
import { openOperationsCte, operationsDue } from '../operations/open.cte.ts';
import type { TransactionStatus } from './states.ts';
import { countTotalsCte, rollupsDue } from './totals.cte.ts';

export interface TransactionRow {
  tenant_id: number;
  id: string;
  amount: number;
  amount_refunded: number;
  /** Of all refunds that have not failed or been called off: what can no longer be given back. */
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
  /** That of the channel when the payment was made; null: Florin records, and the status moves by update. */
  provider: string | null;
  provider_reference: string | null;
  payment_method: string | null;
  return_url: string | null;
  next_action: Record<string, unknown> | null;
  version: number;
  created_at: string;
  updated_at: string;
}

/** A payment about to be written, with the event that tells of it. */
export interface Draft {
  tenantId: number;
  id: string;
  amount: number;
  currency: string;
  channelId: number;
  userId: number;
  description: string | null;
  metadataJson: string | null;
  customerId: number | null;
  invoiceId: number | null;
  paymentMethod: string | null;
  returnUrl: string | null;
  /** Named by the channel: a charge is then opened with the payment. */
  provider: string | null;
  createdMs: number;
  eventBody: string;
  idempotencyKey: string | null;
  /** SHA-256 of the request, in hex; kept only beside a key. */
  requestHash: string | null;
}

/**
 * The whole of a batch of creates in one statement: payments, their events, a delivery for each endpoint that
 * listens, and what they add to the totals. A payment whose id or Idempotency-Key already stands is left out, and so
 * is all that would follow from it. The created event carries the payment's own id.
 */
const createBatch = statement<{ id: string; deliveries: number; has_operation: boolean }>(
  'transactions.create_batch',
  `with input as (
     select * from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
                          $8::text[], $9::bigint[], $10::bigint[], $11::float8[], $12::text[], $13::text[], $14::text[],
                          $15::text[], $16::text[], $17::text[])
       as row (tenant_id, id, amount, currency, channel_id, user_id, description,
               metadata, customer_id, invoice_id, created_ms, body, idempotency_key, request_hash,
               payment_method, return_url, provider)
   ),
   created as (
     insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, description, metadata,
                              customer_id, invoice_id, idempotency_key, request_hash, provider, payment_method,
                              return_url, created_at, updated_at)
     select tenant_id, id, amount, currency, 'PENDING', channel_id, user_id, description, metadata::json,
            customer_id, invoice_id, idempotency_key, decode(request_hash, 'hex'), provider, payment_method, return_url,
            to_timestamp(created_ms / 1000), to_timestamp(created_ms / 1000)
       from input
     on conflict do nothing
     returning tenant_id, id, amount, currency, channel_id, user_id, provider, created_at
   ),
   news as (
     select tenant_id, id, 'transaction.created' as type, 'txn_' || replace(id::text, '-', '') as object_id,
            created_at, body
       from created join input using (tenant_id, id)
   ),
   ${appendEventsCte},
   operation as (
     select tenant_id, id as transaction_id, 1 as number, 'CHARGE' as kind, null::uuid as refund_id, channel_id,
            provider, amount, created_at as at
       from created
      where provider is not null
   ),
   ${openOperationsCte},
   change as (
     select tenant_id, channel_id, user_id, 'PENDING' as status, created_at, currency, 1 as count, amount from created
   ),
   ${countTotalsCte}
   select id, (select count(*) from enqueued) as deliveries, provider is not null as has_operation from created`,
  {
    wakes: [
      { topic: rollupsDue, when: (rows) => rows.length > 0 },
      wakesSenders,
      { topic: operationsDue, when: (rows) => rows.some(({ has_operation }) => has_operation) },
    ],
  },
);

export async function createMany(
  database: Queryable,
  drafts: readonly Draft[],
): Promise<{ id: string; deliveries: number }[]> {
  const column = <Value extends string | number | null>(value: (draft: Draft) => Value) => drafts.map(value);
  return database.run(createBatch, [
    plainArray(column((draft) => draft.tenantId)),
    plainArray(column((draft) => draft.id)),
    plainArray(column((draft) => draft.amount)),
    plainArray(column((draft) => draft.currency)),
    plainArray(column((draft) => draft.channelId)),
    plainArray(column((draft) => draft.userId)),
    textArray(column((draft) => draft.description)),
    textArray(column((draft) => draft.metadataJson)),
    plainArray(column((draft) => draft.customerId)),
    plainArray(column((draft) => draft.invoiceId)),
    plainArray(column((draft) => draft.createdMs)),
    textArray(column((draft) => draft.eventBody)),
    textArray(column((draft) => draft.idempotencyKey)),
    textArray(column((draft) => draft.requestHash)),
    textArray(column((draft) => draft.paymentMethod)),
    textArray(column((draft) => draft.returnUrl)),
    textArray(column((draft) => draft.provider)),
  ]);
}

export interface IdempotencyRecord {
  tenant_id: number;
  idempotency_key: string | null;
  request_hash: string | null;
  id: string;
  body: string;
}

/** What stands under ids or Idempotency-Keys: the payment, and the event that holds its first answer. */
const findKept = statement<IdempotencyRecord>(
  'transactions.find_kept',
  `with wanted as (
     select * from unnest($1::bigint[], $2::uuid[], $3::text[]) as row (tenant_id, id, idempotency_key)
   ),
   standing as (
     select t.tenant_id, t.id, t.idempotency_key, t.request_hash
       from wanted join transaction t on t.tenant_id = wanted.tenant_id and t.id = wanted.id
     union
     select t.tenant_id, t.id, t.idempotency_key, t.request_hash
       from wanted
       join transaction t on t.tenant_id = wanted.tenant_id and t.idempotency_key = wanted.idempotency_key
   )
   select standing.tenant_id, standing.idempotency_key, encode(standing.request_hash, 'hex') as request_hash,
          standing.id, event.body
     from standing
     join event on event.tenant_id = standing.tenant_id and event.id = standing.id`,
);

export async function findKeptAnswers(
  database: Queryable,
  wanted: readonly Pick<Draft, 'tenantId' | 'id' | 'idempotencyKey'>[],
): Promise<IdempotencyRecord[]> {
  return database.run(findKept, [
    plainArray(wanted.map((draft) => draft.tenantId)),
    plainArray(wanted.map((draft) => draft.id)),
    textArray(wanted.map((draft) => draft.idempotencyKey)),
  ]);
}

/** A payment as `TransactionRow`, from `transaction t`. */
export const columns = `t.tenant_id, t.id, t.amount, t.amount_refunded, t.amount_refund_held, t.currency, t.status,
  t.channel_id, t.user_id, t.description, t.metadata, t.customer_id, t.invoice_id, t.failure_code, t.failure_message,
  t.provider, t.provider_reference, t.payment_method, t.return_url, t.next_action, t.version, t.created_at, t.updated_at`;

/** Many payments at once, each by tenant and id; those that are not there are left out. */
export const findMany = statement<TransactionRow>(
  'transactions.find_many',
  `select ${columns}
     from unnest($1::bigint[], $2::uuid[]) as wanted (tenant_id, id)
     join transaction t on t.tenant_id = wanted.tenant_id and t.id = wanted.id`,
);

/** A payment in whichever tenant it is: one look into the index per tenant, for platform administrators. */
export const findInAnyTenant = statement<TransactionRow>(
  'transactions.find_in_any_tenant',
  `select ${columns}
     from tenant
     join transaction t on t.tenant_id = tenant.id and t.id = $1`,
);

export const lockOne = statement<TransactionRow>(
  'transactions.lock_one',
  `select ${columns} from transaction t where t.tenant_id = $1 and t.id = $2 for update`,
);
