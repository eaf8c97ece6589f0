import type { Refusal } from '../../../core/errors.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';

/** A provider's token of a payment method, as it is stored. */
export interface StoredToken {
  sealed: Buffer;
  /** The place of storage that it is sealed for. */
  place: string;
}

/** A payment that billing creates for an invoice. */
export interface PaymentRequest {
  id: string;
  tenantId: number;
  /** The mode of the invoice: a channel of the other mode is refused. */
  livemode: boolean;
  /** The user on whose behalf the payment is created. */
  userId: number;
  amount: number;
  currency: string;
  channelId: number;
  customerId: number;
  invoiceId: number;
  description: string;
  metadata: Record<string, unknown> | null;
  paymentMethod: StoredToken | string | null;
  returnUrl: string | null;
}

export interface PaymentWriter {
  /**
   * Creates payments of invoices in a transaction of the caller. Returns, in order, the refusal of each payment that its
   * channel does not accept, and undefined for each that was created.
   */
  createInTransaction(transaction: Queryable, requests: readonly PaymentRequest[]): Promise<(Refusal | undefined)[]>;
}
