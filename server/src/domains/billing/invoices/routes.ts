import { Type } from 'typebox';
import { idempotencyHeaders, idempotencyKeyOf, replayedHeader } from '../../../platform/http/idempotency.ts';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { finalizeInvoice, readInvoice, voidInvoice } from './close.ts';
import { createInvoice } from './create.ts';
import type { InvoiceDeps } from './deps.ts';
import { readInvoicePage } from './list.ts';
import { payInvoice } from './pay.ts';
import { detailOf } from './record.ts';
import { printedTypes, renderInvoice } from './rendering/render.ts';
import {
  finalizeInput,
  invoiceInput,
  invoiceListQuery,
  invoiceQuery,
  invoiceRecord,
  listedInvoice,
  paidInvoice,
  payInput,
  printQuery,
  voidInput,
} from './schema.ts';

export function invoiceRoutes(deps: InvoiceDeps): Route[] {
  return [
    post('/api/invoice/create', 'invoice_write', 'Invoices', {
      summary: 'Create an invoice',
      description: 'As a DRAFT: without a number, and not to be paid until it is finalized.',
      headers: idempotencyHeaders,
      body: invoiceInput,
      data: invoiceRecord,
      handle: async ({ body, principal, headers }) => {
        const { record, replayed } = await createInvoice(body, principal, deps, idempotencyKeyOf(headers));
        return { message: 'Invoice created', data: record, ...(replayed && replayedHeader) };
      },
    }),

    get('/api/invoice/detail', 'invoice_read', 'Invoices', {
      summary: 'Look an invoice up',
      query: invoiceQuery,
      data: invoiceRecord,
      handle: ({ query, principal }) =>
        deps.database.snapshot(async (moment) => ({
          data: await detailOf(moment, await readInvoice(moment, query.id, principal)),
        })),
    }),

    get('/api/invoice/list', 'invoice_read', 'Invoices', {
      summary: 'List invoices',
      description: 'Newest first, with the exact total.',
      query: invoiceListQuery,
      data: Type.Array(listedInvoice),
      paged: true,
      handle: ({ query, principal }) => readInvoicePage(deps.database, query, principal),
    }),

    get('/api/invoice/print', 'invoice_read', 'Invoices', {
      summary: 'Print an invoice',
      description: 'As a page (`html`) or a file (`pdf`), not in the envelope. Refusals are.',
      query: printQuery,
      data: Type.Null(),
      documentTypes: printedTypes,
      handle: ({ query, principal }) => renderInvoice(query, principal, deps.database),
    }),

    post('/api/invoice/finalize', 'invoice_write', 'Invoices', {
      summary: 'Finalize an invoice',
      description: 'Gives a DRAFT its number and makes it OPEN; PAID, where nothing is due.',
      body: finalizeInput,
      data: invoiceRecord,
      handle: async ({ body, principal }) => ({
        message: 'Invoice finalized',
        data: await finalizeInvoice(body.id, principal, deps),
      }),
    }),

    post('/api/invoice/pay', 'invoice_write', 'Invoices', {
      summary: 'Pay an invoice',
      description:
        'Makes a payment on a channel, of all that is left or of a part. Where the channel has a provider, what it says ' +
        'settles the invoice; else an update of the payment does.',
      headers: idempotencyHeaders,
      body: payInput,
      data: paidInvoice,
      handle: async ({ body, principal, headers }) => {
        const { paid, replayed } = await payInvoice(body, principal, deps, idempotencyKeyOf(headers));
        return { message: 'Payment created', data: paid, ...(replayed && replayedHeader) };
      },
    }),

    post('/api/invoice/void', 'invoice_write', 'Invoices', {
      summary: 'Make an invoice void, or give it up',
      description:
        'VOID: nothing is asked for any more. With `uncollectible` UNCOLLECTIBLE: given up, and still payable. Refused ' +
        'while a payment is under way.',
      body: voidInput,
      data: invoiceRecord,
      handle: async ({ body, principal }) => ({
        message: body.uncollectible ? 'Invoice given up' : 'Invoice made void',
        data: await voidInvoice(body, principal, deps),
      }),
    }),
  ];
}
