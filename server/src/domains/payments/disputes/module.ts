import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { disputeChecks } from './integrity.ts';
import { disputeRoutes } from './routes.ts';
import { disputeDueSoon, disputeRecord } from './schema.ts';
import { settings } from './settings.ts';

/** Disputes: chargebacks, and money that comes back without one. */
export const disputes = {
  name: 'disputes',
  tables: ['dispute', 'dispute_movement', 'dispute_operation', 'dispute_file', 'dispute_reading'],
  settings,
  eventTypes: {
    'dispute.created': 'transaction_read',
    'dispute.updated': 'transaction_read',
    'dispute.due_soon': 'transaction_read',
    'dispute.won': 'transaction_read',
    'dispute.lost': 'transaction_read',
    'dispute.closed': 'transaction_read',
    'dispute.funds_withdrawn': 'transaction_read',
    'dispute.funds_reinstated': 'transaction_read',
    'transaction.fraud_warning': 'transaction_read',
  },
  auditActions: {
    'dispute.evidence': 'The draft of the evidence about a dispute was changed.',
    'dispute.file': 'A file was added to the evidence about a dispute.',
    'dispute.submit': 'The evidence about a dispute was submitted.',
    'dispute.accept': 'A dispute was accepted.',
  },
  errors: {
    file_not_accepted: 'invalid',
    dispute_not_answerable: 'conflict',
  },
  reference: [{ name: 'Disputes', description: 'Chargebacks, and money that comes back without one.' }],
  resources: { dispute: disputeRecord },
  eventObjects: { dispute: disputeRecord, 'dispute.due_soon': disputeDueSoon },
  routes: disputeRoutes,
  workers: ({ disputeWorkers }) => disputeWorkers,
  integrity: disputeChecks,
} satisfies Module<PaymentsApp>;
