import { Refusal } from '../../../../core/errors.ts';
import { publicId } from '../../../../core/id.ts';
import type { RequestOrigin } from '../../../identity/audit/append.ts';
import { acceptanceRefusal, mayUse } from '../../../payments/channels/rules.ts';
import type { ChannelRow } from '../../../payments/channels/statements.ts';
import type { BillingApp } from '../../app.ts';
import { pdfForPayer } from '../../documents/print.ts';
import type { Language } from '../../sellers/formats.ts';
import { findLogo } from '../../sellers/statements.ts';
import { cancelSubscription } from '../../subscriptions/changes/cancel.ts';
import { findMethodsOfCustomer, type MethodOnPage } from '../method-statements.ts';
import { consentOf, type PayerOrigin, pdfPage } from '../pages/checkout-pages.ts';
import { type Page, seeOther } from '../pages/page.ts';
import { actingFor, payer } from '../payer.ts';
import { hashOfToken, isToken, maximumMethods } from '../rules.ts';
import { addMethod, chooseDefault, removeMethod } from './methods.ts';
import { cancelPage, type PortalView, portalPage, setUpPage } from './portal-page.ts';
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

  /**
   * The portal; with `cancel`, the page that confirms the cancellation of this subscription; with `setup`, the page
   * that waits for a new payment method.
   */
  async show(
    token: string,
    language: Language,
    { cancel, setup }: { cancel: string | null; setup: string | null },
  ): Promise<Page | undefined> {
    const view = await this.#viewOf(token, language);
    const added = view?.methods.find(({ id }) => publicId('mtd', id) === setup);
    if (view !== undefined && added?.status === 'PENDING') return setUpPage(view, added);
    if (view !== undefined && added?.status === 'FAILED') return portalPage({ ...view, problem: 'methodFailed' });
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

  /** Makes a payment method the default, or removes it. */
  async changeMethod(
    token: string,
    language: Language,
    { action, method }: { action: string | null; method: string | null },
    origin: RequestOrigin,
  ): Promise<Page | undefined> {
    const view = await this.#viewOf(token, language);
    const chosen = view?.methods.find(({ id }) => publicId('mtd', id) === method);
    if (view === undefined || chosen === undefined) return undefined;
    const actor = { ...payer, ...origin };
    try {
      if (action === 'default') await chooseDefault(view.row, chosen, actor, this.#app);
      if (action === 'remove') await removeMethod(chosen, actor, this.#app);
    } catch (error) {
      if (!(error instanceof Refusal) || error.type !== 'payment_method_in_use') throw error;
      return { ...portalPage({ ...view, problem: 'methodInUse' }), status: 409 };
    }
    return seeOther(`../${token}`);
  }

  /** Begins to add a payment method, and leads to the page that waits for it. */
  async addMethod(
    token: string,
    language: Language,
    { channel, isDefault }: { channel: string | null; isDefault: boolean },
    origin: PayerOrigin,
  ): Promise<Page | undefined> {
    const view = await this.#viewOf(token, language);
    const chosen = view?.channels.find(({ id }) => String(id) === channel);
    if (view === undefined || chosen === undefined) return undefined;
    const { publicUrl, clock } = this.#app;
    const { userAgent: _, ...audited } = origin;
    const setup = {
      returnUrl: `${publicUrl}/p/portal/${token}`,
      consent: consentOf(origin, clock()),
      isDefault,
    };
    const id = await addMethod(view.row, chosen, setup, { ...payer, ...audited }, this.#app);
    return seeOther(`../${token}?setup=${id}`);
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
    const subscriptions = await database.run(findSubscriptionsOfCustomer, customer);
    const methods = await database.run(findMethodsOfCustomer, [row.tenant_id, row.customer_id, maximumMethods]);
    const channels = await this.#channelsOf(row, methods);
    return { row, token, language, invoices, subscriptions, methods, channels };
  }

  /** The channels that can keep payment methods: the customer's default channel, and those that keep some already. */
  async #channelsOf(
    { default_channel_id, tenant_id, livemode }: PortalRow,
    methods: readonly MethodOnPage[],
  ): Promise<ChannelRow[]> {
    const { channels, providers } = this.#app;
    const ids = new Set(methods.map(({ channel_id }) => channel_id));
    if (default_channel_id !== null) ids.add(default_channel_id);
    const found = await Promise.all([...ids].map((id) => channels.find(id)));
    const keeping = await Promise.all(
      found.map(async (channel) => {
        if (channel?.provider == null || channel.livemode !== livemode || !mayUse(channel, tenant_id)) return undefined;
        if (acceptanceRefusal(channel, channel.currencies[0] as string) !== undefined) return undefined;
        return (await providers.of(channel.provider)).methods === undefined ? undefined : channel;
      }),
    );
    return keeping.filter((channel) => channel !== undefined);
  }

  async #invoiceOf(token: string, id: string | null): Promise<{ tenantId: number; invoiceId: number } | undefined> {
    const row = id !== null && /^\d{1,16}$/.test(id) ? await this.#rowOf(token) : undefined;
    if (row === undefined) return undefined;
    const { tenant_id: tenantId, customer_id: customerId } = row;
    const [found] = await this.#app.database.run(findInvoiceOfCustomer, [tenantId, customerId, Number(id)]);
    return found && { tenantId, invoiceId: found.id };
  }
}
