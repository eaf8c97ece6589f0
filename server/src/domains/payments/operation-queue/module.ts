import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';

/**
 * The queue of provider operations: charges, refunds and cancellations, recorded before a provider is called, and
 * counts of how charges ended. `operations` performs them.
 */
export const operationQueue = {
  name: 'operation-queue',
  tables: ['provider_operation', 'channel_pace', 'charge_total', 'charge_hour_total', 'charge_total_delta'],
} satisfies Module<PaymentsApp>;
