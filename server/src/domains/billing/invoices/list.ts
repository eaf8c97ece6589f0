import type { Static } from 'typebox';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { type ListedInvoice, recordOf } from './record.ts';
import type { invoiceListQuery } from './schema.ts';
import { type InvoiceRow, invoiceColumns } from './statements.ts';

/** What the list is narrowed to, of `invoice i`; null means all. Values: $2 status, $3 customer, $4 subscription. */
const filters = `($2::text is null or i.status = $2) and ($3::bigint is null or i.customer_id = $3)
         and ($4::bigint is null or i.subscription_id = $4)`;

const countInvoices = statement<{ total: number }>(
  'invoices.count',
  `select count(*) as total from invoice i where i.tenant_id = any ($1::bigint[]) and ${filters}`,
);

const listInvoices = statement<InvoiceRow>(
  'invoices.list',
  `select ${invoiceColumns}
     from invoice i
    where i.tenant_id = any ($1::bigint[]) and ${filters}
    order by i.id desc offset $5::bigint limit $6::bigint`,
);

/** One page of invoices, newest first, with the exact total: both of one moment. */
export function readInvoicePage(
  database: Database,
  query: Static<typeof invoiceListQuery>,
  principal: Principal,
): Promise<{ data: ListedInvoice[]; pagination: Pagination }> {
  const { page = 1, pageSize = defaultPageSize, status, customerId, subscriptionId } = query;
  return database.snapshot(async (moment) => {
    const values = [await tenantsSeen(moment, principal), status, customerId, subscriptionId];
    const [count] = await moment.run(countInvoices, values);
    const rows = await moment.run(listInvoices, [...values, (page - 1) * pageSize, pageSize]);
    return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
  });
}
