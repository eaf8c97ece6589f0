import type { Static } from 'typebox';
import type { Call } from '../../../platform/http/route.ts';
import type { BillingApp } from '../app.ts';
import { changeInvoice, setStatus } from './change-invoice.ts';
import { appendInvoiceEvents } from './events.ts';
import { openPaymentsOf } from './lock.ts';
import type { InvoiceRecord } from './record.ts';
import { requireTransition, sumOf } from './rules.ts';
import type { voidInput } from './schema.ts';

const eventTypes = { VOID: 'invoice.voided', UNCOLLECTIBLE: 'invoice.uncollectible' } as const;

/** Makes an invoice VOID, or UNCOLLECTIBLE. Refused while one of its payments has not ended. */
export function voidInvoice(
  { body: { id, uncollectible = false }, principal }: Call<Static<typeof voidInput>>,
  app: BillingApp,
): Promise<InvoiceRecord> {
  const to = uncollectible ? 'UNCOLLECTIBLE' : 'VOID';
  return changeInvoice('invoice.void', id, principal, app, async (transaction, invoice, nowMs) => {
    const open = [...(await openPaymentsOf(transaction, [invoice])).values()].flat();
    requireTransition(invoice, to, sumOf(open));
    const row = await setStatus(transaction, invoice, to, nowMs);
    await appendInvoiceEvents(transaction, [{ type: eventTypes[to], invoice: row }], app.generateUuid);
    await app.invoiceFollowers.closed(transaction, { tenantId: row.tenant_id, invoiceId: row.id, atMs: nowMs });
    return row;
  });
}
