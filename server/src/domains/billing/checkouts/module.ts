import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { Module } from '../../../platform/module.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { BillingApp } from '../app.ts';
import { settlementOf } from '../invoices/settlement/services.ts';
import { checkoutChecks } from './integrity.ts';
import { contestedPaymentWorker } from './judge-contested.ts';
import { checkoutRoutes } from './routes.ts';
import { tokenAssociatedData } from './rules.ts';
import { checkoutRecord, portalRecord } from './schema.ts';
import { sweepExpired } from './sweep.ts';

/** Pages for payers: payment links, hosted invoices, and the customer portal. */
export const checkouts = {
  name: 'checkouts',
  tables: ['checkout', 'checkout_payment', 'customer_portal'],
  sealed: [
    sealedColumn<{ tenant_id: number; id: number }>({
      noun: 'checkouts',
      table: 'checkout',
      column: 'token_sealed',
      key: [
        ['tenant_id', 'bigint'],
        ['id', 'bigint'],
      ],
      associatedData: ({ tenant_id, id }) => tokenAssociatedData(tenant_id, id),
    }),
  ],
  auditActions: {
    'checkout.create': 'A checkout was created, by a user or for a mail about an invoice.',
    'checkout.expire': 'A checkout was closed.',
    'checkout.pay': 'A payer made a payment on a checkout page.',
    'portal.create': 'A link to a customer portal was created. The record is the customer.',
  },
  reference: [{ name: 'Checkouts', description: 'Pages on which payers pay an amount or an invoice.' }],
  resources: { checkout: checkoutRecord, portal: portalRecord },
  routes: checkoutRoutes,
  workers: (app) => [
    contestedPaymentWorker({
      ...settlementOf(app),
      database: app.workerDatabase,
      clock: app.clock,
      ...failureLog(app.log, 'Judging payments of checkouts'),
    }),
  ],
  retention: ({ database }) => [{ name: 'checkouts', sweep: (nowMs) => sweepExpired(database, nowMs) }],
  integrity: checkoutChecks,
} satisfies Module<BillingApp>;
