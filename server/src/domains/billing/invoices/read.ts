import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { readVisible } from '../../identity/tenants/read-visible.ts';
import type { MailedInvoice } from '../customer-mails/invoices.ts';
import type { InvoiceKey } from './lock.ts';
import { numberText } from './number.ts';
import { findInvoice, findMailedInvoice, type InvoiceRow } from './statements.ts';

/** Reads an invoice that the caller may see. `field` is the input field that names it. */
export function readInvoice(
  database: Queryable,
  id: number,
  principal: Principal,
  field?: string,
): Promise<InvoiceRow> {
  return readVisible(database, findInvoice, { noun: 'invoice', id, field }, principal);
}

/** What a mail says of an invoice. Undefined: there is none. */
export async function readMailedInvoice(
  database: Queryable,
  { tenantId, invoiceId }: InvoiceKey,
): Promise<MailedInvoice | undefined> {
  const [row] = await database.run(findMailedInvoice, [tenantId, invoiceId]);
  return row && { ...row, number: numberText(row.number, row.series), is_open: row.status === 'OPEN' };
}
