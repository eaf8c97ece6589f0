import { Refusal } from '../../../../core/errors.ts';
import type { RequestOrigin } from '../../../identity/audit/append.ts';
import type { BillingApp } from '../../app.ts';
import { pdfForPayer } from '../../documents/print.ts';
import type { Language } from '../../sellers/formats.ts';
import { findLogo } from '../../sellers/statements.ts';
import { cancelSubscription } from '../../subscriptions/changes/cancel.ts';
import { pdfPage } from '../pages/checkout-pages.ts';
import { type Page, seeOther } from '../pages/page.ts';
import { actingFor, payer } from '../payer.ts';
import { hashOfToken, isToken } from '../rules.ts';
import { cancelPage, type PortalView, portalPage } from './portal-page.ts';
import {
  findInvoiceOfCustomer,
  findInvoicesOfCustomer,
  findPortal,
  findSubscriptionsOfCustomer,
  type PortalRow,
} from './statements.ts';

/** The most invoices, and the most subscriptions, that the portal shows. */
const maximumShown = 100;

/** The pages of customer portals. Undefined: there is no such page, or it has expired. */
export class PortalPages {
  readonly #app: BillingApp;

  constructor(app: BillingApp) {
    this.#app = app;
  }

  /** The portal; with `cancel`, the page that confirms the cancellation of this subscription. */
  async show(token: string, language: Language, cancel: string | null): Promise<Page | undefined> {
    const view = await this.#viewOf(token, language);
    if (view === undefined || cancel === null) return view && portalPage(view);
    const subscription = view.subscriptions.find(({ id }) => String(id) === cancel);
    return subscription === undefined || subscription.cancel_at_period_end
      ? portalPage(view)
      : cancelPage(view, subscription);
  }

  /**
   * Cancels a subscription of the customer at the end of its period. It is no error when it has ended in the meantime.
   */
  async cancel(token: string, subscription: string | null, origin: RequestOrigin): Promise<Page | undefined> {
    const row = await this.#rowOf(token);
    if (row === undefined) return undefined;
    const { tenant_id: tenantId, customer_id: customerId } = row;
    const { database } = this.#app;
    const running = await database.run(findSubscriptionsOfCustomer, [tenantId, customerId, maximumShown]);
    const found = running.find(({ id }) => String(id) === subscription);
    if (found === undefined) return undefined;
    try {
      const input = { id: found.id, cancelAtPeriodEnd: true };
      await cancelSubscription(input, actingFor(row), this.#app, { actor: { ...payer, ...origin } });
    } catch (error) {
      if (!(error instanceof Refusal) || error.type !== 'illegal_transition') throw error;
    }
    return seeOther(`../${token}`);
  }

  /** Redirects to the page of an open invoice. */
  async pay(token: string, invoice: string | null): Promise<Page | undefined> {
    const key = await this.#invoiceOf(token, invoice);
    const address = key && (await this.#app.invoiceLinks.find(key));
    return address == null ? undefined : seeOther(`../../${address.split('/').at(-1)}`);
  }

  async pdf(token: string, invoice: string): Promise<Page | undefined> {
    const key = await this.#invoiceOf(token, invoice);
    const pdf = key && (await pdfForPayer(key, await this.#app.invoiceLinks.find(key), this.#app));
    return pdf && pdfPage(pdf);
  }

  async logo(token: string): Promise<Page | undefined> {
    const row = await this.#rowOf(token);
    const [found] = row === undefined ? [] : await this.#app.database.run(findLogo, [row.tenant_id]);
    return found && { status: 200, headers: { 'content-type': found.logo_type }, content: found.logo };
  }

  async #rowOf(token: string): Promise<PortalRow | undefined> {
    if (!isToken(token)) return undefined;
    const { database, clock } = this.#app;
    const [row] = await database.run(findPortal, [hashOfToken(token), clock()]);
    return row;
  }

  async #viewOf(token: string, language: Language): Promise<PortalView | undefined> {
    const row = await this.#rowOf(token);
    if (row === undefined) return undefined;
    const customer = [row.tenant_id, row.customer_id, maximumShown];
    const { database } = this.#app;
    const invoices = await database.run(findInvoicesOfCustomer, customer);
    return { row, token, language, invoices, subscriptions: await database.run(findSubscriptionsOfCustomer, customer) };
  }

  async #invoiceOf(token: string, id: string | null): Promise<{ tenantId: number; invoiceId: number } | undefined> {
    const row = id !== null && /^\d{1,16}$/.test(id) ? await this.#rowOf(token) : undefined;
    if (row === undefined) return undefined;
    const { tenant_id: tenantId, customer_id: customerId } = row;
    const [found] = await this.#app.database.run(findInvoiceOfCustomer, [tenantId, customerId, Number(id)]);
    return found && { tenantId, invoiceId: found.id };
  }
}
