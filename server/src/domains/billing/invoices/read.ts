import { notFound } from '../../../core/errors.ts';
import { seesMode } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import { findInvoice, type InvoiceRow } from './statements.ts';

/** Reads an invoice that the caller may see. An unknown id and another tenant's id get the same refusal, which names `field`. */
export async function readInvoice(
  database: Queryable,
  id: number,
  principal: Principal,
  field = 'id',
): Promise<InvoiceRow> {
  const [row] = await database.run(findInvoice, [await visibleTenants(database, principal), id]);
  if (row === undefined || !seesMode(principal, row.livemode)) throw notFound('invoice', id, field);
  return row;
}
