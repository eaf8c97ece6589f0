import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import type { TransactionReader } from '../transactions/read.ts';
import type { PaymentTransitions } from '../transactions/transition-statements.ts';
import { refundChecks } from './integrity.ts';
import { refundRoutes } from './routes.ts';
import { refundRecord } from './schema.ts';

/** Refunds, full and partial. */
export const refunds = defineModule({
  name: 'refunds',
  tables: ['refund'],
  reference: [{ name: 'Refunds', description: 'Full and partial refunds of payments.' }],
  resources: { refund: refundRecord },
  routes: (context: Node & { reader: TransactionReader; transitions: PaymentTransitions }) => refundRoutes(context),
  integrity: refundChecks,
});
