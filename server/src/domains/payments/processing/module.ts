import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { disputeCloseInput, disputeRecord } from './disputes/schema.ts';
import { processingChecks, processingFindings } from './integrity.ts';
import { processingRoutes } from './routes.ts';
import { timelineStep } from './schema.ts';
import { settings } from './settings.ts';

/** Brings charges, refunds and cancellations to their providers, settles the outcomes, and shows the timeline of a payment. */
export const processing = {
  name: 'processing',
  tables: ['provider_dispute'],
  settings,
  auditActions: {
    'dispute.close':
      'A dispute with a provider was closed; `outcome` says how its operation was ended. The record is its payment.',
  },
  reference: [{ name: 'Disputes', description: 'Operations about which a provider contradicts what is settled.' }],
  resources: { 'timeline step': timelineStep, dispute: disputeRecord },
  schemas: { TimelineStep: timelineStep, Dispute: disputeRecord, DisputeCloseInput: disputeCloseInput },
  routes: processingRoutes,
  workers: ({ dispatcher, disputeWorker }) => [dispatcher.worker, disputeWorker],
  integrity: processingChecks,
  findings: processingFindings,
} satisfies Module<PaymentsApp>;
