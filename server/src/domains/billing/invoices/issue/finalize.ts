import { dayMs, utcDay } from '../../../../core/clock.ts';
import type { Call } from '../../../../platform/http/route.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { BillingApp } from '../../app.ts';
import { sellerOf } from '../../sellers/read.ts';
import { changeInvoice, setStatus } from '../change-invoice.ts';
import { appendInvoiceEvents } from '../events.ts';
import type { InvoiceRecord } from '../record.ts';
import { requireTransition } from '../rules.ts';
import { findDueDays, type InvoiceRow } from '../statements.ts';
import { allocateNumbers } from './numbers.ts';

/**
 * Makes a DRAFT OPEN and gives it the next number of its tenant. The tenant's counter stays locked until the commit, so
 * that numbers have no gaps. The invoice keeps a copy of the seller, and is due after the customer's or the seller's
 * days if it names no day itself. An invoice with a total of 0 becomes PAID at once, with an `invoice.paid` event.
 */
export async function finalizeInvoice(
  { body: { id }, principal }: Call<{ id: number }>,
  app: BillingApp,
): Promise<InvoiceRecord> {
  return changeInvoice('invoice.finalize', id, principal, app, async (transaction, invoice, nowMs) => {
    const to = invoice.total === 0 ? 'PAID' : 'OPEN';
    requireTransition(invoice, invoice.status === 'DRAFT' ? to : 'OPEN');
    const [number] = (await allocateNumbers(transaction, [
      { tenantId: invoice.tenant_id, livemode: invoice.livemode },
    ])) as [number];
    const seller = await sellerOf(transaction, invoice.tenant_id);
    const dueDate = invoice.due_date ?? (await dueDateOf(transaction, invoice, nowMs));
    const row = await setStatus(transaction, invoice, to, nowMs, { number, dueDate, seller });
    const types = to === 'PAID' ? (['invoice.finalized', 'invoice.paid'] as const) : (['invoice.finalized'] as const);
    const events = types.map((type) => ({ type, invoice: row }));
    await appendInvoiceEvents(transaction, events, app.generateUuid);
    return row;
  });
}

async function dueDateOf(database: Queryable, invoice: InvoiceRow, nowMs: number): Promise<string> {
  const { tenant_id, customer_id } = invoice;
  const [{ days }] = (await database.run(findDueDays, [tenant_id, customer_id])) as [{ days: number }];
  return utcDay(nowMs + days * dayMs);
}
