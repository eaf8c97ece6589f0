import type { Clock } from '../../../core/clock.ts';
import type { DrawUuid } from '../../../core/id.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import type { PaymentWriter } from '../../payments/transactions/create.ts';
import type { InvoiceFollowers } from './followers.ts';

export interface InvoiceDeps {
  database: Database;
  channels: ChannelDirectory;
  clock: Clock;
  drawUuid: DrawUuid;
  creator: PaymentWriter;
  invoiceFollowers: InvoiceFollowers;
}
