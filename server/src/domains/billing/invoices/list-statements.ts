import { Type } from 'typebox';
import { maximumAmount } from '../../../core/currency.ts';
import { form } from '../../../core/refusal-rules.ts';
import { currencyField, metadataField, searchField } from '../../../platform/http/list-query.ts';
import { long } from '../../../platform/http/shapes.ts';
import { createdFilters } from '../../../platform/lists/created.cte.ts';
import { listFilters } from '../../../platform/lists/filters.ts';
import { listStatements } from '../../../platform/lists/list-statements.ts';
import { hasMetadata } from '../../../platform/lists/metadata.cte.ts';
import { modeFilter } from '../../../platform/lists/modes.cte.ts';
import { searchLimit } from '../../../platform/lists/search.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { customersKnownAs } from '../customers/known-as.cte.ts';
import { type InvoiceRow, invoiceColumns } from './statements.ts';
import { invoiceStatuses } from './states.ts';

const total = (description: string) => Type.Integer({ minimum: 0, maximum: maximumAmount, description });

const dueDay = (when: string) =>
  Type.String({
    format: 'date',
    pattern: '^(?!0000)',
    title: form('day'),
    description: `Only invoices with a \`dueDate\` ${when} this day, YYYY-MM-DD.`,
  });

/** The filters of the list, on `invoice i`. */
export const invoiceFilters = listFilters({
  status: {
    field: Type.Optional(Type.Enum([...invoiceStatuses])),
    type: 'text',
    condition: (value) => `i.status = ${value}`,
  },
  number: {
    field: Type.Optional(
      Type.String({
        pattern: '^(INV|TEST)-[0-9]{6,15}$',
        title: form('invoice_number'),
        description: 'Only the invoice with this number, such as `INV-000001`.',
      }),
    ),
    type: 'text',
    condition: (value) => `i.series = split_part(${value}, '-', 1) and i.number = split_part(${value}, '-', 2)::bigint`,
  },
  dueFrom: {
    field: Type.Optional(dueDay('on or after')),
    type: 'date',
    condition: (value) => `i.due_date >= ${value}`,
    counted: false,
  },
  dueTo: {
    field: Type.Optional(dueDay('on or before')),
    type: 'date',
    condition: (value) => `i.due_date <= ${value}`,
    counted: false,
  },
  customerId: {
    field: Type.Optional(long('Only invoices of this customer.')),
    type: 'bigint',
    condition: (value) => `i.customer_id = ${value}`,
  },
  subscriptionId: {
    field: Type.Optional(long('Only invoices of this subscription.')),
    type: 'bigint',
    condition: (value) => `i.subscription_id = ${value}`,
  },
  currency: { field: currencyField, type: 'text', condition: (value) => `i.currency = ${value}`, counted: false },
  amountFrom: {
    field: Type.Optional(total('Only invoices with at least this `total`, in minor units.')),
    type: 'bigint',
    condition: (value) => `i.total >= ${value}`,
    counted: false,
  },
  amountTo: {
    field: Type.Optional(total('Only invoices with at most this `total`, in minor units.')),
    type: 'bigint',
    condition: (value) => `i.total <= ${value}`,
    counted: false,
  },
  toReturn: {
    field: Type.Optional(Type.Boolean({ description: 'true: only invoices with an `amountToReturn`.' })),
    type: 'boolean',
    condition: (value) => `(not ${value} or exists (
      select from invoice_payment p
        join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
       where p.tenant_id = i.tenant_id and p.invoice_id = i.id and p.excess > 0 and p.excess > t.amount_refund_held))`,
    counted: false,
  },
  metadata: {
    field: metadataField,
    type: 'json',
    condition: (value) => hasMetadata('i.metadata', value),
    counted: false,
  },
  ...createdFilters('i.created_at'),
  modes: modeFilter('i.livemode'),
  /** Found by `findBySearch`. */
  ids: { type: 'bigint[]', condition: (value) => `i.id = any (${value})` },
});

export const invoiceSearch = searchField(
  'their id, their number, the beginning of their description, or the mail address or external id of their customer',
);

export const statements = listStatements<InvoiceRow, 'ids' | 'number' | 'subscriptionId' | 'customerId'>(
  'invoices',
  { from: 'invoice i', alias: 'i', key: 'bigint' },
  invoiceColumns,
  invoiceFilters,
  ['ids', 'number', 'subscriptionId', 'customerId'],
);

/** The indexed length of a description. */
export const indexedDescription = 40;

/**
 * Searches invoices; each branch uses its own index. Values: tenants; the text as an integer, as the series and number
 * of an invoice (null: it is none) and unchanged; a pattern for the first characters of a description that begins with
 * the text.
 */
export const findBySearch = statement<{ id: number }>(
  'invoices.find_by_search',
  `select found.id
     from unnest($1::bigint[]) as visible (tenant_id)
    cross join lateral (
      select id from invoice where tenant_id = visible.tenant_id and id = $2::bigint
      union
      select id from invoice where tenant_id = visible.tenant_id and series = $3 and number = $4::bigint
      union
      (select i.id
         from (
           ${customersKnownAs('visible.tenant_id', '$5')}
         ) as payer
         join invoice i on i.tenant_id = visible.tenant_id and i.customer_id = payer.id
        limit ${searchLimit})
      union
      (select id from invoice
        where tenant_id = visible.tenant_id and lower(left(description, ${indexedDescription})) like lower($6)
          and starts_with(lower(description), lower($5)) limit ${searchLimit})
    ) as found
    limit ${searchLimit}`,
);
