import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { planRoutes } from './routes.ts';
import { planInput, planRecord } from './schema.ts';

/** Plans: prices and billing intervals that customers subscribe to. */
export const plans = {
  name: 'plans',
  tables: ['plan'],
  auditActions: {
    'plan.create': 'A plan was created.',
    'plan.update': 'A plan was changed.',
  },
  reference: [{ name: 'Plans', description: 'Prices and billing intervals to subscribe to.' }],
  resources: { plan: planRecord },
  schemas: { PlanModifyInput: planInput, Plan: planRecord },
  routes: planRoutes,
} satisfies Module<BillingApp>;
