import type { Module } from '../../../platform/module.ts';
import type { PaymentsApp } from '../app.ts';
import { captureRecord } from '../transactions/capture-record.ts';
import { captureChecks } from './integrity.ts';
import { captureRoutes } from './routes.ts';
import { transactionWithCapture } from './schema.ts';

/** Captures of payments that are authorized first, and the release of what is not captured. */
export const captures = {
  name: 'captures',
  tables: ['capture'],
  eventTypes: {
    'transaction.authorized': 'transaction_read',
    'transaction.captured': 'transaction_read',
    'transaction.capture_failed': 'transaction_read',
    'transaction.authorization_expiring': 'transaction_read',
  },
  auditActions: {
    'transaction.capture': 'The capture of an authorized payment was requested.',
    'transaction.release': 'The release of what was not captured of a payment was requested.',
  },
  errors: {
    not_capturable: 'conflict',
    capture_exceeds_authorization: 'conflict',
    capture_under_way: 'conflict',
  },
  resources: { capture: captureRecord },
  eventObjects: {
    'transaction.captured': transactionWithCapture,
    'transaction.capture_failed': transactionWithCapture,
  },
  routes: captureRoutes,
  integrity: captureChecks,
} satisfies Module<PaymentsApp>;
