import { requestSecondsBuckets } from '../../../platform/metrics/metrics.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { TracedWork } from '../../../platform/tracing/tracing.ts';
import type { FanOut } from '../../webhooks/events/fan-out.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { TransactionCreator } from './create.ts';
import { transactionChecks } from './integrity.ts';
import { RegisteredInvoicePayments } from './invoice-payments.ts';
import { PaymentCounts } from './payment-counts.ts';
import { paymentTokenPlace } from './payment-token.ts';
import { TransactionReader } from './read.ts';
import { transactionRoutes } from './routes.ts';
import { createInput, listedTransaction, status, transactionDetail, transactionRecord, updateInput } from './schema.ts';
import type { Draft } from './statements.ts';
import { PaymentTransitions } from './transition-statements.ts';

const batchSizeBuckets = [1, 2, 5, 10, 25, 50, 100, 200, 350, 500];

type Needs = Node & {
  channels: ChannelDirectory;
  fanOut: FanOut;
};
type Provided = ReturnType<typeof provide>;

/** Payments: create, update, read, list, and their totals. */
export const transactions = defineModule({
  name: 'transactions',
  tables: [
    'transaction',
    'transaction_note',
    'transaction_total',
    'transaction_total_delta',
    'transaction_slice',
    'transaction_slice_total',
  ],
  sealed: [
    sealedColumn<{ tenant_id: number; id: string }>({
      noun: 'payments',
      table: 'transaction',
      column: 'payment_method_sealed',
      plainColumn: 'payment_method',
      key: [
        ['tenant_id', 'bigint'],
        ['id', 'uuid'],
      ],
      place: ({ tenant_id, id }) => paymentTokenPlace(tenant_id, id),
    }),
  ],
  eventTypes: {
    'transaction.created': 'transaction_read',
    'transaction.processing': 'transaction_read',
    'transaction.succeeded': 'transaction_read',
    'transaction.failed': 'transaction_read',
    'transaction.refunded': 'transaction_read',
    'transaction.cancelled': 'transaction_read',
    'transaction.action_required': 'transaction_read',
  },
  auditActions: {
    'transaction.update': 'A payment was changed by hand.',
    'transaction.export': 'Payments were exported.',
  },
  reference: [{ name: 'Transactions', description: 'Payments.' }],
  resources: { transaction: transactionDetail },
  schemas: {
    TransactionCreateInput: createInput,
    TransactionUpdateInput: updateInput,
    Transaction: transactionRecord,
    TransactionDetail: transactionDetail,
    TransactionListItem: listedTransaction,
    TransactionStatus: status,
  },
  eventObjects: { transaction: transactionRecord },
  provide,
  routes: (context: Needs & Provided) => transactionRoutes(context),
  integrity: transactionChecks,
});

/** The root span of the trace of a payment that no request created. */
function createdByBilling({ id, tenantId, channelId, livemode, createdMs }: Draft): TracedWork {
  const attributes = { 'florin.tenant': tenantId, 'florin.channel': channelId, 'florin.livemode': livemode };
  const name = 'create the payment of an invoice';
  return { name, transactionId: id, kind: 'internal', isRoot: true, endMs: createdMs, durationMs: 0, attributes };
}

function provide(needs: Needs) {
  const { database, queueDatabase, openPool, metrics, tracing } = needs;
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
  const creator = new TransactionCreator({
    ...needs,
    invoicePayments,
    onCreated: (draft, by) => {
      counts.created(draft);
      if (by === 'billing' && tracing !== undefined) tracing.record(createdByBilling(draft));
    },
    // `kept`: the statement inserts its parameters and joins only those, so its plan does not depend on the size of a table.
    writer: openPool('writer', 1, 'kept'),
    observeBatch: (size, durationMs) => {
      batchSizes.observe(size);
      batchSeconds.observe(durationMs / 1000);
    },
  });
  metrics.gauge('florin_create_queue', 'Payments waiting to be written.', async (gauge) => gauge.set(creator.queued));
  return {
    creator,
    invoicePayments,
    reader: new TransactionReader({ database, lookupDatabase: queueDatabase }),
    transitions: new PaymentTransitions(invoicePayments, (transition) => counts.transitioned(transition)),
  };
}
