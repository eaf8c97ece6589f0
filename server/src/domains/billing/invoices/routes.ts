import { Type } from 'typebox';
import { pagingOf } from '../../../platform/http/list-query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import { acceptanceRefusals } from '../../payments/channels/rules.ts';
import type { BillingApp } from '../app.ts';
import { createInvoice } from './create.ts';
import { finalizeInvoice } from './issue/finalize.ts';
import { listInvoices } from './list.ts';
import { modifyInvoice } from './modify.ts';
import { payInvoice } from './payment/pay.ts';
import { readInvoice } from './read.ts';
import { detailOf } from './record.ts';
import {
  finalizeInput,
  invoiceInput,
  invoiceListQuery,
  invoiceQuery,
  invoiceRecord,
  invoiceRow,
  invoiceSummary,
  modifyInput,
  paidInvoice,
  payInput,
  sendInput,
  sentInvoice,
  summaryQuery,
  voidInput,
} from './schema.ts';
import { sendInvoice } from './send.ts';
import { summarizeInvoices } from './summary.ts';
import { voidInvoice } from './void.ts';

const { get, post, postOnce } = routesFor<BillingApp>();

export const invoiceRoutes: readonly Route<BillingApp>[] = [
  postOnce('/api/invoice/create', 'invoice_write', 'Invoices', {
    summary: 'Create an invoice',
    events: 2,
    description: 'Creates a DRAFT. It has no number and cannot be paid until it is finalized.',
    body: invoiceInput,
    refuses: acceptanceRefusals,
    data: invoiceRecord,
    message: 'Invoice created',
    handle: createInvoice,
  }),

  get('/api/invoice/detail', 'invoice_read', 'Invoices', {
    summary: 'Get an invoice',
    query: invoiceQuery,
    data: invoiceRecord,
    handle: ({ query, principal }, app) =>
      app.database.snapshot(async (snapshot) => ({
        data: await detailOf(snapshot, await readInvoice(snapshot, query.id, principal)),
      })),
  }),

  get('/api/invoice/summary', 'invoice_read', 'Invoices', {
    summary: 'Get what is left to pay',
    description: 'Of all `OPEN` invoices, by currency. Those that were due before today (UTC) are overdue.',
    query: summaryQuery,
    data: invoiceSummary,
    handle: async (call, app) => ({ data: await summarizeInvoices(call, app) }),
  }),

  get('/api/invoice/list', 'invoice_read', 'Invoices', {
    summary: 'List invoices',
    description: `Newest first. ${pagingOf('invoices', [
      ...['currency', 'amountFrom', 'amountTo', 'dueFrom', 'dueTo', 'metadata'],
    ])} ${exportText}`,
    query: invoiceListQuery,
    data: Type.Array(invoiceRow),
    paged: 'by_page_or_cursor',
    exportTypes,
    handle: listInvoices,
  }),

  post('/api/invoice/modify', 'invoice_write', 'Invoices', {
    summary: 'Change a draft',
    description:
      'Changes the given fields; `lines` replace all lines. The customer and the currency cannot change. Only a ' +
      'DRAFT can be changed. No event is sent: `invoice.finalized` shows the result.',
    body: modifyInput,
    refuses: ['invoice_not_draft', ...acceptanceRefusals],
    data: invoiceRecord,
    message: 'Invoice updated',
    handle: async (call, app) => ({ data: await modifyInvoice(call, app) }),
  }),

  post('/api/invoice/finalize', 'invoice_write', 'Invoices', {
    summary: 'Finalize an invoice',
    events: 2,
    description: 'Gives a DRAFT its number and makes it OPEN. An invoice with a total of 0 becomes PAID.',
    body: finalizeInput,
    refuses: ['illegal_transition'],
    data: invoiceRecord,
    message: 'Invoice finalized',
    handle: async (call, app) => ({ data: await finalizeInvoice(call, app) }),
  }),

  postOnce('/api/invoice/pay', 'invoice_write', 'Invoices', {
    summary: 'Pay an invoice',
    events: 4,
    description:
      'Creates a payment on a channel, for the remaining amount or a part of it. The outcome of the payment settles ' +
      'the invoice. On a channel without a provider, set the outcome with an update of the payment.',
    body: payInput,
    refuses: [
      'invoice_not_payable',
      'payment_exceeds_invoice',
      ...acceptanceRefusals,
      'payment_method_attempts_reached',
      'channel_cannot',
      'payment_method_unusable',
      'method_of_other_channel',
    ],
    data: paidInvoice,
    message: 'Payment created',
    handle: ({ body, principal, idempotencyKey }, app) => payInvoice(body, principal, app, idempotencyKey),
  }),

  postOnce('/api/invoice/send', 'invoice_write', 'Invoices', {
    summary: 'Mail an invoice to its customer',
    description:
      'Mails an open invoice, as a reminder once it is overdue, or the receipt of a paid one. Also for tenants ' +
      'without `customerMails`. Not for test invoices.',
    body: sendInput,
    refuses: ['invoice_not_payable', 'customer_without_email', 'livemode_mismatch'],
    data: sentInvoice,
    message: 'Invoice will be mailed',
    handle: ({ body, principal, idempotencyKey }, app) => sendInvoice(body, principal, app, idempotencyKey),
  }),

  post('/api/invoice/void', 'invoice_write', 'Invoices', {
    summary: 'Void an invoice',
    events: 1,
    description:
      'Makes the invoice VOID: it can no longer be paid. With `uncollectible` it becomes UNCOLLECTIBLE and can still ' +
      'be paid. Refused while a payment is in progress.',
    body: voidInput,
    refuses: ['illegal_transition', 'invoice_payment_under_way'],
    data: invoiceRecord,
    handle: async (call, app) => ({
      message: call.body.uncollectible ? 'Invoice given up' : 'Invoice made void',
      data: await voidInvoice(call, app),
    }),
  }),
];
