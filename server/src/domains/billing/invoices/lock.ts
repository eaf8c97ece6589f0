import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { findOpenPayments, type LockedInvoice, lockInvoiceRows, type OpenPayment } from './statements.ts';

export interface InvoiceKey {
  tenantId: number;
  invoiceId: number;
}

/** Identifies an invoice in a Map. */
export const mapKeyOf = ({ tenantId, invoiceId }: InvoiceKey): string => `${tenantId}/${invoiceId}`;

export const keyOfRow = ({ tenant_id, id }: { tenant_id: number; id: number }): InvoiceKey => ({
  tenantId: tenant_id,
  invoiceId: id,
});

/** Locks each invoice once, in key order. The result omits unknown invoices. */
export function lockInvoices(transaction: Queryable, wanted: readonly InvoiceKey[]): Promise<LockedInvoice[]> {
  const ordered = [...new Map(wanted.map((key) => [mapKeyOf(key), key])).values()].toSorted(
    (a, b) => a.tenantId - b.tenantId || a.invoiceId - b.invoiceId,
  );
  return transaction.run(lockInvoiceRows, [
    plainArray(ordered.map(({ tenantId }) => tenantId)),
    plainArray(ordered.map(({ invoiceId }) => invoiceId)),
  ]);
}

/**
 * The open payments of locked invoices, by `mapKeyOf`. No statement runs if none of the invoices has ever had a
 * payment.
 */
export async function openPaymentsOf(
  transaction: Queryable,
  invoices: readonly LockedInvoice[],
): Promise<Map<string, OpenPayment[]>> {
  const wanted = invoices.filter(({ payments }) => payments > 0);
  if (wanted.length === 0) return new Map();
  const keys = [plainArray(wanted.map(({ tenant_id }) => tenant_id)), plainArray(wanted.map(({ id }) => id))];
  const found = await transaction.run(findOpenPayments, keys);
  return Map.groupBy(found, ({ tenant_id: tenantId, invoice_id: invoiceId }) => mapKeyOf({ tenantId, invoiceId }));
}
