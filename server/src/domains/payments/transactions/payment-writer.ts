import type { Refusal } from '../../../core/errors.ts';
import type { Transaction } from '../../../platform/postgres/database.ts';

/** A provider's token of a payment method, as it is stored. */
export interface StoredToken {
  sealed: Buffer;
  /** The place of storage that it is sealed for. */
  place: string;
}

/** A payment that billing creates, for an invoice or from a payer's page. */
export interface PaymentRequest {
  id: string;
  tenantId: number;
  /** The mode of what is paid: a channel of the other mode is refused. */
  livemode: boolean;
  /** The user on whose behalf the payment is created. */
  userId: number;
  amount: number;
  currency: string;
  channelId: number;
  customerId: number | null;
  invoiceId: number | null;
  description: string | null;
  metadata: Record<string, unknown> | null;
  paymentMethod: StoredToken | string | null;
  returnUrl: string | null;
  /** No payer waits for it, as for a renewal: charges of others are sent first. Default: false. */
  background?: boolean;
}

export interface CreatedPayment {
  /** Null: the payment waits until somebody reports by an update that the money has arrived. */
  provider: string | null;
}

export interface PaymentWriter {
  /**
   * Creates payments in a transaction of the caller, who has reserved their amounts on their invoices. Returns, in
   * order, each payment, or the refusal of one that its channel does not accept.
   */
  createInTransaction(
    transaction: Transaction,
    requests: readonly PaymentRequest[],
  ): Promise<(Refusal | CreatedPayment)[]>;
}
