import type { channelEndpoints } from '../domains/channels/routes.ts';
import type { developerKeyEndpoints } from '../domains/developer-keys/routes.ts';
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
  webhooks: ReturnType<typeof webhookEndpoints>;
}

/** Every endpoint with what it needs (interface, Endpoints; decisions, Who may do what): the one list. */
export function routesOf({ tenants, users, keys, channels, transactions, webhooks }: Endpoints): Route[] {
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

    post('/api/webhook/register', 'caller', 'Webhooks', webhooks.register),
  ];
}

/** The groups of the reference page. */
export const groups = [
  { name: 'Users', description: 'Signing in, sessions, passwords, and who there is.' },
  { name: 'Tenants', description: 'Merchants kept apart from each other.' },
  { name: 'Developer keys', description: 'Secret keys for server-to-server calls.' },
  { name: 'Channels', description: 'The ways a payment can take.' },
  { name: 'Transactions', description: 'Payments.' },
  { name: 'Webhooks', description: 'Telling other systems what happened.' },
  { name: 'Operations', description: 'For those who run the service.' },
];

function get(path: string, needs: Need, group: string, endpoint: Endpoint): Route {
  return { method: 'GET', path, needs, group, endpoint };
}

function post(path: string, needs: Need, group: string, endpoint: Endpoint): Route {
  return { method: 'POST', path, needs, group, endpoint };
}
