import type { PaymentRequest, StoredToken } from '../../../payments/transactions/payments.ts';
import { paymentMethodAssociatedData } from '../../customers/payment-method.ts';
import { numberText } from '../number.ts';
import type { LockedInvoice } from '../statements.ts';

export interface InvoicePaymentRequest extends PaymentRequest {
  invoiceId: number;
}

/**
 * A payment of an invoice: of a payment method (`methodId`), or else of a token. Default: the customer's stored token;
 * null: the payer chooses.
 */
export function paymentRequestOf(
  invoice: LockedInvoice,
  id: string,
  amount: number,
  channelId: number,
  changes: PaymentChanges = {},
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
    paymentMethod: tokenFor(invoice, changes),
    ...(changes.methodId !== undefined && { methodId: changes.methodId }),
    ...(changes.initiator !== undefined && { initiator: changes.initiator }),
    ...(changes.save !== undefined && { save: changes.save }),
    returnUrl: changes.returnUrl ?? null,
  };
}

interface PaymentChanges extends Pick<PaymentRequest, 'initiator' | 'save'> {
  paymentMethod?: string | null | undefined;
  /** The UUID of the payment method to charge. */
  methodId?: string;
  returnUrl?: string | undefined;
}

function tokenFor(invoice: LockedInvoice, { methodId, paymentMethod }: PaymentChanges): StoredToken | string | null {
  if (methodId !== undefined) return null;
  return paymentMethod === undefined ? storedPaymentMethod(invoice) : paymentMethod;
}

/** The token that an earlier release stored for the customer; null: there is none. */
export function storedPaymentMethod(invoice: LockedInvoice): StoredToken | string | null {
  const { tenant_id, customer_id, payment_method_sealed: sealed, payment_method: inClear } = invoice;
  // Only nodes of an older version store it unsealed. If both exist, the unsealed one is newer.
  if (inClear !== null || sealed === null) return inClear;
  return { sealed, associatedData: paymentMethodAssociatedData(tenant_id, customer_id) };
}
