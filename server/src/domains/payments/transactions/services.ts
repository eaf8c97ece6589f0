import { uuidTimeMs } from '../../../core/id.ts';
import { requestSecondsBuckets } from '../../../platform/metrics/metrics.ts';
import type { TracedWork } from '../../../platform/tracing/tracing.ts';
import type { WebhooksApp } from '../../webhooks/app.ts';
import type { PaymentsApp } from '../app.ts';
import { RegisteredInvoicePayments } from './invoice-payments.ts';
import { PaymentCounts } from './payment-counts.ts';
import { Payments } from './payments.ts';
import type { PaymentRow } from './record.ts';

const batchSizeBuckets = [1, 2, 5, 10, 25, 50, 100, 200, 350, 500];

/** Makes what writes, finds and changes payments. */
export function transactionServices(app: WebhooksApp & Pick<PaymentsApp, 'channels' | 'methodCustomers'>) {
  const { queueDatabase, openPool, metrics, tracing } = app;
  const batchSizes = metrics.histogram(
    'florin_create_batch_size',
    'Payments written by one statement.',
    batchSizeBuckets,
  );
  const batchSeconds = metrics.histogram(
    'florin_create_batch_seconds',
    'Time to write one batch.',
    requestSecondsBuckets,
  );
  const counts = new PaymentCounts(metrics);
  const invoicePayments = new RegisteredInvoicePayments();
  const payments = new Payments({
    ...app,
    lookupDatabase: queueDatabase,
    invoicePayments,
    onCreated: (row, by) => {
      counts.created(row);
      if (by === 'billing' && tracing !== undefined) tracing.record(createdByBilling(row));
    },
    onTransition: (transition) => counts.transitioned(transition),
    // `kept`: the statement inserts its parameters and joins only those, so its plan does not depend on the size of a
    // table.
    writer: openPool('writer', 1, 'kept'),
    observeBatch: (size, durationMs) => {
      batchSizes.observe(size);
      batchSeconds.observe(durationMs / 1000);
    },
  });
  metrics.gauge('florin_create_queue', 'Payments waiting to be written.', async (gauge) => gauge.set(payments.queued));
  return { payments, invoicePayments };
}

/** The root span of the trace of a payment that no request created. */
function createdByBilling({ id, tenant_id, channel_id, livemode }: PaymentRow): TracedWork {
  const attributes = { 'florin.tenant': tenant_id, 'florin.channel': channel_id, 'florin.livemode': livemode };
  const name = 'create the payment of an invoice';
  return { name, transactionId: id, kind: 'internal', isRoot: true, endMs: uuidTimeMs(id), durationMs: 0, attributes };
}
