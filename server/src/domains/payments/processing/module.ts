import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { discrepancyCloseInput, discrepancyRecord } from './discrepancies/schema.ts';
import { processingChecks, processingFindings } from './integrity.ts';
import { processingRoutes } from './routes.ts';
import { timelineStep } from './schema.ts';
import { settings } from './settings.ts';

/**
 * Brings charges, refunds and cancellations to their providers, settles the outcomes, and shows the timeline of a
 * payment.
 */
export const processing = {
  name: 'processing',
  tables: ['discrepancy'],
  settings,
  auditActions: {
    'dispute.close': '`discrepancy.close`, in entries of earlier versions.',
    'discrepancy.close':
      'A discrepancy with a provider was closed; `outcome` says how its operation was ended. The record is its payment.',
  },
  reference: [{ name: 'Discrepancies', description: 'Operations about which a provider contradicts what is settled.' }],
  resources: { 'timeline step': timelineStep, discrepancy: discrepancyRecord },
  schemas: { TimelineStep: timelineStep, Discrepancy: discrepancyRecord, DiscrepancyCloseInput: discrepancyCloseInput },
  routes: processingRoutes,
  workers: ({ dispatcher, discrepancyWorker }) => [dispatcher.worker, discrepancyWorker],
  integrity: processingChecks,
  findings: processingFindings,
} satisfies Module<PaymentsApp>;
