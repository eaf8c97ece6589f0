import { dayMs } from '../../../core/clock.ts';
import { systemActor } from '../../identity/audit/append.ts';
import { isUsable } from '../../payments/methods/rules.ts';
import type { BillingApp } from '../app.ts';
import { findCustomer } from '../customers/statements.ts';
import type { InvoiceKey } from '../invoices/lock.ts';
import { findInvoice, type InvoiceRow } from '../invoices/statements.ts';
import { insertNewCheckout } from './insert.ts';
import { addressOf, tokenOf } from './links.ts';
import { findMethodsOfCustomer } from './method-statements.ts';
import { lifetimeMs, maximumMethods } from './rules.ts';
import { findOpenOfInvoice } from './statements.ts';

/** A link in a mail stays valid for at least this long. */
const leastRemainingMs = 7 * dayMs;

/**
 * The URL of an invoice's page, for mails and the portal, which only the customer gets: it offers the customer's
 * payment methods. It is that of the newest checkout, if that is such a one and stays open for a week. Otherwise a new
 * one is made for 30 days, on the channels of the newest one, or else that of the invoice or of its customer, and on
 * those that keep the payment methods. Without a channel, the page only shows the invoice.
 */
export async function linkToInvoice({ tenantId, invoiceId }: InvoiceKey, app: BillingApp): Promise<string | null> {
  const { database, clock } = app;
  const nowMs = clock();
  const [known] = await database.run(findOpenOfInvoice, [tenantId, invoiceId, nowMs + leastRemainingMs]);
  const sealed = known && { tenant_id: tenantId, ...known };
  if (sealed?.offers_methods && tokenOf(sealed, app) !== null) return addressOf(sealed, app);
  const [invoice] = (await database.run(findInvoice, [[tenantId], invoiceId])) as [InvoiceRow];
  const [customer] = await database.run(findCustomer, [[tenantId], invoice.customer_id]);
  const channelId = invoice.channel_id ?? customer?.default_channel_id ?? null;
  const named = known?.channel_ids ?? (channelId === null ? [] : [channelId]);
  const methods = await database.run(findMethodsOfCustomer, [tenantId, invoice.customer_id, maximumMethods]);
  const ofMethods = methods.filter(isUsable).map((method) => method.channel_id);
  const draft = {
    tenantId,
    livemode: invoice.livemode,
    invoiceId,
    amount: null,
    currency: invoice.currency,
    channelIds: [...new Set([...named, ...ofMethods])],
    offersMethods: true,
    customerId: invoice.customer_id,
    description: invoice.description,
    metadata: null,
    returnUrl: null,
    userId: invoice.user_id,
    expiresMs: nowMs + lifetimeMs.invoice,
  };
  const row = await database.transaction((transaction) =>
    insertNewCheckout(transaction, draft, systemActor, nowMs, app),
  );
  return addressOf(row, app);
}
