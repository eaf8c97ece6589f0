import { fallbackPollMs } from '../../../platform/jobs/due-work-poller.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import type { TransactionCreator } from '../../payments/transactions/create.ts';
import type { TestClockWorker } from '../test-clocks/worker.ts';
import { InvoiceFollowers } from './followers.ts';
import { invoiceChecks } from './integrity.ts';
import { invoiceRoutes } from './routes.ts';
import { invoiceRecord } from './schema.ts';
import { InvoiceSettler } from './settle.ts';
import { endedPaymentDue, invoicesDue } from './settle-statements.ts';
import { invoiceTestClockWork } from './test-clock-work.ts';

type Needs = Node & { channels: ChannelDirectory; creator: TransactionCreator; testClockWorker: TestClockWorker };
type Provided = ReturnType<typeof provide>;

/** Invoices: lines, tax, numbers, payment reservations, settlement and rendering. */
export const invoices = defineModule({
  name: 'invoices',
  tables: ['invoice', 'invoice_line', 'invoice_counter', 'invoice_payment'],
  reference: [{ name: 'Invoices', description: 'Invoices and their payments.' }],
  resources: { invoice: invoiceRecord },
  provide,
  routes: (context: Needs & Provided) => invoiceRoutes(context),
  workers: ({ invoiceSettler }: Provided) => [
    {
      name: 'invoices',
      start: () => invoiceSettler.start(),
      stop: () => invoiceSettler.stop(),
      wake: () => invoiceSettler.wake(),
      dueWork: { topic: invoicesDue, due: endedPaymentDue },
    },
  ],
  integrity: invoiceChecks,
});

function provide({ workerDatabase, drawUuid, log, testClockWorker }: Needs) {
  const invoiceFollowers = new InvoiceFollowers();
  const invoiceSettler = new InvoiceSettler({
    database: workerDatabase,
    drawUuid,
    followers: invoiceFollowers,
    pollMs: () => fallbackPollMs,
    onError: (error) => log.warn({ error }, 'Invoice settlement is failing; retrying'),
    onRecovered: () => log.info('Invoice settlement works again'),
  });
  testClockWorker.register(invoiceTestClockWork);
  return { invoiceFollowers, invoiceSettler };
}
