import { Type } from 'typebox';
import { maximumAmount } from '../../../../core/currency.ts';
import { currencyField, metadataField, searchField } from '../../../../platform/http/list-query.ts';
import { long } from '../../../../platform/http/shapes.ts';
import { listFilters, noCondition } from '../../../../platform/lists/filters.ts';
import {
  firstFilter,
  listStatements,
  type RowSource,
  readStatement,
} from '../../../../platform/lists/list-statements.ts';
import { hasMetadata } from '../../../../platform/lists/metadata.cte.ts';
import { modeFilter } from '../../../../platform/lists/modes.cte.ts';
import { searchLimit } from '../../../../platform/lists/search.ts';
import { statement } from '../../../../platform/postgres/statement.ts';
import { recordsByReference } from '../../operation-queue/references.cte.ts';
import { type ListedRow, listedPayment, payment } from '../record.ts';
import { transactionStatus } from '../states.ts';
import { usedGroups } from './list-statements.ts';

const amount = (description: string) => Type.Integer({ minimum: 1, maximum: maximumAmount, description });

/**
 * The filters of the list, on `transaction t`. Those with `counted: false` have no index: the list scans for matching
 * rows.
 */
export const transactionFilters = listFilters({
  status: payment.equals('status', transactionStatus),
  channelId: payment.equals('channelId', long('Only payments through this channel.')),
  userId: payment.equals('userId', long('Only payments created by this user or with one of their keys.')),
  customerId: payment.equals('customerId', long('Only payments of this customer.')),
  invoiceId: payment.equals('invoiceId', long('Only payments of this invoice.')),
  currency: { ...payment.equals('currency', currencyField), counted: false },
  amountFrom: {
    ...payment.atLeast('amount', amount('Only payments of at least this amount, in minor units.')),
    counted: false,
  },
  amountTo: {
    ...payment.atMost('amount', amount('Only payments of at most this amount, in minor units.')),
    counted: false,
  },
  metadata: {
    field: metadataField,
    type: 'json',
    condition: (value) => hasMetadata('t.metadata', value),
    counted: false,
  },
  /**
   * A search that is no id, as the beginning of the description. An index on it would slow down every create by 4 %.
   */
  described: {
    type: 'text',
    condition: (value) => `starts_with(lower(t.description), lower(${value}))`,
    counted: false,
  },
  modes: modeFilter('t.livemode'),
  /** Found by `findByReference` and `findBySearch`. */
  ids: { type: 'uuid[]', condition: (value) => `t.id = any (${value})` },
  /** The UTC days of the range, for `usedGroups`. */
  firstDay: { type: 'date', condition: noCondition },
  lastDay: { type: 'date', condition: noCondition },
  withJson: { type: 'boolean', condition: noCondition },
});

/** Filters that become `ids` before the list is read. */
export const lookedUpFilters = {
  providerReference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Only payments of which the provider knows a charge by this id (`providerReference`).',
    }),
  ),
  search: searchField(
    "their id, the provider's id, the `Idempotency-Key` of their create, or the id of their customer or " +
      'invoice; if there are none, by the beginning of their description',
  ),
};

const value = (name: Parameters<typeof transactionFilters.value>[0]) => transactionFilters.value(name, firstFilter);

const rows: RowSource = { from: 'transaction t', alias: 't', key: 'uuid' };
const columns = listedPayment.select(value('withJson'));

/** Statements by the filter that finds the rows. */
export const statements = listStatements<ListedRow, 'ids' | 'invoiceId' | 'customerId'>(
  'transactions',
  rows,
  columns,
  transactionFilters,
  ['ids', 'invoiceId', 'customerId'],
);

/** Reads payments by status, channel and user: each group in use from the one index for these filters. */
export const readGroups = readStatement<ListedRow>(
  'transactions.read_groups',
  {
    ...rows,
    groups: `select row_number() over () as number, range.tenant_id, from_key, to_key, channel_id, user_id, status
       from range join (${usedGroups(
         '$1::bigint[]',
         value('modes'),
         `coalesce(${value('channelId')}, 0)`,
         `coalesce(${value('userId')}, 0)`,
         `coalesce(${value('status')}, '*')`,
         value('firstDay'),
         value('lastDay'),
       )}) as used using (tenant_id)`,
    condition: 't.channel_id = source.channel_id and t.user_id = source.user_id and t.status = source.status',
  },
  columns,
  transactionFilters,
);

/** Payments by a provider's id of one of their charges. Values: tenants, reference. */
export const findByReference = statement<{ id: string }>(
  'transactions.find_by_reference',
  `select transaction_id as id from (${recordsByReference('$1::bigint[]', '$2::text')}) as found
    where refund_id is null limit ${searchLimit}`,
);

/**
 * Payments by one of their ids, each branch by its own index. Values: tenants; the text as a payment's id, as an
 * integer (null: it is none), and as it is.
 */
export const findBySearch = statement<{ id: string }>(
  'transactions.find_by_search',
  `select found.id
     from unnest($1::bigint[]) as visible (tenant_id)
    cross join lateral (
      select id from transaction where tenant_id = visible.tenant_id and id = $2::uuid
      union
      select id from transaction where tenant_id = visible.tenant_id and idempotency_key = $4
      union
      (select id from transaction where tenant_id = visible.tenant_id and customer_id = $3::bigint limit ${searchLimit})
      union
      (select id from transaction where tenant_id = visible.tenant_id and invoice_id = $3::bigint limit ${searchLimit})
    ) as found
    union
   select transaction_id from (${recordsByReference('$1::bigint[]', '$4::text')}) as referenced where refund_id is null
    limit ${searchLimit}`,
);
