import type { BackgroundWorker } from '../../../platform/jobs/background-worker.ts';
import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { Module } from '../../../platform/module.ts';
import type { BillingApp } from '../app.ts';
import { invoiceChecks } from './integrity.ts';
import { overdueInvoiceWorker } from './overdue/worker.ts';
import { invoiceRoutes } from './routes.ts';
import { invoiceInPaymentEvent, invoiceRecord } from './schema.ts';
import { settings } from './settings.ts';
import { contestedHoldWorker } from './settlement/judge-holds.ts';
import { settlementOf } from './settlement/services.ts';
import { leftOverSettlementWorker } from './settlement/settle-left-over.ts';

/** Invoices: lines, tax, numbers, payment reservations and settlement. */
export const invoices = {
  name: 'invoices',
  tables: ['invoice', 'invoice_line', 'invoice_counter', 'invoice_payment'],
  settings,
  eventTypes: {
    'invoice.created': 'invoice_read',
    'invoice.finalized': 'invoice_read',
    'invoice.paid': 'invoice_read',
    'invoice.payment_failed': 'invoice_read',
    'invoice.reopened': 'invoice_read',
    'invoice.overdue': 'invoice_read',
    'invoice.voided': 'invoice_read',
    'invoice.uncollectible': 'invoice_read',
  },
  auditActions: {
    'invoice.create': 'An invoice was created as a draft.',
    'invoice.update': 'A draft invoice was changed.',
    'invoice.finalize': 'An invoice was finalized.',
    'invoice.pay': 'A payment of an invoice was created.',
    'invoice.void': 'An invoice was made void or uncollectible.',
    'invoice.send': 'A mail about an invoice to its customer was requested.',
    'invoice.export': 'Invoices were exported.',
  },
  errors: {
    invoice_not_payable: 'conflict',
    invoice_not_draft: 'conflict',
    customer_without_email: 'conflict',
    payment_exceeds_invoice: 'conflict',
    invoice_payment_under_way: 'conflict',
    rendering_failed: 'unavailable',
  },
  reference: [{ name: 'Invoices', description: 'Invoices and their payments.' }],
  resources: { invoice: invoiceRecord },
  eventObjects: {
    invoice: invoiceRecord,
    'invoice.paid': invoiceInPaymentEvent,
    'invoice.payment_failed': invoiceInPaymentEvent,
  },
  routes: invoiceRoutes,
  workers: invoiceWorkers,
  integrity: invoiceChecks,
} satisfies Module<BillingApp>;

function invoiceWorkers(app: BillingApp): BackgroundWorker[] {
  const { workerDatabase: database, clock, generateUuid, log } = app;
  const settlement = settlementOf(app);
  return [
    leftOverSettlementWorker({ ...settlement, database, ...failureLog(log, 'Invoice settlement') }),
    contestedHoldWorker({ ...settlement, database, ...failureLog(log, 'Releasing authorizations') }),
    overdueInvoiceWorker({ database, clock, generateUuid, ...failureLog(log, 'Finding overdue invoices') }),
  ];
}
