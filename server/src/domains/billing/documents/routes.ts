import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { BillingApp } from '../app.ts';
import { printedTypes, printInvoice } from './print.ts';
import { printQuery } from './schema.ts';

const { get } = routesFor<BillingApp>();

export const documentRoutes: readonly Route<BillingApp>[] = [
  get('/api/invoice/print', 'invoice_read', 'Invoices', {
    operationId: 'printInvoice',
    summary: 'Render an invoice',
    description:
      'Returns an HTML page or a PDF file instead of the JSON envelope. Errors use the envelope. The `ETag` ' +
      'changes with the content: with it in `If-None-Match` the response is 304 without a body. PDFs are rendered ' +
      'in turns by tenant; a request is refused with `overloaded` when too many wait, and with `rendering_failed` ' +
      'after `app.invoice.pdf-timeout`.',
    query: printQuery,
    refuses: ['rendering_failed'],
    data: Type.Null(),
    documentTypes: printedTypes,
    hasEntityTag: true,
    handle: printInvoice,
  }),
];
