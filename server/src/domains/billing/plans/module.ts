import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { planRoutes } from './routes.ts';
import { planRecord } from './schema.ts';

/** Plans: prices and billing intervals that customers subscribe to. */
export const plans = {
  name: 'plans',
  tables: ['plan'],
  auditActions: {
    'plan.create': 'A plan was created.',
    'plan.update': 'A plan was changed.',
  },
  errors: {
    plan_in_use: 'conflict',
  },
  reference: [{ name: 'Plans', description: 'Prices and billing intervals to subscribe to.' }],
  resources: { plan: planRecord },
  routes: planRoutes,
} satisfies Module<BillingApp>;
