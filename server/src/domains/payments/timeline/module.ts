import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { timelineRoutes } from './routes.ts';
import { timelineStep } from './schema.ts';

/** The timeline of a payment: every step with its time, read from the records that they left. */
export const timeline = {
  name: 'timeline',
  tables: [],
  resources: { 'timeline step': timelineStep },
  routes: timelineRoutes,
} satisfies Module<PaymentsApp>;
