import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type LockedInvoice, lockInvoiceRows } from './statements.ts';

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
