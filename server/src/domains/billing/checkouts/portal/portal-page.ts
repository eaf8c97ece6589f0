import { publicId } from '../../../../core/id.ts';
import { type Html, html } from '../../../../platform/http/html.ts';
import type { ChannelRow } from '../../../payments/channels/statements.ts';
import { isUsable } from '../../../payments/methods/rules.ts';
import { numberText } from '../../invoices/number.ts';
import { dayIn, type Language, priceIn } from '../../sellers/formats.ts';
import type { MethodOnPage } from '../method-statements.ts';
import { methodLabel } from '../pages/method-label.ts';
import { linkTo, type Page, pageOf } from '../pages/page.ts';
import { type Texts, texts } from '../pages/texts.ts';
import type { PortalInvoice, PortalRow, PortalSubscription } from './statements.ts';

/** Everything that a customer portal shows. */
export interface PortalView {
  row: PortalRow;
  /** The token, for URLs below the page. */
  token: string;
  language: Language;
  invoices: readonly PortalInvoice[];
  subscriptions: readonly PortalSubscription[];
  methods: readonly MethodOnPage[];
  /** The channels through which the customer can add a payment method. */
  channels: readonly ChannelRow[];
  /** What the customer has just tried in vain. */
  problem?: 'methodInUse' | 'methodFailed' | undefined;
}

const multiply = (unitAmount: number, quantity: number) => Number(BigInt(unitAmount) * BigInt(quantity));

/** The portal: invoices, subscriptions and payment methods of one customer. */
export function portalPage(view: PortalView): Page {
  const { row, language } = view;
  const text = texts[language];
  const back = linkTo(row.return_url);
  const content = html`<h1>${text.portalTitle}</h1>
<p class="quiet">${text.forCustomer(row.customer_name)}</p>
<h2>${text.invoices}</h2>
${invoicesOf(view, text)}<h2>${text.subscriptions}</h2>
${subscriptionsOf(view, text)}<h2>${text.paymentMethod}</h2>
${view.problem !== undefined && html`<p class="note bad" role="alert">${text[view.problem]}</p>\n`}${methodsOf(
  view,
  text,
)}${addMethod(view, text)}${back !== null && wayBack(back, text.backTo(row.seller_name))}`;
  return portalLayout(view, text.portalTitle, content);
}

function invoicesOf({ invoices, language, token }: PortalView, text: Texts): Html {
  if (invoices.length === 0) return html`<p>${text.noInvoices}</p>\n`;
  const heads = text.invoiceColumns.map((title) => html`<th scope="col">${title}</th>`);
  const rows = invoices.map((invoice) => {
    const { id, number, series, total, currency, status, finalized_at } = invoice;
    const payable = (status === 'OPEN' || status === 'UNCOLLECTIBLE') && !invoice.is_processing;
    const name = numberText(number, series);
    const state = invoice.is_processing ? text.inProgress : text.invoiceStates[status];
    const pay =
      payable &&
      html`<form method="post" action="${token}/pay"><input type="hidden" name="invoice" value="${id}">
<button>${text.payNow}</button></form>`;
    return html`<tr><td>${name}</td><td>${dayIn(language, finalized_at)}</td>
<td>${priceIn(language, total, currency)}</td><td>${state}</td>
<td><a class="button plain" href="${token}/invoice/${id}.pdf" aria-label="${name} PDF">PDF</a>${pay}</td>
</tr>\n`;
  });
  return html`<table>
<thead><tr>${heads}</tr></thead>
<tbody>
${rows}</tbody>
</table>
`;
}

function subscriptionsOf({ subscriptions, language, token }: PortalView, text: Texts): Html {
  if (subscriptions.length === 0) return html`<p>${text.noSubscriptions}</p>\n`;
  return html`${subscriptions.map((subscription) => {
    const { id, plan_name, state, currency, unit_amount, quantity, period_end, cancel_at_period_end } = subscription;
    const day = dayIn(language, period_end);
    const price = text.perPeriod(priceIn(language, multiply(unit_amount, quantity), currency));
    const cancel = html`<p><a class="button plain" href="${token}?cancel=${id}">${text.cancel}</a></p>\n`;
    const next = state !== 'PAUSED' && html` · ${cancel_at_period_end ? text.endsOn(day) : text.renews(day)}`;
    return html`<div class="card">
<strong>${plan_name}</strong>
<p class="quiet">${text.states[state]} · ${price}${next}</p>
${cancel_at_period_end ? html`<p>${text.cancelled}</p>\n` : cancel}</div>
`;
  })}`;
}

