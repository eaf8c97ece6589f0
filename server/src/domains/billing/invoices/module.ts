import { failureLog } from '../../../platform/jobs/worker.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node, NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, integer, oneOf } from '../../../platform/settings/kinds.ts';
import { mailWorker, sweepMails } from '../../identity/mails/worker.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import type { WaitingPayments } from '../../payments/processing/look-up-waiting.ts';
import type { TransactionCreator } from '../../payments/transactions/create.ts';
import type { RegisteredInvoicePayments } from '../../payments/transactions/invoice-payments.ts';
import type { PaymentTransitions } from '../../payments/transactions/transition-statements.ts';
import type { TestClocks } from '../test-clocks/worker.ts';
import { invoiceChecks } from './integrity.ts';
import { composeInvoiceMail } from './mails/compose.ts';
import { InvoiceLinks } from './mails/links.ts';
import { invoiceMails } from './mails/statements.ts';
import { overdueInvoiceWorker, overdueTestClockWork } from './overdue/worker.ts';
import { invoicePaymentsOf } from './payment/invoice-payments.ts';
import { PdfRenderer } from './rendering/pdf-renderer.ts';
import { invoiceRoutes } from './routes.ts';
import {
  finalizeInput,
  invoiceInPaymentEvent,
  invoiceInput,
  invoiceRecord,
  invoiceRow,
  lineInput,
  lineRecord,
  modifyInput,
  paidInvoice,
  payInput,
  paymentRecord,
  voidInput,
} from './schema.ts';
import { InvoiceFollowers } from './settlement/followers.ts';
import { returnExcess } from './settlement/return-excess.ts';
import type { SettlementDeps } from './settlement/settle.ts';
import { leftOverSettlementWorker } from './settlement/settle-left-over.ts';
import { invoiceTestClockWork } from './test-clock-work.ts';

const settings = {
  'app.invoice.refund-excess': setting(oneOf('true', 'false'), {
    default: 'true',
    description:
      'Whether money that a payment took beyond what was left to pay of its invoice is refunded at once. If not, and on ' +
      'channels without a provider, it stands as `amountToReturn` of the invoice.',
  }),
  'app.invoice.pdf-processes': setting(integer(1, 64), {
    default: '1',
    description: 'Processes that render invoices as PDF. They start on demand and end after 30 s without work.',
  }),
  'app.invoice.pdf-waiting': setting(integer(0, 10_000), {
    default: '64',
    description:
      'PDFs that may wait for a process. Tenants take turns; when the queue is full, the tenant with the most is refused.',
  }),
  'app.invoice.pdf-timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '30s',
    description: 'How long rendering one PDF may take, not counting the wait for a process.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>> & {
  channels: ChannelDirectory;
  creator: TransactionCreator;
  transitions: PaymentTransitions;
  invoicePayments: RegisteredInvoicePayments;
  waitingPayments: WaitingPayments;
  testClocks: TestClocks;
};
type Provided = ReturnType<typeof provide>;

/** Invoices: lines, tax, numbers, payment reservations, settlement and rendering. */
export const invoices = defineModule({
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
  reference: [{ name: 'Invoices', description: 'Invoices and their payments.' }],
  resources: { invoice: invoiceRecord },
  schemas: {
    InvoiceInPaymentEvent: invoiceInPaymentEvent,
    InvoiceCreateInput: invoiceInput,
    InvoiceLineInput: lineInput,
    InvoiceModifyInput: modifyInput,
    InvoiceFinalizeInput: finalizeInput,
    InvoicePayInput: payInput,
    InvoiceVoidInput: voidInput,
    Invoice: invoiceRecord,
    InvoiceListItem: invoiceRow,
    InvoiceLine: lineRecord,
    InvoicePayment: paymentRecord,
    InvoicePayResult: paidInvoice,
  },
  eventObjects: {
    invoice: invoiceRecord,
    'invoice.paid': invoiceInPaymentEvent,
    'invoice.payment_failed': invoiceInPaymentEvent,
  },
  provide,
  routes: (context: Needs & Provided) => invoiceRoutes(context),
  workers: ({ invoiceWorker, overdueWorker, customerMailWorker }: Provided) => [
    invoiceWorker,
    overdueWorker,
    customerMailWorker,
  ],
  retention: ({ database }: Node) => [
    { name: 'invoice mails', sweep: (nowMs) => sweepMails(invoiceMails, database, nowMs) },
  ],
  integrity: invoiceChecks,
});

function provide(needs: Needs) {
  const { settings, workerDatabase, clock, generateUuid, log, lifecycle, metrics, testClocks, mailer, logError } =
    needs;
  const invoiceFollowers = new InvoiceFollowers();
  const invoiceLinks = new InvoiceLinks();
  const refundsExcess = settings['app.invoice.refund-excess'] === 'true';
  const settling: SettlementDeps = {
    generateUuid,
    followers: invoiceFollowers,
    returnExcess: (transaction, excess) => returnExcess(transaction, excess, { ...needs, refundsExcess }),
  };
  needs.invoicePayments.register(
    invoicePaymentsOf({ ...settling, database: needs.database, waitingPayments: needs.waitingPayments }),
  );
  const invoiceWorker = leftOverSettlementWorker({
    ...settling,
    database: workerDatabase,
    ...failureLog(log, 'Invoice settlement'),
  });
  const overdueWorker = overdueInvoiceWorker({
    database: workerDatabase,
    clock,
    generateUuid,
    ...failureLog(log, 'Finding overdue invoices'),
  });
  const customerMailWorker = mailWorker({
    name: 'invoice mails',
    queue: invoiceMails,
    compose: (queued) => composeInvoiceMail(queued, { database: workerDatabase, links: invoiceLinks }),
    database: workerDatabase,
    clock,
    mailer,
    logError,
    ...failureLog(log, 'Mailing customers'),
  });
  testClocks.register(invoiceTestClockWork);
  testClocks.register(overdueTestClockWork);
  const pdfRenderer = new PdfRenderer({
    processes: settings['app.invoice.pdf-processes'],
    maximumWaiting: settings['app.invoice.pdf-waiting'],
    timeoutMs: settings['app.invoice.pdf-timeout'],
    stopping: lifecycle.stopping,
    log,
  });
  lifecycle.add('PDF renderer', () => pdfRenderer.stop());
  metrics.gauge(
    'florin_invoice_pdfs',
    'Invoices that are rendered as PDF, by state.',
    async (gauge) => {
      gauge.set({ state: 'running' }, pdfRenderer.running);
      gauge.set({ state: 'waiting' }, pdfRenderer.waiting);
    },
    ['state'],
  );
  return { invoiceFollowers, invoiceLinks, invoiceWorker, overdueWorker, customerMailWorker, pdfRenderer };
}
