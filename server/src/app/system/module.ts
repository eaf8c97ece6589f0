import type { BillingApp } from '../../domains/billing/app.ts';
import type { Module } from '../../platform/module.ts';
import { systemRoutes } from './routes.ts';
import { systemHealth } from './schema.ts';

/** What operators look at: nodes, the database, work that is due, backups and versions. */
export const system = {
  name: 'system',
  tables: ['service_node'],
  reference: [{ name: 'System', description: 'The health of the nodes and their database, for operators.' }],
  resources: { 'system health': systemHealth },
  routes: systemRoutes,
} satisfies Module<BillingApp>;
