import { failureLog } from '../../../platform/jobs/worker.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import type { TransactionCreator } from '../../payments/transactions/create.ts';
import type { TestClocks } from '../test-clocks/worker.ts';
import { InvoiceFollowers } from './followers.ts';
import { invoiceChecks } from './integrity.ts';
import { invoiceRoutes } from './routes.ts';
import { invoiceRecord } from './schema.ts';
import { invoiceSettlementWorker } from './settle.ts';
import { invoiceTestClockWork } from './test-clock-work.ts';

type Needs = Node & { channels: ChannelDirectory; creator: TransactionCreator; testClocks: TestClocks };
type Provided = ReturnType<typeof provide>;

/** Invoices: lines, tax, numbers, payment reservations, settlement and rendering. */
export const invoices = defineModule({
  name: 'invoices',
  tables: ['invoice', 'invoice_line', 'invoice_counter', 'invoice_payment'],
  reference: [{ name: 'Invoices', description: 'Invoices and their payments.' }],
  resources: { invoice: invoiceRecord },
  provide,
  routes: (context: Needs & Provided) => invoiceRoutes(context),
  workers: ({ invoiceWorker }: Provided) => [invoiceWorker],
  integrity: invoiceChecks,
});

function provide({ workerDatabase, drawUuid, log, testClocks }: Needs) {
  const invoiceFollowers = new InvoiceFollowers();
  const invoiceWorker = invoiceSettlementWorker({
    database: workerDatabase,
    drawUuid,
    followers: invoiceFollowers,
    ...failureLog(log, 'Invoice settlement'),
  });
  testClocks.register(invoiceTestClockWork);
  return { invoiceFollowers, invoiceWorker };
}
