import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { currencyField, metadataField, searchField } from '../../../platform/http/list-query.ts';
import { idOf, long } from '../../../platform/http/shapes.ts';
import { listFilters } from '../../../platform/lists/filters.ts';
import { firstFilter, listStatements } from '../../../platform/lists/list-statements.ts';
import { hasMetadata } from '../../../platform/lists/metadata.cte.ts';
import { searchLimit } from '../../../platform/lists/search.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { recordsByReference } from '../operation-queue/references.cte.ts';
import { type RefundRow, refundColumns } from './statements.ts';
import { refundStatus } from './states.ts';

export type ListedRow = RefundRow & { customer_id: number | null };

const amount = (description: string) => Type.Integer({ minimum: 1, maximum: maximumAmount, description });

/** A condition on the payment of `refund r`. */
const payment = (condition: string) =>
  `exists (select from transaction t where t.tenant_id = r.tenant_id and t.id = r.transaction_id and ${condition})`;

/** The filters of the list, on `refund r`. */
export const refundFilters = listFilters({
  status: {
    field: Type.Optional(refundStatus),
    type: 'text',
    condition: (value) => `r.status = ${value}`,
  },
  channelId: {
    field: Type.Optional(long('Only refunds of payments through this channel.')),
    type: 'bigint',
    condition: (value) => `r.channel_id = ${value}`,
  },
  userId: {
    field: Type.Optional(long('Only refunds created by this user or with one of their keys.')),
    type: 'bigint',
    condition: (value) => `r.user_id = ${value}`,
    counted: false,
  },
  customerId: {
    field: Type.Optional(long('Only refunds of payments of this customer.')),
    type: 'bigint',
    condition: (value) => payment(`t.customer_id = ${value}`),
  },
  invoiceId: {
    field: Type.Optional(long('Only refunds of payments of this invoice.')),
    type: 'bigint',
    condition: (value) => payment(`t.invoice_id = ${value}`),
  },
  currency: { field: currencyField, type: 'text', condition: (value) => `r.currency = ${value}`, counted: false },
  amountFrom: {
    field: Type.Optional(amount('Only refunds of at least this amount, in minor units.')),
    type: 'bigint',
    condition: (value) => `r.amount >= ${value}`,
    counted: false,
  },
  amountTo: {
    field: Type.Optional(amount('Only refunds of at most this amount, in minor units.')),
    type: 'bigint',
    condition: (value) => `r.amount <= ${value}`,
    counted: false,
  },
  metadata: {
    field: metadataField,
    type: 'json',
    condition: (value) => hasMetadata('r.metadata', value),
    counted: false,
  },
  /** The channels of the modes are read once: with a subquery for each refund, a total read a million channels. */
  modes: {
    type: 'boolean[]',
    condition: (value) => `r.channel_id in (select id from channel where livemode = any (${value}))`,
    isMode: true,
  },
  /** The payment of `transactionId`, a public id in the query. */
  paymentId: { type: 'uuid', condition: (value) => `r.transaction_id = ${value}` },
  /** Found by `findByReference` and `findBySearch`. */
  ids: { type: 'uuid[]', condition: (value) => `r.id = any (${value})` },
});

/** Filters that become `paymentId` and `ids` before the list is read. */
export const lookedUpFilters = {
  transactionId: Type.Optional(idOf('txn', 'Only refunds of this payment.')),
  providerReference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Only refunds that the provider knows by this id (`providerReference`).',
    }),
  ),
  search: searchField("their id, the id of their payment, the provider's id or the beginning of their reason"),
};

/** The payments of a customer or an invoice are looked up first: most tenants have far more payments than refunds. */
const ofPayments = (name: 'customerId' | 'invoiceId', column: string) =>
  `r.transaction_id = any (array(
     select t.id from transaction t
      where t.tenant_id = source.tenant_id and t.${column} = ${refundFilters.value(name, firstFilter)}))`;

export const statements = listStatements<ListedRow, 'ids' | 'paymentId' | 'invoiceId' | 'customerId'>(
  'refunds',
  { from: 'refund r', alias: 'r', key: 'uuid' },
  `${refundColumns}, (select t.customer_id from transaction t where t.tenant_id = r.tenant_id and t.id = ` +
    'r.transaction_id) as customer_id',
  refundFilters,
  ['ids', 'paymentId', 'invoiceId', 'customerId'],
  { invoiceId: ofPayments('invoiceId', 'invoice_id'), customerId: ofPayments('customerId', 'customer_id') },
);

/** Refunds by the provider's id. Values: tenants, reference. */
export const findByReference = statement<{ id: string }>(
  'refunds.find_by_reference',
  `select refund_id as id from (${recordsByReference('$1::bigint[]', '$2::text')}) as found
    where refund_id is not null limit ${searchLimit}`,
);

/** How many characters of a reason are indexed. */
export const indexedReason = 40;

/**
 * Values: tenants; the text as a refund's id, as a payment's id (null: it is none), and as it is; a pattern for the
 * first characters of a reason, which must begin with the text.
 */
export const findBySearch = statement<{ id: string }>(
  'refunds.find_by_search',
  `select found.id
     from unnest($1::bigint[]) as visible (tenant_id)
    cross join lateral (
      select id from refund where tenant_id = visible.tenant_id and id = $2::uuid
      union
      select id from refund where tenant_id = visible.tenant_id and transaction_id = $3::uuid
      union
      (select id from refund
        where tenant_id = visible.tenant_id and lower(left(reason, ${indexedReason})) like lower($5)
          and starts_with(lower(reason), lower($4)) limit ${searchLimit})
    ) as found
    union
   select refund_id from (${recordsByReference('$1::bigint[]', '$4::text')}) as referenced where refund_id is not null
    limit ${searchLimit}`,
);
