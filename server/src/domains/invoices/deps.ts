import type { Database, Queryable } from '../../platform/postgres/database.ts';
import type { Clock } from '../../vocabulary/clock.ts';
import type { DrawUuid } from '../../vocabulary/id.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { WritePayments } from './payments.ts';

export interface ClosedInvoice {
  tenantId: number;
  invoiceId: number;
  /** In the customer's time. */
  atMs: number;
}

export interface InvoiceDeps {
  database: Database;
  channels: ChannelDirectory;
  clock: Clock;
  drawUuid: DrawUuid;
  writePayments: WritePayments;
  /** What else follows when an invoice is made void or given up, in that transaction: subscriptions come later. */
  onClosed: (transaction: Queryable, closed: ClosedInvoice) => Promise<void>;
  /** Payments have been committed: totals, deliveries and the dispatcher have something to do. */
  onPayments: () => void;
  onDeliveries: () => void;
}
