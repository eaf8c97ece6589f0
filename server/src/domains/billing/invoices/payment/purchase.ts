import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { BillingAddress, ChargeLine, Purchase } from '../../../payments/providers/provider.ts';
import type { PurchaseOfPayment } from '../../../payments/transactions/invoice-payments.ts';
import { noAddress } from '../../../payments/transactions/purchase.ts';
import { findCustomer } from '../../customers/statements.ts';
import { findInvoice, findLines } from '../statements.ts';

/** What is bought with a payment, and who pays: the lines of its invoice, and the address of its customer. */
export async function purchaseOf(
  database: Queryable,
  { tenantId, livemode, invoiceId, customerId }: PurchaseOfPayment,
): Promise<Purchase> {
  const [invoice] = invoiceId === null ? [] : await database.run(findInvoice, [[tenantId], invoiceId]);
  const payerId = invoice?.customer_id ?? customerId;
  const [customer] = payerId === null ? [] : await database.run(findCustomer, [[tenantId], payerId]);
  return {
    lines: invoice === undefined ? null : await linesOf(database, tenantId, invoice.id),
    // The id may be that of a customer in another system.
    billingAddress: customer?.livemode === livemode ? addressOf(customer) : null,
  };
}

async function linesOf(database: Queryable, tenantId: number, invoiceId: number): Promise<ChargeLine[]> {
  const rows = await database.run(findLines, [[tenantId], [invoiceId]]);
  return rows.map(({ description, quantity, unit_amount, amount, tax_rate, tax_amount }) => ({
    description,
    quantity,
    unitAmount: unit_amount,
    amount,
    taxRate: tax_rate,
    taxAmount: tax_amount,
  }));
}

interface Payer {
  name: string;
  email: string | null;
  address: Record<string, string> | null;
}

function addressOf({ name, email, address }: Payer): BillingAddress {
  return { ...noAddress, ...address, name, email };
}