function methodsOf({ methods, token }: PortalView, text: Texts): Html {
  const shown = methods.filter(
    ({ status }) => text.methodStates[status] === undefined || status === 'EXPIRED' || status === 'REVOKED',
  );
  if (shown.length === 0) return html`<p>${text.noPaymentMethod}</p>\n`;
  return html`${shown.map((method) => {
    const id = publicId('mtd', method.id);
    const label = methodLabel(method, text);
    const { expiry_month: month, expiry_year: year } = method;
    const facts = [
      month !== null && year !== null && text.validUntil(`${String(month).padStart(2, '0')}/${year}`),
      text.methodStates[method.status],
      method.is_default && text.defaultMethod,
    ].filter(Boolean);
    const canBeDefault = !method.is_default && isUsable(method);
    const makeDefault = html`${methodButton('default', text.useAsDefault, label)}\n`;
    return html`<div class="card">
<strong>${label}</strong>
${facts.length > 0 && html`<p class="quiet">${facts.join(' · ')}</p>\n`}<form method="post" action="${token}/method">
<input type="hidden" name="method" value="${id}">
${canBeDefault && makeDefault}${methodButton('remove', text.removeMethod, label)}
</form>
</div>
`;
  })}`;
}

function addMethod({ channels, row, token }: PortalView, text: Texts): Html | false {
  if (channels.length === 0) return false;
  const buttons = channels.map(
    ({ id, name }) =>
      html`<button class="plain" name="channel" value="${id}">
${channels.length === 1 ? text.addMethod : text.addMethodWith(name)}</button>\n`,
  );
  return html`<form method="post" action="${token}/method-add">
<p class="quiet">${text.addMethodConsent(row.seller_name)}</p>
<label class="choice"><input type="checkbox" name="default" value="yes">${text.useAsDefault}</label>
${buttons}</form>
`;
}

/** The payment method is being set up: wait for the provider, then lead to its page. */
export function setUpPage(view: PortalView, { next_action }: MethodOnPage): Page {
  const text = texts[view.language];
  const action = linkTo(next_action?.url);
  const link = action !== null && html`<p><a class="button" href="${action}">${text.continueToPay}</a></p>\n`;
  const content = html`<h1>${text.setUpTitle}</h1>
<p role="status">${action === null ? text.setUpWaiting : text.redirecting}</p>
${link}`;
  return portalLayout(view, text.setUpTitle, content, action === null ? '2' : `0; url=${action}`);
}

/** Asks for confirmation before a subscription is cancelled. */
export function cancelPage(view: PortalView, subscription: PortalSubscription): Page {
  const { language, token } = view;
  const text = texts[language];
  const title = text.cancelTitle(subscription.plan_name);
  const content = html`<h1>${title}</h1>
<p>${text.cancelAsk(dayIn(language, subscription.period_end))}</p>
<form method="post" action="${token}/cancel">
<input type="hidden" name="subscription" value="${subscription.id}">
<button>${text.cancelYes}</button>
</form>
<a class="button plain" href="${token}">${text.cancelNo}</a>
`;
  return portalLayout(view, title, content);
}

function portalLayout({ row, language, token }: PortalView, title: string, content: Html, refresh?: string): Page {
  const { seller_name: name, brand_color: brandColor, livemode } = row;
  const seller = { name, brandColor, logo: row.has_logo ? `${token}/logo` : null };
  return pageOf({ language, title, seller, livemode, isWide: true, refresh }, content);
}

/** A button of the form of one method: its label names the method for screen readers. */
function methodButton(action: 'default' | 'remove', name: string, method: string): Html {
  return html`<button class="plain" name="action" value="${action}" aria-label="${name}: ${method}">${name}</button>`;
}

const wayBack = (address: string, name: string) => html`<p class="links"><a href="${address}">${name}</a></p>\n`;
