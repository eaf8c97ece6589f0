import type { BackgroundWorker } from '../../../platform/jobs/background-worker.ts';
import { failureLog } from '../../../platform/jobs/worker.ts';
import type { Module } from '../../../platform/module.ts';
import { mailWorker, sweepMails } from '../../identity/mails/worker.ts';
import type { BillingApp } from '../app.ts';
import { invoiceChecks } from './integrity.ts';
import { composeInvoiceMail } from './mails/compose.ts';
import { invoiceMails } from './mails/statements.ts';
import { overdueInvoiceWorker } from './overdue/worker.ts';
import { invoiceRoutes } from './routes.ts';
import { invoiceInPaymentEvent, invoiceRecord } from './schema.ts';
import { settings } from './settings.ts';
import { settlementOf } from './settlement/return-excess.ts';
import { leftOverSettlementWorker } from './settlement/settle-left-over.ts';

/** Invoices: lines, tax, numbers, payment reservations, settlement and rendering. */
export const invoices = {
  name: 'invoices',
  tables: ['invoice', 'invoice_line', 'invoice_counter', 'invoice_payment', 'invoice_mail'],
  settings,
  eventTypes: {
    'invoice.created': 'invoice_read',
    'invoice.finalized': 'invoice_read',
    'invoice.paid': 'invoice_read',
    'invoice.payment_failed': 'invoice_read',
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
    'invoice.export': 'Invoices were exported.',
  },
  errors: {
    invoice_not_payable: 'conflict',
    invoice_not_draft: 'conflict',
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
  retention: ({ database }) => [{ name: 'invoice mails', sweep: (nowMs) => sweepMails(invoiceMails, database, nowMs) }],
  integrity: invoiceChecks,
} satisfies Module<BillingApp>;

function invoiceWorkers(app: BillingApp): BackgroundWorker[] {
  const { workerDatabase: database, clock, generateUuid, mailer, invoiceLinks: links, log, logError } = app;
  return [
    leftOverSettlementWorker({ ...settlementOf(app), database, ...failureLog(log, 'Invoice settlement') }),
    overdueInvoiceWorker({ database, clock, generateUuid, ...failureLog(log, 'Finding overdue invoices') }),
    mailWorker({
      name: 'invoice mails',
      queue: invoiceMails,
      compose: (queued) => composeInvoiceMail(queued, { database, links }),
      ...{ database, clock, mailer, logError, ...failureLog(log, 'Mailing customers') },
    }),
  ];
}
