import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { refundChecks } from './integrity.ts';
import { refundRoutes } from './routes.ts';
import { refundRecord } from './schema.ts';
import { settings } from './settings.ts';

/** Refunds, full and partial. */
export const refunds = {
  name: 'refunds',
  tables: ['refund'],
  settings,
  eventTypes: {
    'refund.created': 'transaction_read',
    'refund.succeeded': 'transaction_read',
    'refund.failed': 'transaction_read',
  },
  auditActions: {
    'refund.create': 'A refund was created.',
    'refund.export': 'Refunds were exported.',
  },
  errors: {
    not_refundable: 'conflict',
    refund_exceeds_payment: 'conflict',
    payment_disputed: 'conflict',
  },
  reference: [{ name: 'Refunds', description: 'Full and partial refunds of payments.' }],
  resources: { refund: refundRecord },
  eventObjects: { refund: refundRecord },
  routes: refundRoutes,
  integrity: refundChecks,
} satisfies Module<PaymentsApp>;
