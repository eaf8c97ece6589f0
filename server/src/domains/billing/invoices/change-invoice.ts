import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { AuditAction } from '../../identity/audit/actions.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { BillingApp } from '../app.ts';
import { customerNowMs } from '../customers/read.ts';
import type { Seller } from '../sellers/statements.ts';
import { lockInvoices } from './lock.ts';
import { readInvoice } from './read.ts';
import { detailOf, type InvoiceRecord, recordOf } from './record.ts';
import { type InvoiceRow, type LockedInvoice, updateStatus } from './statements.ts';
import type { InvoiceStatus } from './states.ts';

/** Changes one invoice under its lock and appends `action` to the audit log. `nowMs` is the customer's current time. */
export async function changeInvoice(
  action: AuditAction,
  id: number,
  principal: Principal,
  { database, clock }: BillingApp,
  change: (transaction: Queryable, invoice: LockedInvoice, nowMs: number) => Promise<InvoiceRow>,
): Promise<InvoiceRecord> {
  const { tenant_id: tenantId } = await readInvoice(database, id, principal);
  return database.transaction(async (transaction) => {
    const [invoice] = (await lockInvoices(transaction, [{ tenantId, invoiceId: id }])) as [LockedInvoice];
    const row = await change(transaction, invoice, customerNowMs(invoice, clock()));
    const [before, after] = [recordOf(invoice), recordOf(row)];
    await appendAudit(transaction, principal, { action, tenantId, recordId: id, before, after });
    return detailOf(transaction, row);
  });
}

/** Writes the new status of a locked invoice and, when it is finalized, its number, due date and seller. */
export async function setStatus(
  transaction: Queryable,
  { tenant_id, id }: LockedInvoice,
  to: InvoiceStatus,
  nowMs: number,
  { number, dueDate, seller }: { number?: number; dueDate?: string; seller?: Seller } = {},
): Promise<InvoiceRow> {
  const finalized = [number ?? null, dueDate ?? null, nowMs, seller === undefined ? null : JSON.stringify(seller)];
  const [row] = await transaction.run(updateStatus, [tenant_id, id, to, ...finalized]);
  if (row === undefined) throw new Error(`The status of invoice ${id} changed while the invoice was locked.`);
  return row;
}
