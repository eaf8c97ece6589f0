import type { Module } from '../../../platform/module.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { PaymentsApp } from '../app.ts';
import { sweepOldDeclines } from './declines.ts';
import { methodChecks } from './integrity.ts';
import { referenceAssociatedData, sourceAssociatedData } from './kept.ts';
import { customerAssociatedData } from './provider-customers.ts';
import { methodRoutes } from './routes.ts';
import { methodRecord } from './schema.ts';

interface MethodKey {
  tenant_id: number;
  id: string;
}

const sealedOfMethod = { noun: 'payment methods', table: 'payment_method' } as const;
const methodKey = [
  ['tenant_id', 'bigint'],
  ['id', 'uuid'],
] as const;

/** Payment methods: what customers can be charged with again, kept by the providers of channels. */
export const methods = {
  name: 'methods',
  tables: ['payment_method', 'provider_customer', 'payment_method_operation', 'payment_method_decline'],
  sealed: [
    sealedColumn<MethodKey>({
      ...sealedOfMethod,
      column: 'reference_sealed',
      key: methodKey,
      associatedData: referenceAssociatedData,
    }),
    sealedColumn<MethodKey & { customer_id: number; sealed_for_customer: boolean }>({
      ...sealedOfMethod,
      column: 'source_sealed',
      plainColumn: 'source_plain',
      key: methodKey,
      further: ['customer_id', 'sealed_for_customer'],
      associatedData: sourceAssociatedData,
    }),
    sealedColumn<{ tenant_id: number; customer_id: number; channel_id: number; id: string }>({
      noun: 'customers at providers',
      table: 'provider_customer',
      column: 'reference_sealed',
      key: [
        ['tenant_id', 'bigint'],
        ['customer_id', 'bigint'],
        ['channel_id', 'bigint'],
      ],
      further: ['id'],
      associatedData: customerAssociatedData,
    }),
  ],
  eventTypes: {
    'payment_method.action_required': 'transaction_read',
    'payment_method.attached': 'transaction_read',
    'payment_method.failed': 'transaction_read',
    'payment_method.expiring': 'transaction_read',
    'payment_method.expired': 'transaction_read',
    'payment_method.updated': 'transaction_read',
    'payment_method.revoked': 'transaction_read',
    'payment_method.detached': 'transaction_read',
  },
  auditActions: {
    'payment_method.setup': 'A payment method was to be set up at a provider.',
    'payment_method.default': 'A payment method was made the default of its customer.',
    'payment_method.detach': 'A payment method was detached.',
  },
  errors: {
    method_of_other_channel: 'invalid',
    setup_needs_payment: 'conflict',
    payment_method_unusable: 'conflict',
    payment_method_in_use: 'conflict',
    payment_method_attempts_reached: 'conflict',
  },
  reference: [{ name: 'Payment methods', description: 'What customers can be charged with again.' }],
  resources: { payment_method: methodRecord },
  eventObjects: { payment_method: methodRecord },
  routes: methodRoutes,
  integrity: methodChecks,
  retention: ({ database }) => [
    { name: 'declines of payment methods', sweep: (nowMs) => sweepOldDeclines(database, nowMs) },
  ],
  workers: ({ methodWorker, expiryWorker, readingWorker }) => [methodWorker, expiryWorker, readingWorker],
} satisfies Module<PaymentsApp>;
