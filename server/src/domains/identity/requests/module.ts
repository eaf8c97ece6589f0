import { leastUuidAt } from '../../../core/id.ts';
import type { Module } from '../../../platform/module.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import type { IdentityApp } from '../app.ts';
import { requestRoutes } from './routes.ts';
import { requestRecord } from './schema.ts';
import { settings } from './settings.ts';
import { deleteExpiredRequests } from './statements.ts';

/** The request log: what the callers of a tenant sent, and how it was answered. */
export const requests = {
  name: 'requests',
  tables: ['api_request'],
  settings,
  reference: [{ name: 'Requests', description: 'What callers sent, and how it was answered.' }],
  resources: { request: requestRecord },
  routes: requestRoutes,
  retention: ({ database, settings: { 'app.request-log.keep': keepMs } }) => [
    {
      name: 'request log',
      sweep: (nowMs) => deleteInBatches(database, deleteExpiredRequests, [leastUuidAt(nowMs - keepMs)]),
    },
  ],
} satisfies Module<IdentityApp>;
