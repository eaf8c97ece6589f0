import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';

/**
 * Provider operations: charges, refunds and cancellations, recorded before a provider is called, and counts of how
 * charges ended. `processing` runs them.
 */
export const operations = {
  name: 'operations',
  tables: ['provider_operation', 'channel_pace', 'charge_total', 'charge_total_delta'],
} satisfies Module<PaymentsApp>;
