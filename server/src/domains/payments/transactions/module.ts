import type { Module } from '../../../platform/module.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { PaymentsApp } from '../app.ts';
import { transactionChecks } from './integrity.ts';
import { paymentTokenAssociatedData } from './payment-token.ts';
import { transactionRoutes } from './routes.ts';
import { transactionDetail, transactionRecord } from './schema.ts';

/** Payments: create, update, read, list, and their totals. */
export const transactions = {
  name: 'transactions',
  tables: [
    'transaction',
    'timeline_message',
    'transaction_total',
    'transaction_total_delta',
    'transaction_bucket',
    'transaction_bucket_total',
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
      associatedData: ({ tenant_id, id }) => paymentTokenAssociatedData(tenant_id, id),
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
  errors: {
    illegal_transition: 'conflict',
  },
  reference: [{ name: 'Transactions', description: 'Payments.' }],
  resources: { transaction: transactionDetail },
  eventObjects: { transaction: transactionRecord },
  routes: transactionRoutes,
  integrity: transactionChecks,
} satisfies Module<PaymentsApp>;
