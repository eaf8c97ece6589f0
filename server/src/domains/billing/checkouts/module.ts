import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import type { TransactionCreator } from '../../payments/transactions/create.ts';
import type { RegisteredInvoicePayments } from '../../payments/transactions/invoice-payments.ts';
import type { UpdateTransactionDeps } from '../../payments/transactions/update.ts';
import type { InvoiceLinks } from '../invoices/mails/links.ts';
import type { PdfRenderer } from '../invoices/rendering/pdf-renderer.ts';
import { checkoutChecks } from './integrity.ts';
import { linkToInvoice } from './link-to-invoice.ts';
import { CheckoutPages } from './pages/checkout-pages.ts';
import { PortalPages } from './portal/portal-pages.ts';
import { checkoutRoutes } from './routes.ts';
import { tokenPlace } from './rules.ts';
import { checkoutInput, checkoutRecord, checkoutRow, expireInput, portalInput, portalRecord } from './schema.ts';
import { sweepExpired } from './sweep.ts';

type Needs = Node & {
  channels: ChannelDirectory;
  creator: TransactionCreator;
  invoicePayments: RegisteredInvoicePayments;
  pdfRenderer: PdfRenderer;
  invoiceLinks: InvoiceLinks;
} & Pick<UpdateTransactionDeps, 'reader' | 'transitions'>;

/** Pages for payers: payment links, hosted invoices, and the customer portal. */
export const checkouts = defineModule({
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
      place: ({ tenant_id, id }) => tokenPlace(tenant_id, id),
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
  schemas: {
    CheckoutCreateInput: checkoutInput,
    CheckoutExpireInput: expireInput,
    Checkout: checkoutRecord,
    CheckoutListItem: checkoutRow,
    CustomerPortalInput: portalInput,
    CustomerPortal: portalRecord,
  },
  provide: (needs: Needs) => {
    needs.invoiceLinks.register((invoice) => linkToInvoice(invoice, needs));
    return { checkoutPages: new CheckoutPages(needs), portalPages: new PortalPages(needs) };
  },
  routes: (context: Needs) => checkoutRoutes(context),
  retention: ({ database }: Node) => [{ name: 'checkouts', sweep: (nowMs) => sweepExpired(database, nowMs) }],
  integrity: checkoutChecks,
});
