import type { PaymentRequest } from '../../payments/transactions/create.ts';
import { numberText } from './rules.ts';
import type { LockedInvoice } from './statements.ts';

/** A payment of an invoice. Without `changes`, it uses the payment method stored with the customer. */
export function paymentRequestOf(
  invoice: LockedInvoice,
  id: string,
  amount: number,
  channelId: number,
  changes: { paymentMethod?: string | undefined; returnUrl?: string | undefined } = {},
): PaymentRequest {
  return {
    id,
    tenantId: invoice.tenant_id,
    userId: invoice.user_id,
    amount,
    currency: invoice.currency,
    channelId,
    customerId: invoice.customer_id,
    invoiceId: invoice.id,
    description: numberText(invoice.number as number),
    metadata: invoice.metadata,
    paymentMethod: changes.paymentMethod ?? invoice.payment_method,
    returnUrl: changes.returnUrl ?? null,
  };
}
