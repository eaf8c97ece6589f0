import type { callbackEndpoints } from '../domains/callbacks/routes.ts';
import type { channelEndpoints } from '../domains/channels/routes.ts';
import type { clockEndpoints } from '../domains/clocks/routes.ts';
import type { customerEndpoints } from '../domains/customers/routes.ts';
import type { deliveryEndpoints } from '../domains/deliveries/routes.ts';
import type { developerKeyEndpoints } from '../domains/developer-keys/routes.ts';
import type { eventEndpoints } from '../domains/events/routes.ts';
import type { inboxEndpoints } from '../domains/inbox/routes.ts';
import type { invoiceEndpoints } from '../domains/invoices/routes.ts';
import type { ledgerEndpoints } from '../domains/ledger/routes.ts';
import type { planEndpoints } from '../domains/plans/routes.ts';
import type { processingEndpoints } from '../domains/processing/routes.ts';
import type { refundEndpoints } from '../domains/refunds/routes.ts';
import type { statisticsEndpoints } from '../domains/statistics/routes.ts';
import type { subscriptionEndpoints } from '../domains/subscriptions/routes.ts';
import type { tenantEndpoints } from '../domains/tenants/routes.ts';
import type { transactionEndpoints } from '../domains/transactions/routes.ts';
import type { userEndpoints } from '../domains/users/routes.ts';
import type { webhookEndpoints } from '../domains/webhooks/routes.ts';
import type { Endpoint, Need, Route } from '../platform/http/route.ts';

export interface Endpoints {
  tenants: ReturnType<typeof tenantEndpoints>;
  users: ReturnType<typeof userEndpoints>;
  keys: ReturnType<typeof developerKeyEndpoints>;
  channels: ReturnType<typeof channelEndpoints>;
  transactions: ReturnType<typeof transactionEndpoints>;
  processing: ReturnType<typeof processingEndpoints>;
  refunds: ReturnType<typeof refundEndpoints>;
  ledger: ReturnType<typeof ledgerEndpoints>;
  customers: ReturnType<typeof customerEndpoints>;
  invoices: ReturnType<typeof invoiceEndpoints>;
  plans: ReturnType<typeof planEndpoints>;
  subscriptions: ReturnType<typeof subscriptionEndpoints>;
  clocks: ReturnType<typeof clockEndpoints>;
  statistics: ReturnType<typeof statisticsEndpoints>;
  events: ReturnType<typeof eventEndpoints>;
  webhooks: ReturnType<typeof webhookEndpoints>;
  deliveries: ReturnType<typeof deliveryEndpoints>;
  inboxes: ReturnType<typeof inboxEndpoints>;
  callbacks: ReturnType<typeof callbackEndpoints>;
}

