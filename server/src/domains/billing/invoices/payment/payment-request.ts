import type { PaymentRequest } from '../../../payments/transactions/payments.ts';
import type { CaptureMethod } from '../../../payments/transactions/record.ts';
import { numberText } from '../number.ts';
import type { LockedInvoice } from '../statements.ts';

export interface InvoicePaymentRequest extends PaymentRequest {
  invoiceId: number;
}

/** A payment of an invoice: of a payment method (`methodId`), or of a token; with neither, the payer chooses. */
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
    paymentMethod: changes.paymentMethod ?? null,
    ...(invoice.statement_descriptor !== null && { statementDescriptor: invoice.statement_descriptor }),
    ...(changes.methodId !== undefined && { methodId: changes.methodId }),
    ...(changes.initiator !== undefined && { initiator: changes.initiator }),
    ...(changes.save !== undefined && { save: changes.save }),
    ...(changes.captureMethod !== undefined && { captureMethod: changes.captureMethod }),
    returnUrl: changes.returnUrl ?? null,
  };
}

interface PaymentChanges extends Pick<PaymentRequest, 'initiator' | 'save'> {
  captureMethod?: CaptureMethod | undefined;
  paymentMethod?: string | undefined;
  /** The UUID of the payment method to charge. */
  methodId?: string;
  returnUrl?: string | undefined;
}
