import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { integer } from '../../../platform/settings/kinds.ts';
import type { TransactionReader } from '../transactions/read.ts';
import type { PaymentTransitions } from '../transactions/transition-statements.ts';
import { refundChecks } from './integrity.ts';
import { refundRoutes } from './routes.ts';
import { listedRefund, refundInput, refundRecord, status } from './schema.ts';

const settings = {
  'app.security.step-up-refund-amount': setting(integer(1, Number.MAX_SAFE_INTEGER), {
    description:
      'Refunds of at least this amount, in minor units of whatever currency, need a session that is stepped up if the ' +
      'user has a second factor. Refunds by keys do not. Without it no refund does.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>> & { reader: TransactionReader; transitions: PaymentTransitions };

/** Refunds, full and partial. */
export const refunds = defineModule({
  name: 'refunds',
  tables: ['refund'],
  settings,
  eventTypes: {
    'refund.created': 'transaction_read',
    'refund.succeeded': 'transaction_read',
    'refund.failed': 'transaction_read',
  },
  auditActions: {
    'refund.create': 'A refund was created.',
    'refund.export': 'Refunds were exported.',
  },
  reference: [{ name: 'Refunds', description: 'Full and partial refunds of payments.' }],
  resources: { refund: refundRecord },
  schemas: { RefundCreateInput: refundInput, Refund: refundRecord, RefundListItem: listedRefund, RefundStatus: status },
  eventObjects: { refund: refundRecord },
  routes: (context: Needs) =>
    refundRoutes({ ...context, stepUpRefundAmount: context.settings['app.security.step-up-refund-amount'] }),
  integrity: refundChecks,
});