/** Every endpoint with what it needs (interface, Endpoints; decisions, Who may do what): the one list. */
export function routesOf({
  tenants,
  users,
  keys,
  channels,
  transactions,
  processing,
  refunds,
  ledger,
  customers,
  invoices,
  plans,
  subscriptions,
  clocks,
  statistics,
  events,
  webhooks,
  deliveries,
  inboxes,
  callbacks,
}: Endpoints): Route[] {
  return [
    post('/api/user/login', 'nothing', 'Users', users.login),
    post('/api/user/refresh', 'nothing', 'Users', users.refresh),
    post('/api/user/forgot-password', 'nothing', 'Users', users.forgotPassword),
    post('/api/user/reset-password', 'nothing', 'Users', users.resetPassword),
    post('/api/user/logout', 'token', 'Users', users.logout),
    get('/api/user/info', 'session', 'Users', users.info),
    get('/api/user/list', 'user_read', 'Users', users.list),
    post('/api/user/modify', 'user_write', 'Users', users.modify),

    get('/api/tenant/list', 'platform_administrator', 'Tenants', tenants.list),
    post('/api/tenant/modify', 'platform_administrator', 'Tenants', tenants.modify),

    post('/api/developer/mine/generate', 'session', 'Developer keys', keys.generate),
    get('/api/developer/mine', 'session', 'Developer keys', keys.list),
    post('/api/developer/mine/revoke', 'session', 'Developer keys', keys.revoke),

    get('/api/channel/list', 'channel_read', 'Channels', channels.list),
    post('/api/channel/modify', 'channel_write', 'Channels', channels.modify),

    post('/api/transaction/create', 'transaction_write', 'Transactions', transactions.create),
    post('/api/transaction/update', 'transaction_write', 'Transactions', transactions.update),
    get('/api/transaction/detail', 'transaction_read', 'Transactions', transactions.detail),
    get('/api/transaction/list', 'transaction_read', 'Transactions', transactions.list),
    get('/api/transaction/timeline', 'transaction_read', 'Transactions', processing.timeline),

    post('/api/refund/create', 'transaction_refund', 'Refunds', refunds.create),
    get('/api/refund/detail', 'transaction_read', 'Refunds', refunds.detail),
    get('/api/refund/list', 'transaction_read', 'Refunds', refunds.list),

    post('/api/customer/modify', 'transaction_write', 'Customers', customers.modify),
    get('/api/customer/detail', 'transaction_read', 'Customers', customers.detail),
    get('/api/customer/list', 'transaction_read', 'Customers', customers.list),

    post('/api/invoice/create', 'invoice_write', 'Invoices', invoices.create),
    get('/api/invoice/detail', 'invoice_read', 'Invoices', invoices.detail),
    get('/api/invoice/list', 'invoice_read', 'Invoices', invoices.list),
    get('/api/invoice/print', 'invoice_read', 'Invoices', invoices.print),
    post('/api/invoice/finalize', 'invoice_write', 'Invoices', invoices.finalize),
    post('/api/invoice/pay', 'invoice_write', 'Invoices', invoices.pay),
    post('/api/invoice/void', 'invoice_write', 'Invoices', invoices.void),

    post('/api/plan/modify', 'subscription_write', 'Plans', plans.modify),
    get('/api/plan/list', 'subscription_read', 'Plans', plans.list),

    post('/api/subscription/create', 'subscription_write', 'Subscriptions', subscriptions.create),
    get('/api/subscription/detail', 'subscription_read', 'Subscriptions', subscriptions.detail),
    get('/api/subscription/list', 'subscription_read', 'Subscriptions', subscriptions.list),
    post('/api/subscription/update', 'subscription_write', 'Subscriptions', subscriptions.update),
    post('/api/subscription/pause', 'subscription_write', 'Subscriptions', subscriptions.pause),
    post('/api/subscription/resume', 'subscription_write', 'Subscriptions', subscriptions.resume),
    post('/api/subscription/cancel', 'subscription_write', 'Subscriptions', subscriptions.cancel),
    get('/api/subscription/preview', 'subscription_read', 'Subscriptions', subscriptions.preview),

    post('/api/clock/create', 'subscription_write', 'Clocks', clocks.create),
    post('/api/clock/advance', 'subscription_write', 'Clocks', clocks.advance),
    get('/api/clock/detail', 'subscription_read', 'Clocks', clocks.detail),
    get('/api/clock/list', 'subscription_read', 'Clocks', clocks.list),

    get('/api/ledger/balance', 'transaction_read', 'Ledger', ledger.balance),
    get('/api/ledger/entries', 'transaction_read', 'Ledger', ledger.entries),

    get('/api/statistics/summary', 'transaction_read', 'Statistics', statistics.summary),
    get('/api/statistics/series', 'transaction_read', 'Statistics', statistics.series),

    get('/api/event/list', 'caller', 'Events', events.list),
    get('/api/event/detail', 'caller', 'Events', events.detail),

    post('/api/webhook/register', 'caller', 'Webhooks', webhooks.register),
    get('/api/webhook/list', 'caller', 'Webhooks', webhooks.list),
    post('/api/webhook/modify', 'caller', 'Webhooks', webhooks.modify),
    post('/api/webhook/remove', 'caller', 'Webhooks', webhooks.remove),
    post('/api/webhook/rotate', 'caller', 'Webhooks', webhooks.rotate),
    post('/api/webhook/test', 'caller', 'Webhooks', webhooks.test),
    get('/api/webhook/delivery/list', 'caller', 'Webhooks', deliveries.list),
    get('/api/webhook/delivery/detail', 'caller', 'Webhooks', deliveries.detail),
    post('/api/webhook/replay', 'caller', 'Webhooks', deliveries.replay),
    get('/api/webhook/replay/detail', 'caller', 'Webhooks', deliveries.replayDetail),

    post('/api/inbox/create', 'caller', 'Inboxes', inboxes.create),
    get('/api/inbox/list', 'caller', 'Inboxes', inboxes.list),
    get('/api/inbox/messages', 'caller', 'Inboxes', inboxes.messages),
    post('/inbox/{token}', 'nothing', 'Inboxes', inboxes.receive),

    post('/api/callback/{channel}', 'nothing', 'Callbacks', callbacks.receive),
  ];
}

/** The groups of the reference page. */
export const groups = [
  { name: 'Users', description: 'Signing in, sessions, passwords, and who there is.' },
  { name: 'Tenants', description: 'Merchants kept apart from each other.' },
  { name: 'Developer keys', description: 'Secret keys for server-to-server calls.' },
  { name: 'Channels', description: 'The ways a payment can take.' },
  { name: 'Transactions', description: 'Payments.' },
  { name: 'Refunds', description: 'Money that goes back.' },
  { name: 'Customers', description: 'Who pays.' },
  { name: 'Invoices', description: 'What is asked for, and what has been paid of it.' },
  { name: 'Plans', description: 'What is subscribed to.' },
  { name: 'Subscriptions', description: 'What is paid for again and again.' },
  { name: 'Clocks', description: 'Time that tests can move.' },
  { name: 'Ledger', description: 'What payments and refunds have booked, in double entry.' },
  { name: 'Statistics', description: 'How many payments, how much money, and how often charges succeed.' },
  { name: 'Events', description: 'What happened.' },
  { name: 'Webhooks', description: 'Telling other systems what happened.' },
  { name: 'Inboxes', description: 'Addresses of our own to try webhooks with.' },
  { name: 'Callbacks', description: 'What payment providers tell.' },
  { name: 'Operations', description: 'For those who run the service.' },
];

function get(path: string, needs: Need, group: string, endpoint: Endpoint): Route {
  return { method: 'GET', path, needs, group, endpoint };
}

function post(path: string, needs: Need, group: string, endpoint: Endpoint): Route {
  return { method: 'POST', path, needs, group, endpoint };
}
