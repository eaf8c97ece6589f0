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
  status?: PaymentStatus;
  count: number;
  amounts: AmountByCurrency[];
  charges: Charges | null;
  successRate: number | null;
}

export interface ListedEvent {
  id: string;
  tenantId: string | null;
  type: string;
  objectId: string;
  createdTime: string;
}

export interface EventDetail extends ListedEvent {
  payload: Record<string, unknown>;
}

export interface WebhookEndpoint {
  id: number;
  livemode: boolean;
  url: string;
  events: string[];
  state: boolean;
  createdTime: string;
  tenantId: string | null;
  disabledReason: 'gone' | 'failing' | null;
  failingSince: string | null;
  pausedUntil: string | null;
  maxInFlight: number | null;
  ratePerSecond: number | null;
  nextSecret: boolean;
  promoteAt: string | null;
  updatedTime: string | null;
}

export const deliveryStates = ['OPEN', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface Delivery {
  id: string;
  endpointId: number;
  url: string;
  eventId: string;
  eventType: string;
  objectId: string;
  state: DeliveryState;
  attemptCount: number;
  lastStatus: number | null;
  lastOutcome: string | null;
  nextAttemptTime: string | null;
  createdTime: string;
  finishedTime: string | null;
}

export interface Attempt {
  number: number;
  time: string;
  durationMs: number;
  status: number | null;
  outcome: string;
  resent: boolean;
  address: string | null;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
}

export interface DeliveryDetail extends Delivery {
  attempts: Attempt[];
  runs: { id: string; state: DeliveryState; createdTime: string }[];
}

export interface Replay {
  id: string;
  endpointId: number;
  state: 'RUNNING' | 'DONE' | 'STOPPED';
  eventCount: number;
  deliveryCount: number;
}

export interface Inbox {
  id: number;
  hasSecret: boolean;
  createdTime: string;
  expiresTime: string;
  messageCount: number;
}

type Verdict = 'VERIFIED' | 'WRONG' | 'ABSENT' | null;

export interface InboxMessage {
  id: string;
  receivedTime: string;
  serviceSignature: Verdict;
  standardSignature: Verdict;
  headers: Record<string, string>;
  body: string;
}

export interface DeveloperKey {
  id: number;
  skMasked: string;
  scope: string;
  state: number;
  name: string | null;
  createdTime: string;
  expiresTime: string | null;
  lastUsedTime: string | null;
  lastUsedAddress: string | null;
  allowedAddresses: string[];
}

export interface GeneratedKey extends Omit<DeveloperKey, 'skMasked'> {
  /** The whole key: shown once, and kept nowhere. */
  sk: string;
}

export interface Customer {
  id: number;
  name: string;
  email: string | null;
  phone: string | null;
  address: Record<string, string> | null;
  externalId: string | null;
  metadata: Record<string, unknown> | null;
  defaultChannelId: number | null;
  hasPaymentMethod: boolean;
  createdTime: string;
  updatedTime: string | null;
}

export const invoiceStatuses = ['DRAFT', 'OPEN', 'PAID', 'VOID', 'UNCOLLECTIBLE'] as const;

export interface ListedInvoice {
  id: number;
  number: string | null;
  customerId: number;
  status: (typeof invoiceStatuses)[number];
  currency: string;
  subtotal: number;
  tax: number;
  total: number;
  amountDue: number;
  amountPaid: number;
  amountRemaining: number;
  amountUnderWay: number;
  channelId: number | null;
  description: string | null;
  dueDate: string | null;
  subscriptionId: number | null;
  periodStart: string | null;
  periodEnd: string | null;
  createdTime: string;
  finalizedTime: string | null;
  paidTime: string | null;
}

export interface Invoice extends ListedInvoice {
  lines: {
    description: string;
    quantity: number;
    unitAmount: number;
    amount: number;
    taxRate: number | null;
    taxAmount: number;
  }[];
  payments: {
    transactionId: string | null;
    amount: number;
    state: 'OPEN' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
    failureCode: string | null;
    createdTime: string;
  }[];
}

export const intervals = ['day', 'week', 'month', 'year'] as const;

export interface Plan {
  id: number;
  name: string;
  currency: string;
  amount: number;
  interval: (typeof intervals)[number];
  intervalCount: number;
  trialDays: number;
  channelId: number | null;
  state: boolean;
  createdTime: string;
}

export const subscriptionStates = ['TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED', 'CANCELLED', 'EXPIRED'] as const;

export interface Subscription {
  id: number;
  customerId: number;
  planId: number;
  quantity: number;
  unitAmount: number;
  currency: string;
  state: (typeof subscriptionStates)[number];
  channelId: number | null;
  timeZone: string;
  periodStart: string;
  periodEnd: string;
  trialEnd: string | null;
  endTime: string | null;
  cancelAtPeriodEnd: boolean;
  pausedTime: string | null;
  endedTime: string | null;
  createdTime: string;
}

export const accounts = ['PROVIDER_RECEIVABLE', 'MERCHANT_PAYABLE', 'REFUNDS', 'PROVIDER_FEES'] as const;
type Account = (typeof accounts)[number];

export interface Balance {
  currency: string;
  account: Account;
  /** In minor units, as text. */
  debit: string;
  credit: string;
  balance: string;
}

export interface LedgerEntry {
  account: Account;
  side: 'DEBIT' | 'CREDIT';
  amount: number;
  currency: string;
  counterAccount: Account;
  transactionId: string;
  refundId: string | null;
  createdTime: string;
}

export interface Dispute {
  transactionId: string;
  operation: number;
  state: 'OPEN' | 'DISAGREES' | 'AGREES' | 'CLOSED';
  reported: string;
  amount: number | null;
  currency: string | null;
  reference: string | null;
  lookUps: number;
  openedTime: string;
  closedTime: string | null;
  note: string | null;
}

export interface User {
  id: number;
  userName: string;
  email: string;
  userType: Profile['userType'];
  tenantId: string | null;
  roles: string[];
  state: boolean;
  invited: boolean;
  secondFactor: boolean;
  createdTime: string;
}

export interface Session {
  id: string;
  device: string | null;
  address: string | null;
  current: boolean;
  createdTime: string;
  lastUsedTime: string | null;
  expiresTime: string;
}

export interface Tenant {
  id: number;
  name: string;
  state: boolean;
  secondFactorRequired: boolean;
  createdTime: string;
  updatedTime: string | null;
}

export interface AuditEntry {
  id: string;
  tenantId: string | null;
  time: string;
  action: string;
  recordType: string;
  recordId: string | null;
  userName: string | null;
  by: string;
  address: string | null;
  requestId: string | null;
  changes: Record<string, unknown>;
  details: Record<string, unknown>;
}
