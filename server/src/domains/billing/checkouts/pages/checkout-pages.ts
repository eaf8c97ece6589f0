import { Refusal } from '../../../../core/errors.ts';
import { publicId } from '../../../../core/id.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import type { RequestOrigin } from '../../../identity/audit/append.ts';
import { acceptanceRefusal } from '../../../payments/channels/rules.ts';
import type { ChannelRow } from '../../../payments/channels/statements.ts';
import type { SaveMethod } from '../../../payments/methods/charges.ts';
import { isUsable } from '../../../payments/methods/rules.ts';
import type { Consent } from '../../../payments/providers/kept-method.ts';
import type { StillWaiting } from '../../../payments/transactions/invoice-payments.ts';
import { updatePayment } from '../../../payments/transactions/update.ts';
import type { BillingApp } from '../../app.ts';
import { findCustomer } from '../../customers/statements.ts';
import { pdfForPayer } from '../../documents/print.ts';
import { detailOf, type InvoiceRecord } from '../../invoices/record.ts';
import { findInvoice } from '../../invoices/statements.ts';
import type { Language } from '../../sellers/formats.ts';
import { findLogo } from '../../sellers/statements.ts';
import { findOpenPayments } from '../contested-statements.ts';
import { tokenOf } from '../links.ts';
import { findMethodsOfCustomer, type MethodOnPage } from '../method-statements.ts';
import { payCheckout } from '../pay.ts';
import { actingFor, payer } from '../payer.ts';
import { hashOfToken, isShown, isToken, maximumMethods, maximumPayments, returnMs, statusOf } from '../rules.ts';
import { type CheckoutOnPage, findByReturn, findByToken } from '../statements.ts';
import {
  type CheckoutView,
  canGiveUp,
  canPayBesides,
  checkoutPage,
  chosenMethod,
  type Problem,
} from './checkout-page.ts';
import { type Page, seeOther } from './page.ts';

/** A request for a page. */
export interface PageRequest {
  token: string;
  language: Language;
  /** Whether the payer has just pressed the button: the page then redirects to the provider. */
  isLeaving: boolean;
}

/** The pages of checkouts. Undefined: there is no such page, or it has expired. */
export class CheckoutPages {
  readonly #app: BillingApp;

  constructor(app: BillingApp) {
    this.#app = app;
  }

  async show(request: PageRequest): Promise<Page | undefined> {
    const view = await this.#viewOf(request);
    return view && checkoutPage(view);
  }

