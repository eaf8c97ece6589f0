import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { discrepancyRecord } from './discrepancies/schema.ts';
import { operationChecks, operationFindings } from './integrity.ts';
import { discrepancyRoutes } from './routes.ts';
import { settings } from './settings.ts';

/**
 * Provider operations: brings charges, refunds and cancellations to their providers, settles the outcomes, and records
 * discrepancies.
 */
export const operations = {
  name: 'operations',
  tables: ['discrepancy'],
  settings,
  eventTypes: {
    'discrepancy.opened': 'transaction_read',
    'discrepancy.closed': 'transaction_read',
  },
  eventObjects: { discrepancy: discrepancyRecord },
  auditActions: {
    'dispute.close': '`discrepancy.close`, in entries of earlier versions.',
    'discrepancy.close':
      'A discrepancy with a provider was closed; `outcome` says how its operation was ended. ' +
      'The record is its payment.',
  },
  reference: [{ name: 'Discrepancies', description: 'Differences between our books and those of a provider.' }],
  resources: { discrepancy: discrepancyRecord },
  routes: discrepancyRoutes,
  workers: ({ dispatcher, discrepancyWorker }) => [dispatcher.worker, discrepancyWorker],
  integrity: operationChecks,
  findings: operationFindings,
} satisfies Module<PaymentsApp>;
