import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import { customerRoutes } from './routes.ts';
import { customerRecord } from './schema.ts';

/** Customers: the payers of invoices and subscriptions. */
export const customers = defineModule({
  name: 'customers',
  tables: ['customer'],
  reference: [{ name: 'Customers', description: 'The payers of invoices and subscriptions.' }],
  resources: { customer: customerRecord },
  routes: (context: Node & { channels: ChannelDirectory; clocksOffered: boolean }) => customerRoutes(context),
});
