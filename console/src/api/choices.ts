import type {
  CheckoutListItem,
  DeliveryState,
  InvoiceListItem,
  LedgerAccount,
  Plan,
  RefundStatus,
  SubscriptionState,
  TransactionStatus,
} from './client.ts';

/** The values of filters, in the order in which they are offered. */
export const paymentStatuses = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REFUNDED',
  'CANCELLED',
] as const satisfies readonly TransactionStatus[];

export const refundStatuses = [
  'PENDING',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'CANCELLED',
] as const satisfies readonly RefundStatus[];

export const deliveryStates = ['OPEN', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const satisfies readonly DeliveryState[];

export const invoiceStatuses = [
  'DRAFT',
  'OPEN',
  'PAID',
  'VOID',
  'UNCOLLECTIBLE',
] as const satisfies readonly InvoiceListItem['status'][];

export const intervals = ['day', 'week', 'month', 'year'] as const satisfies readonly Plan['interval'][];

export const subscriptionStates = [
  'TRIALING',
  'ACTIVE',
  'PAST_DUE',
  'PAUSED',
  'CANCELLED',
  'EXPIRED',
] as const satisfies readonly SubscriptionState[];

export const accounts = [
  'PROVIDER_RECEIVABLE',
  'MERCHANT_PAYABLE',
  'REFUNDS',
  'PROVIDER_FEES',
] as const satisfies readonly LedgerAccount[];

export const checkoutStatuses = [
  'OPEN',
  'PROCESSING',
  'PAID',
  'EXPIRED',
] as const satisfies readonly CheckoutListItem['status'][];
