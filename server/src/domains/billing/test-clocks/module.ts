import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { clockRoutes } from './routes.ts';
import { clockRecord } from './schema.ts';

/** Clocks that tests and demonstrations can advance. Only offered in STANDALONE mode. */
export const testClocks = {
  name: 'test-clocks',
  tables: ['clock'],
  auditActions: {
    'clock.create': 'A test clock was created.',
    'clock.advance': 'A test clock was advanced.',
  },
  errors: {
    clock_under_way: 'conflict',
  },
  reference: [{ name: 'Clocks', description: 'Clocks that tests can advance.' }],
  resources: { clock: clockRecord },
  routes: clockRoutes,
  workers: ({ clocksOffered, testClocks }) => (clocksOffered ? [testClocks.worker] : []),
} satisfies Module<BillingApp>;
