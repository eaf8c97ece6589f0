import type { PaymentRequest, StoredToken } from '../../../payments/transactions/payments.ts';
import { paymentMethodAssociatedData } from '../../customers/payment-method.ts';
import { numberText } from '../number.ts';
import type { LockedInvoice } from '../statements.ts';

export interface InvoicePaymentRequest extends PaymentRequest {
  invoiceId: number;
}

/** A payment of an invoice. Default: the customer's stored payment method; null: the payer chooses one. */
export function paymentRequestOf(
  invoice: LockedInvoice,
  id: string,
  amount: number,
  channelId: number,
  changes: { paymentMethod?: string | null | undefined; returnUrl?: string | undefined } = {},
): InvoicePaymentRequest {
  return {
    id,
    tenantId: invoice.tenant_id,
    livemode: invoice.livemode,
    userId: invoice.user_id,
    amount,
    currency: invoice.currency,
    channelId,
    customerId: invoice.customer_id,
    invoiceId: invoice.id,
    description: numberText(invoice.number as number, invoice.series),
    metadata: invoice.metadata,
    paymentMethod: changes.paymentMethod === undefined ? storedPaymentMethod(invoice) : changes.paymentMethod,
    returnUrl: changes.returnUrl ?? null,
  };
}

function storedPaymentMethod(invoice: LockedInvoice): StoredToken | string | null {
  const { tenant_id, customer_id, payment_method_sealed: sealed, payment_method: inClear } = invoice;
  // Only nodes of an older version store it unsealed. If both exist, the unsealed one is newer.
  if (inClear !== null || sealed === null) return inClear;
  return { sealed, associatedData: paymentMethodAssociatedData(tenant_id, customer_id) };
}
