import type { Module } from '../../../platform/module.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import type { IdentityApp } from '../app.ts';
import { deviceLoginRoutes, group } from './routes.ts';
import { deviceRequest } from './schema.ts';
import { deleteExpiredDevices } from './statements.ts';

/**
 * Logins of programs without a browser, which the user approves in one (RFC 8628). The program gets a developer key.
 */
export const deviceLogin = {
  name: 'device-login',
  tables: ['device_login'],
  auditActions: {
    'device.approve': 'A user approved the login of a program on another device, which then gets a key.',
    'device.deny': 'A user denied the login of a program on another device.',
  },
  errors: {
    authorization_pending: 'invalid',
    slow_down: 'invalid',
    access_denied: 'invalid',
    expired_token: 'invalid',
  },
  reference: [{ name: group, description: 'Logins of programs that the user approves in a browser.' }],
  resources: { 'device request': deviceRequest },
  routes: deviceLoginRoutes,
  retention: ({ database }) => [
    { name: 'device logins', sweep: (nowMs) => deleteInBatches(database, deleteExpiredDevices, [new Date(nowMs)]) },
  ],
} satisfies Module<IdentityApp>;
