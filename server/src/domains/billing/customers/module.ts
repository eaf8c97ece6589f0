import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import { customerRoutes } from './routes.ts';
import { customerRecord } from './schema.ts';

/** Customers: who pays. */
export const customers = defineModule({
  name: 'customers',
  tables: ['customer'],
  reference: [{ name: 'Customers', description: 'Who pays.' }],
  resources: { customer: customerRecord },
  routes: (context: Node & { channels: ChannelDirectory; clocksOffered: boolean }) => customerRoutes(context),
});
