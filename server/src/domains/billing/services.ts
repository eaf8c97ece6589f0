import { Turns } from '../../platform/concurrency/turns.ts';
import { failureLog } from '../../platform/jobs/failure-log.ts';
import type { Queryable } from '../../platform/postgres/database.ts';
import type { PaymentsApp } from '../payments/app.ts';
import type { CustomerKey } from '../payments/methods/customers.ts';
import type { BillingApp, BillingSettings } from './app.ts';
import { linkToInvoice } from './checkouts/link-to-invoice.ts';
import { InvoiceLinks, MailedInvoices } from './customer-mails/invoices.ts';
import { methodCustomersOf, type SubscriptionMethods } from './customers/method-customers.ts';
import { PdfRenderer } from './documents/pdf/pdf-renderer.ts';
import { overdueTestClockWork } from './invoices/overdue/worker.ts';
import { invoicePaymentsOf } from './invoices/payment/invoice-payments.ts';
import { readMailedInvoice } from './invoices/read.ts';
import { InvoiceFollowers } from './invoices/settlement/followers.ts';
import { settlementOf } from './invoices/settlement/services.ts';
import { invoiceTestClockWork } from './invoices/test-clock-work.ts';
import { PlanUsages } from './plans/usages.ts';
import { tenantSellers } from './sellers/tenant-sellers.ts';
import { followClosed, followPayments, followReopened } from './subscriptions/collections/follow.ts';
import { requestRetry } from './subscriptions/collections/statements.ts';
import { replaceMethod } from './subscriptions/methods.ts';
import { subscriptionTestClockWork } from './subscriptions/renewal/worker.ts';
import { isPlanUsed } from './subscriptions/statements.ts';
import { TestClocks } from './test-clocks/worker.ts';

/** As for lists: they leave the other connections to other requests. A search that waits is soon out of time. */
const concurrentSearches = 2;
const waitingSearches = 50;

/**
 * Makes the services of the billing modules, in order of dependency, and registers them where lower modules call them.
 */
export function billingServices(payments: PaymentsApp & { settings: BillingSettings }): BillingApp {
  const { workerDatabase, bus, deploymentMode, log } = payments;
  const app: BillingApp = {
    ...payments,
    testClocks: new TestClocks({
      database: workerDatabase,
      wake: (topics) => bus.wake(topics),
      ...failureLog(log, 'Advancing test clocks'),
    }),
    clocksOffered: deploymentMode === 'STANDALONE',
    invoiceFollowers: new InvoiceFollowers(),
    mailedInvoices: new MailedInvoices(),
    invoiceLinks: new InvoiceLinks(),
    pdfRenderer: pdfRendererOf(payments),
    onExcess: excessCounter(payments),
    planUsages: new PlanUsages(),
    searchTurns: new Turns({ concurrency: concurrentSearches, maxWaiting: waitingSearches }),
  };
  app.tenantSellers.register(tenantSellers);
  app.methodCustomers.register(methodCustomersOf({ ...app, subscriptionMethods: subscriptionMethodsOf(app) }));
  registerInvoices(app);
  registerSubscriptions(app);
  app.invoiceLinks.register((invoice) => linkToInvoice(invoice, app));
  return app;
}

/** What subscriptions do when payment methods of their customers change. */
function subscriptionMethodsOf(app: BillingApp): SubscriptionMethods {
  return {
    replace: (transaction, method, other) => replaceMethod(transaction, method, other, app),
    setupAnswered: (transaction, customer) => retry(transaction, customer, false),
    defaultChanged: (transaction, customer) => retry(transaction, customer, true),
  };
}

async function retry(
  transaction: Queryable,
  { tenantId, customerId }: CustomerKey,
  isNewDefault: boolean,
): Promise<void> {
  await transaction.run(requestRetry, [tenantId, customerId, isNewDefault]);
}

function excessCounter({ metrics }: PaymentsApp): BillingApp['onExcess'] {
  const payments = metrics.counter(
    'florin_excess_payments_total',
    'Payments that took more than was left to pay of their invoice or payment link. `refunded`: ' +
      'the excess is given back at once. `to_return`: it stands as `amountToReturn` until somebody gives it back. ' +
      '`released`: the payment was only authorized, and its provider is asked to release it. `held`: it stays ' +
      'authorized until somebody cancels it.',
    ['result'],
  );
  return (result) => payments.labels(result).inc();
}

function pdfRendererOf({
  settings,
  lifecycle,
  log,
  metrics,
}: PaymentsApp & { settings: BillingSettings }): PdfRenderer {
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
  return pdfRenderer;
}

/** Payments of invoices reserve and settle them; test clocks move them. */
function registerInvoices(app: BillingApp): void {
  const { database, waitingPayments, clock, invoiceFollowers: followers } = app;
  const settling = { ...settlementOf(app), clock, followers };
  app.invoicePayments.register(invoicePaymentsOf({ ...settling, database, waitingPayments }));
  app.mailedInvoices.register((invoice) => readMailedInvoice(app.workerDatabase, invoice));
  app.testClocks.register(invoiceTestClockWork);
  app.testClocks.register(overdueTestClockWork);
}

/** Subscriptions follow their invoices, keep their plans from being changed, and move with test clocks. */
function registerSubscriptions({ settings, generateUuid, invoiceFollowers, planUsages, testClocks }: BillingApp): void {
  const collecting = { generateUuid, retryIntervalsMs: settings['app.subscription.retry-intervals'] };
  invoiceFollowers.register({
    settled: (transaction, payments) => followPayments(transaction, payments, collecting),
    closed: (transaction, invoice) => followClosed(transaction, invoice, collecting),
    reopened: (transaction, invoice) => followReopened(transaction, invoice, collecting),
  });
  planUsages.register(async (transaction, { tenant_id, id }) => {
    const [row] = await transaction.run(isPlanUsed, [tenant_id, id]);
    return row?.used ?? false;
  });
  testClocks.register(subscriptionTestClockWork);
}
