import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import { findInvoice, type InvoiceRow } from './statements.ts';

/** Reads an invoice that the caller may see. `field` is the input field that names it. */
export function readInvoice(
  database: Queryable,
  id: number,
  principal: Principal,
  field?: string,
): Promise<InvoiceRow> {
  return readVisible(database, findInvoice, { noun: 'invoice', id, field }, principal);
}
