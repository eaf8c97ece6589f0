import type { BackgroundWorker } from '../../../platform/jobs/background-worker.ts';
import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { Module } from '../../../platform/module.ts';
import { mailWorker, sweepMails } from '../../identity/mails/worker.ts';
import type { BillingApp } from '../app.ts';
import { composeInvoiceMail } from './compose.ts';
import { invoiceMails } from './statements.ts';

/**
 * Mails to customers about their invoices: queued in the transaction of the change that they report, sent by a worker.
 * They have a queue of their own beside the mails to users, so that an invitation does not wait for the receipts of a
 * whole month. The worker and its statements are the same.
 */
export const customerMails = {
  name: 'customer-mails',
  tables: ['invoice_mail'],
  workers: (app) => [customerMailWorker(app)],
  retention: ({ database }) => [{ name: 'invoice mails', sweep: (nowMs) => sweepMails(invoiceMails, database, nowMs) }],
} satisfies Module<BillingApp>;

function customerMailWorker(app: BillingApp): BackgroundWorker {
  const { workerDatabase: database, clock, mailer, log, logError } = app;
  return mailWorker({
    name: 'invoice mails',
    queue: invoiceMails,
    compose: (queued) => composeInvoiceMail(queued, app),
    ...{ database, clock, mailer, logError, ...failureLog(log, 'Mailing customers') },
  });
}