  /**
   * Creates a payment on the channel that the payer chose and redirects to the page, so that a reload does not pay
   * again. The page says so when the channel refuses the payment.
   */
  async pay(
    request: PageRequest,
    { channel, besides, remember, isDefault }: PayForm,
    origin: PayerOrigin,
  ): Promise<Page | undefined> {
    const view = await this.#viewOf(request);
    if (view === undefined) return undefined;
    if (view.status !== 'OPEN' && !(besides !== null && canPayBesides(view))) return seeOther('?go');
    const chosen = chosenIn(view, channel);
    if (chosen === undefined) return checkoutPage(view, 'chooseOne');
    const isKept = remember && chosen.methodId === undefined && (await this.#keepsMethods(chosen.channelId));
    const save = isKept && view.canRemember ? { save: saveFor(view, isDefault, origin) } : {};
    const tokenHash = hashOfToken(request.token);
    try {
      const { database } = this.#app;
      const stillWaiting = await this.#lookUpWaiting(view.row);
      const choice = { ...chosen, ...save, besides: besides === null ? null : Number(besides), stillWaiting };
      const { userAgent: _, ...audited } = origin;
      await database.transaction((transaction) => payCheckout(transaction, tokenHash, choice, audited, this.#app));
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      // When another payment of the invoice was created in the meantime, the page shows that one.
      const present = await this.#viewOf(request);
      return present?.status === 'OPEN' ? checkoutPage(present, problem) : seeOther('?');
    }
    return seeOther('?go');
  }

  /**
   * Looks up the payments of a checkout or its invoice that wait for their payer, before another one begins. Takes as
   * long as the providers take to answer, so it is called outside of transactions.
   */
  async #lookUpWaiting({ tenant_id: tenantId, id, invoice_id: invoiceId }: CheckoutOnPage): Promise<StillWaiting> {
    const { database, invoicePayments, waitingPayments } = this.#app;
    if (invoiceId !== null) return invoicePayments.lookUpWaiting({ tenantId, invoiceId });
    const open = await database.run(findOpenPayments, [tenantId, id]);
    const waiting = open.filter(({ waits_for_payer }) => waits_for_payer).map(({ transaction_id }) => transaction_id);
    const answers = await Promise.all(waiting.map((payment) => waitingPayments.stillWaits(tenantId, payment)));
    return new Set(waiting.filter((_, i) => answers[i]));
  }

  /**
   * Gives up a payment that waits, so that the payer can choose another channel. A provider confirms it first. A
   * payment that has ended in the meantime does not change.
   */
  async giveUp(request: PageRequest, origin: RequestOrigin): Promise<Page | undefined> {
    const view = await this.#viewOf(request);
    if (view === undefined) return undefined;
    const { row } = view;
    if (row.transaction_id === null || !canGiveUp(view)) return seeOther('?');
    try {
      const input = { id: publicId('txn', row.transaction_id), status: 'CANCELLED' as const };
      await updatePayment(input, actingFor(row), this.#app, { actor: { ...payer, ...origin } });
    } catch (error) {
      if (!(error instanceof Refusal) || error.type !== 'illegal_transition') throw error;
    }
    return seeOther('?');
  }

  /** Redirects a payer who returns from the provider to the page. */
  async returned(token: string): Promise<Page | undefined> {
    if (!isToken(token)) return undefined;
    const { database, clock } = this.#app;
    const [found] = await database.run(findByReturn, [hashOfToken(token), clock() - returnMs]);
    const main = found && tokenOf(found, this.#app);
    return main == null ? undefined : seeOther(`../${main}`);
  }

  async logo(token: string): Promise<Page | undefined> {
    const row = await this.#rowOf(token);
    const [found] = row === undefined ? [] : await this.#app.database.run(findLogo, [row.tenant_id]);
    if (found === undefined) return undefined;
    return { status: 200, headers: { 'content-type': found.logo_type }, content: found.logo };
  }

  async pdf(token: string): Promise<Page | undefined> {
    const row = await this.#rowOf(token);
    if (row === undefined || row.invoice_id === null) return undefined;
    const page = `${this.#app.publicUrl}/p/${token}`;
    const pdf = await pdfForPayer({ tenantId: row.tenant_id, invoiceId: row.invoice_id }, page, this.#app);
    return pdf && pdfPage(pdf);
  }

  /** The checkout of a token, if its page is shown. */
  async #rowOf(token: string): Promise<CheckoutOnPage | undefined> {
    if (!isToken(token)) return undefined;
    const { database, clock } = this.#app;
    const [row] = await database.run(findByToken, [hashOfToken(token)]);
    if (row === undefined || !row.is_tenant_active) return undefined;
    const nowMs = clock();
    return isShown(row, statusOf(row, nowMs), nowMs) ? row : undefined;
  }

  async #viewOf({ token, language, isLeaving }: PageRequest): Promise<CheckoutView | undefined> {
    const row = await this.#rowOf(token);
    if (row === undefined) return undefined;
    const { database, clock } = this.#app;
    const nowMs = clock();
    const { tenant_id: tenantId, invoice_id: invoiceId } = row;
    const billed = invoiceId === null ? undefined : await billedBy(database, tenantId, invoiceId);
    const channels = await this.#channelsOf(row);
    const customerId = billed?.invoice.customerId ?? row.customer_id;
    return {
      row,
      status: statusOf(row, nowMs),
      token,
      language,
      invoice: billed?.invoice ?? null,
      customer: billed?.customer ?? null,
      channels,
      methods: row.offers_methods && customerId !== null ? await this.#methodsOf(row, customerId) : [],
      canRemember: await this.#canRemember(row, customerId, channels),
      isLeaving,
      isExhausted: row.payments >= maximumPayments,
      nowMs,
    };
  }

  /** The customer's payment methods whose channels would accept the payment now. */
  async #methodsOf({ tenant_id, currency, livemode }: CheckoutOnPage, customerId: number): Promise<MethodOnPage[]> {
    const { database, channels } = this.#app;
    const methods = await database.run(findMethodsOfCustomer, [tenant_id, customerId, maximumMethods]);
    const usable = methods.filter(isUsable);
    const found = await Promise.all(usable.map(({ channel_id }) => channels.find(channel_id)));
    return usable.filter((_, i) => {
      const channel = found[i];
      return channel?.livemode === livemode && acceptanceRefusal(channel, currency) === undefined;
    });
  }

  /** Whether there is a customer to remember the payer's method for, and a channel that can keep it. */
  async #canRemember(
    { tenant_id, livemode }: CheckoutOnPage,
    customerId: number | null,
    channels: readonly ChannelRow[],
  ): Promise<boolean> {
    if (customerId === null) return false;
    const [customer] = await this.#app.database.run(findCustomer, [[tenant_id], customerId]);
    if (customer === undefined || customer.livemode !== livemode) return false;
    const keeping = await Promise.all(channels.map(({ id }) => this.#keepsMethods(id)));
    return keeping.includes(true);
  }

  async #keepsMethods(channelId: number): Promise<boolean> {
    const channel = await this.#app.channels.find(channelId);
    return channel?.provider != null && (await this.#app.providers.of(channel.provider)).methods !== undefined;
  }

  /** The channels that would accept the payment now. */
  async #channelsOf({ channel_ids: ids, currency, livemode }: CheckoutOnPage): Promise<ChannelRow[]> {
    const found = await Promise.all(ids.map((id) => this.#app.channels.find(id)));
    return found.filter((one): one is ChannelRow => one?.livemode === livemode && isAccepting(one, currency));
  }
}

/** What the payer has filled in. */
export interface PayForm {
  /** The id of a channel, or that of a payment method after `chosenMethod`. */
  channel: string | null;
  besides: string | null;
  /** Whether to keep what the payer pays with, and to make it the customer's default. */
  remember: boolean;
  isDefault: boolean;
}

/** Where a form came from, for the audit log and as the payer's consent. */
export interface PayerOrigin extends RequestOrigin {
  userAgent: string;
}

/** What the payer chose; undefined: the page does not offer it. */
function chosenIn(
  { channels, methods }: CheckoutView,
  channel: string | null,
): { channelId: number; methodId?: string } | undefined {
  if (channel?.startsWith(chosenMethod)) {
    const method = methods.find(({ id }) => `${chosenMethod}${publicId('mtd', id)}` === channel);
    return method && { channelId: method.channel_id, methodId: method.id };
  }
  const offered = channels.find(({ id }) => String(id) === channel);
  return offered && { channelId: offered.id };
}

function saveFor({ invoice, nowMs }: CheckoutView, isDefault: boolean, origin: PayerOrigin): SaveMethod {
  return {
    agreement: invoice?.subscriptionId == null ? 'UNSCHEDULED' : 'SUBSCRIPTION',
    isDefault: isDefault || null,
    consent: consentOf(origin, nowMs),
  };
}

/** The payer has agreed on a page of ours. */
export const consentOf = ({ address, userAgent }: PayerOrigin, nowMs: number): Consent => ({
  ipAddress: address ?? '',
  userAgent,
  acceptedTime: new Date(nowMs).toISOString(),
});

export const pdfPage = ({ content, disposition }: { content: Buffer; disposition: string }): Page => ({
  status: 200,
  headers: { 'content-type': 'application/pdf', 'content-disposition': disposition },
  content,
});

/** An invoice, and the name of its customer. */
async function billedBy(
  database: Database,
  tenantId: number,
  id: number,
): Promise<{ invoice: InvoiceRecord; customer: string | null } | undefined> {
  return database.snapshot(async (snapshot) => {
    const [row] = await snapshot.run(findInvoice, [[tenantId], id]);
    if (row === undefined) return undefined;
    const [customer] = await snapshot.run(findCustomer, [[tenantId], row.customer_id]);
    return { invoice: await detailOf(snapshot, row), customer: customer?.name ?? null };
  });
}

function isAccepting(channel: ChannelRow, currency: string): boolean {
  return acceptanceRefusal(channel, currency) === undefined;
}

/** The problem that the page shows for a refusal; undefined: the refusal is not about the chosen channel. */
function problemOf(error: unknown): Problem | undefined {
  if (!(error instanceof Refusal)) return undefined;
  if (error.type === 'invalid_request' && error.field === 'channel') return 'chooseOne';
  return error.kind === 'conflict' || error.kind === 'invalid' || error.kind === 'absent'
    ? 'channelRefused'
    : undefined;
}
