import type { Static } from 'typebox';
import { visibleModes } from '../../../core/livemode.ts';
import { defaultPageSize, type Pagination, paginationOf } from '../../../core/page.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { type ListedInvoice, recordOf } from './record.ts';
import type { invoiceListQuery } from './schema.ts';
import { countInvoices, listInvoices } from './statements.ts';

/** Reads one page of invoices, newest first, and the exact total from the same snapshot. */
export function readInvoicePage(
  database: Database,
  query: Static<typeof invoiceListQuery>,
  principal: Principal,
): Promise<{ data: ListedInvoice[]; pagination: Pagination }> {
  const { page = 1, pageSize = defaultPageSize, status, customerId, subscriptionId } = query;
  return database.snapshot(async (snapshot) => {
    const namesRecord = customerId !== undefined || subscriptionId !== undefined;
    const modes = visibleModes(principal, query.livemode, { namesRecord });
    const values = [await visibleTenants(snapshot, principal), status, customerId, subscriptionId, modes];
    const [count] = await snapshot.run(countInvoices, values);
    const rows = await snapshot.run(listInvoices, [...values, (page - 1) * pageSize, pageSize]);
    return { data: rows.map(recordOf), pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
  });
}
