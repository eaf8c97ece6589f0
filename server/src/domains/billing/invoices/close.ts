import type { Static } from 'typebox';
import { utcDay } from '../../../core/clock.ts';
import { notFound } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { customerNowMs } from '../customers/read.ts';
import { lockInvoices } from './automatic-payments.ts';
import type { InvoiceDeps } from './deps.ts';
import { appendPaidEvents } from './events.ts';
import { allocateNumbers } from './issue.ts';
import { detailOf, type InvoiceRecord } from './record.ts';
import { requireTransition } from './rules.ts';
import type { voidInput } from './schema.ts';
import { findInvoice, type InvoiceRow, invoiceColumns, type LockedInvoice } from './statements.ts';
import { type InvoiceStatus, permittedTransitions } from './states.ts';

const updateStatus = statement<InvoiceRow>(
  'invoices.move',
  `update invoice i
      set status = $3, number = coalesce($4, i.number), due_date = coalesce($5::date, i.due_date),
          finalized_at = case when $3 in ('OPEN', 'PAID') then to_timestamp($6::float8 / 1000) else i.finalized_at end,
          paid_at = case when $3 = 'PAID' then to_timestamp($6::float8 / 1000) else i.paid_at end,
          closed_at = case when $3 in ('VOID', 'UNCOLLECTIBLE') then to_timestamp($6::float8 / 1000) else i.closed_at end,
          version = i.version + 1, updated_at = greatest(to_timestamp($6::float8 / 1000), i.updated_at)
    where i.tenant_id = $1 and i.id = $2 and (i.status, $3) in (${permittedTransitions})
   returning ${invoiceColumns}`,
);

/**
 * Makes a draft an invoice: OPEN, with the next number of its tenant. The number is locked until this is committed, so that
 * there are no holes. An invoice with nothing to pay is PAID at once, and told.
 */
export async function finalizeInvoice(id: number, principal: Principal, deps: InvoiceDeps): Promise<InvoiceRecord> {
  return changeInvoice(id, principal, deps, async (transaction, invoice, nowMs) => {
    const to = invoice.total === 0 ? 'PAID' : 'OPEN';
    requireTransition(invoice, invoice.status === 'DRAFT' ? to : 'OPEN');
    const [number] = (await allocateNumbers(transaction, [invoice.tenant_id])) as [number];
    const row = await setStatus(transaction, invoice, to, nowMs, number, invoice.due_date ?? utcDay(nowMs));
    if (to === 'PAID') await appendPaidEvents(transaction, [row], deps.drawUuid);
    return row;
  });
}

/** Makes an invoice void, or gives it up as uncollectible. Refused while a payment of it is under way. */
export function voidInvoice(
  { id, uncollectible = false }: Static<typeof voidInput>,
  principal: Principal,
  deps: InvoiceDeps,
): Promise<InvoiceRecord> {
  const to = uncollectible ? 'UNCOLLECTIBLE' : 'VOID';
  return changeInvoice(id, principal, deps, async (transaction, invoice, nowMs) => {
    requireTransition(invoice, to);
    const row = await setStatus(transaction, invoice, to, nowMs);
    await deps.invoiceFollowers.closed(transaction, { tenantId: row.tenant_id, invoiceId: row.id, atMs: nowMs });
    return row;
  });
}

/** Changes an invoice under its lock; `nowMs` is its customer's time. */
async function changeInvoice(
  id: number,
  principal: Principal,
  { database, clock }: InvoiceDeps,
  change: (transaction: Queryable, invoice: LockedInvoice, nowMs: number) => Promise<InvoiceRow>,
): Promise<InvoiceRecord> {
  const { tenant_id: tenantId } = await readInvoice(database, id, principal);
  return database.transaction(async (transaction) => {
    const [invoice] = (await lockInvoices(transaction, [{ tenantId, invoiceId: id }])) as [LockedInvoice];
    return detailOf(transaction, await change(transaction, invoice, customerNowMs(invoice, clock())));
  });
}

async function setStatus(
  transaction: Queryable,
  { tenant_id, id }: LockedInvoice,
  to: InvoiceStatus,
  nowMs: number,
  number: number | null = null,
  dueDate: string | null = null,
): Promise<InvoiceRow> {
  const [row] = await transaction.run(updateStatus, [tenant_id, id, to, number, dueDate, nowMs]);
  if (row === undefined) throw new Error(`Invoice ${id} moved while it was locked.`);
  return row;
}

/** The invoice of that id, if the caller may see it; absent and foreign ids are refused alike. */
export async function readInvoice(database: Queryable, id: number, principal: Principal): Promise<InvoiceRow> {
  const [row] = await database.run(findInvoice, [await tenantsSeen(database, principal), id]);
  if (row === undefined) throw notFound('invoice', id);
  return row;
}
