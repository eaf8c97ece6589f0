/** The records of the API as far as the console shows them (docs/reference/api). Times are ISO 8601 in UTC. */

export interface Profile {
  userId: number;
  userName: string;
  email: string;
  userType: 'PLATFORM_ADMIN' | 'MERCHANT_ADMIN' | 'MERCHANT_USER';
  tenantId: string | null;
  tenantName: string | null;
  roles: string[];
  scopes: string[];
  holdsAll: boolean;
  secondFactor: boolean;
  mustEnrol: boolean;
  deploymentMode: 'STANDALONE' | 'CLUSTER';
  sandboxEnabled: boolean;
  publicUrl: string;
}

export const paymentStatuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'REFUNDED', 'CANCELLED'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export interface ListedPayment {
  id: string;
  amount: number;
  amountRefunded: number;
  currency: string;
  status: PaymentStatus;
  channelId: number;
  channelName: string;
  description: string | null;
  userId: number;
  createdTime: string;
}

export interface Payment extends ListedPayment {
  metadata: Record<string, unknown> | null;
  customerId: number | null;
  invoiceId: number | null;
  failureCode: string | null;
  failureMessage: string | null;
  providerReference: string | null;
  nextAction: { type?: string; url?: string } | null;
  version: number;
  updatedTime: string;
}

export interface TimelineEntry {
  time: string;
  type: string;
  message: string;
  status?: PaymentStatus;
  channelId?: number;
  channelName?: string;
  operation?: number;
  provider?: string;
  reference?: string;
  failureCode?: string;
  providerCode?: string;
  refundId?: string;
  detail?: Record<string, unknown>;
}

export const refundStatuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const;

export interface Refund {
  id: string;
  transactionId: string;
  amount: number;
  currency: string;
  status: (typeof refundStatuses)[number];
  reason: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  providerReference: string | null;
  createdTime: string;
  updatedTime: string;
}

export interface Channel {
  id: number;
  name: string;
  code: string;
  type: 'ONLINE' | 'OFFLINE';
  currency: string;
  country: string;
  state: boolean;
  tenantId: string | null;
  provider: string | null;
  fallbackChannelIds: number[];
  callbackUrl: string | null;
  createdTime: string;
}

export interface AmountByCurrency {
  currency: string;
  count: number;
  /** In minor units; text, because sums can exceed what a number carries. */
  amount: string;
}

export interface Charges {
  succeeded: number;
  failed: number;
  cancelled: number;
}

export interface Summary {
  startDate: string;
  endDate: string;
  count: number;
  amounts: AmountByCurrency[];
  charges: Charges | null;
  successRate: number | null;
  statuses: { status: PaymentStatus; count: number; amounts: AmountByCurrency[] }[];
  channels: {
    channelId: number;
    channelName: string;
    count: number;
    amounts: AmountByCurrency[];
    charges: Charges | null;
    successRate: number | null;
  }[];
}

export interface SeriesPoint {
  day: string;
  channelId?: number;
  channelName?: string;
  count: number;
  amounts: AmountByCurrency[];
  charges: Charges | null;
  successRate: number | null;
}
