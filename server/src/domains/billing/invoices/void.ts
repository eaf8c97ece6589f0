import type { Static } from 'typebox';
import type { GenerateUuid } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import { type ChangeInvoiceDeps, changeInvoice, setStatus } from './change-invoice.ts';
import { appendInvoiceEvents } from './events.ts';
import { openPaymentsOf } from './lock.ts';
import type { InvoiceRecord } from './record.ts';
import { requireTransition, sumOf } from './rules.ts';
import type { voidInput } from './schema.ts';
import type { InvoiceFollowers } from './settlement/followers.ts';

export interface VoidDeps extends ChangeInvoiceDeps {
  generateUuid: GenerateUuid;
  invoiceFollowers: InvoiceFollowers;
}

const eventTypes = { VOID: 'invoice.voided', UNCOLLECTIBLE: 'invoice.uncollectible' } as const;

/** Makes an invoice VOID, or UNCOLLECTIBLE. Refused while one of its payments has not ended. */
export function voidInvoice(
  { id, uncollectible = false }: Static<typeof voidInput>,
  principal: Principal,
  deps: VoidDeps,
): Promise<InvoiceRecord> {
  const to = uncollectible ? 'UNCOLLECTIBLE' : 'VOID';
  return changeInvoice('invoice.void', id, principal, deps, async (transaction, invoice, nowMs) => {
    const open = [...(await openPaymentsOf(transaction, [invoice])).values()].flat();
    requireTransition(invoice, to, sumOf(open));
    const row = await setStatus(transaction, invoice, to, nowMs);
    await appendInvoiceEvents(transaction, [{ type: eventTypes[to], invoice: row }], deps.generateUuid);
    await deps.invoiceFollowers.closed(transaction, { tenantId: row.tenant_id, invoiceId: row.id, atMs: nowMs });
    return row;
  });
}
