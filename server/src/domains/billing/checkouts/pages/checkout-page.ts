import { publicId } from '../../../../core/id.ts';
import { type Html, html } from '../../../../platform/http/html.ts';
import type { ChannelRow } from '../../../payments/channels/statements.ts';
import { retryOf } from '../../../payments/providers/failures.ts';
import type { InvoiceRecord } from '../../invoices/record.ts';
import { dayIn, type Language, numberIn, percentIn, priceIn } from '../../sellers/formats.ts';
import type { MethodOnPage } from '../method-statements.ts';
import { type CheckoutStatus, isWaiting } from '../rules.ts';
import type { CheckoutOnPage } from '../statements.ts';
import { methodLabel } from './method-label.ts';
import { linkTo, type Page, pageOf } from './page.ts';
import { type Texts, texts } from './texts.ts';

/** Everything that a checkout page shows. */
export interface CheckoutView {
  row: CheckoutOnPage;
  status: CheckoutStatus;
  /** The token, for URLs below the page. */
  token: string;
  language: Language;
  /** The invoice that is paid, if any. */
  invoice: InvoiceRecord | null;
  /** The name of its customer. */
  customer: string | null;
  /** The channels that the payer can choose now. */
  channels: readonly ChannelRow[];
  /** The customer's payment methods that the payer can choose now. */
  methods: readonly MethodOnPage[];
  /** Whether one of the channels can keep what the payer pays with. */
  canRemember: boolean;
  /** Whether the payer has just pressed the button. A payer who comes back is not redirected to the provider again. */
  isLeaving: boolean;
  /** Whether the checkout has reached its maximum of payments. */
  isExhausted: boolean;
  nowMs: number;
}

/** Before the id of a payment method, in the choice of the form; the id of a channel has nothing before it. */
export const chosenMethod = 'method:';

export type Problem = 'channelRefused' | 'chooseOne';

/** A checkout page: the form for a payment, its progress, or the receipt. */
export function checkoutPage(view: CheckoutView, problem?: Problem): Page {
  const { row, status, language, token } = view;
  const text = texts[language];
  const title =
    status === 'PAID' ? text.paidTitle : status === 'PROCESSING' ? progressTitle(view, text) : titleOf(view);
  const { content, refresh } = contentOf(view, text, problem);
  const { seller_name: name, brand_color: brandColor } = row;
  const seller = { name, brandColor, logo: row.has_logo ? `${token}/logo` : null };
  const facts = { language, title, seller, livemode: row.livemode, refresh, status: problem === undefined ? 200 : 409 };
  return pageOf(facts, html`<h1>${title}</h1>\n${content}${linksOf(view, text)}`);
}

function progressTitle({ row }: CheckoutView, text: Texts): string {
  if (row.is_authorized) return text.authorizedTitle;
  return isWaiting(row) ? text.waitingTitle : text.processingTitle;
}

function titleOf({ row, invoice, language }: CheckoutView): string {
  const text = texts[language];
  if (invoice !== null) return invoice.number === null ? text.payTitle : text.invoice(invoice.number);
  return row.description ?? text.payTitle;
}

function contentOf(view: CheckoutView, text: Texts, problem: Problem | undefined): { content: Html; refresh?: string } {
  if (view.status === 'PAID') return { content: receipt(view, text) };
  if (view.status === 'PROCESSING') return progress(view, text);
  return { content: html`${amountToPay(view, text)}${details(view, text)}${payment(view, text, problem)}` };
}

function amountToPay({ invoice, row, language }: CheckoutView, text: Texts): Html {
  const due = invoice?.dueDate && html`<p class="quiet">${text.due(dayIn(language, invoice.dueDate))}</p>\n`;
  return html`<p class="amount">${priceIn(language, leftToPay(row, invoice), row.currency)}</p>\n${due}`;
}

const leftToPay = ({ amount }: CheckoutOnPage, invoice: InvoiceRecord | null) =>
  amount ?? invoice?.amountRemaining ?? 0;

/** Whose invoice it is, its lines, its taxes and its total. */
function details({ invoice, customer, language, status }: CheckoutView, text: Texts): Html {
  if (invoice === null) return html``;
  const { currency } = invoice;
  const price = (amount: number) => priceIn(language, amount, currency);
  const [description, quantity, amount] = text.columns;
  const rows = invoice.lines.map(
    (line) =>
      html`<tr>
<td>${line.description}</td><td>${numberIn(language, line.quantity)}</td><td>${price(line.amount)}</td></tr>\n`,
  );
  const paid = invoice.amountPaid > 0 &&
    status !== 'PAID' && [
      html`<dt>${text.alreadyPaid}</dt><dd>${price(-invoice.amountPaid)}</dd>\n`,
      html`<dt class="total">${text.toPay}</dt><dd class="total">${price(invoice.amountRemaining)}</dd>\n`,
    ];
  const addressee = customer !== null && html`<p class="quiet">${text.forCustomer(customer)}</p>\n`;
  return html`${addressee}${invoice.description !== null && html`<p>${invoice.description}</p>\n`}<table>
<thead><tr><th scope="col">${description}</th><th scope="col">${quantity}</th>
<th scope="col">${amount}</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
<dl>
<dt>${text.subtotal}</dt><dd>${price(invoice.subtotal)}</dd>
${taxesOf(invoice, language, text)}<dt class="total">${text.total}</dt><dd class="total">${price(invoice.total)}</dd>
${paid}</dl>
`;
}

/** The tax of each rate; taxes given as amounts are summed up. */
function taxesOf({ lines, currency }: InvoiceRecord, language: Language, text: Texts): Html[] {
  const byRate = Map.groupBy(lines, ({ taxRate, taxAmount }) => taxRate ?? (taxAmount === 0 ? undefined : null));
  return [...byRate].flatMap(([rate, taxed]) => {
    if (rate === undefined) return [];
    const sum = taxed.reduce((total, { taxAmount }) => total + taxAmount, 0);
    const label = rate === null ? text.tax : text.taxAt(percentIn(language, rate));
    return [html`<dt>${label}</dt><dd>${priceIn(language, sum, currency)}</dd>\n`];
  });
}

/** The choice of channels and the button, in a form that posts to the page itself. */
function payment(view: CheckoutView, text: Texts, problem: Problem | undefined): Html {
  const { row, channels, methods, invoice, language, isExhausted } = view;
  if (isExhausted) return alert(text.tooMany);
  if (channels.length + methods.length === 0) return html`<p class="note bad">${text.noChannel}</p>\n`;
  const notice = problem === undefined ? failureNotice(view, text) : alert(text[problem]);
  const price = priceIn(language, leftToPay(row, invoice), row.currency);
  return html`${notice}<form method="post">
${choiceOf(view, text)}${rememberChoice(view, text)}<button>${text.pay(price)}</button>
</form>
`;
}

/** Why the last payment failed, in words that help the payer. */
function failureNotice({ row, invoice }: CheckoutView, text: Texts): Html | false {
  const last = invoice?.payments[0];
  const ofInvoice = last?.state === 'FAILED' ? last.failureCode : undefined;
  const code = row.payment_status === 'FAILED' ? row.failure_code : ofInvoice;
  if (code === undefined) return false;
  const reason = code === null ? undefined : text.failureReasons[code];
  const advice = retryOf(code) === 'OTHER_METHOD' ? text.tryAnother : text.tryAgain;
  return alert([text.failed, reason, advice].filter(Boolean).join(' '));
}

/** Whether to remember what the payer pays with: the payer's agreement to later charges. */
function rememberChoice({ canRemember, invoice, row }: CheckoutView, text: Texts): Html | false {
  if (!canRemember) return false;
  const what = invoice?.subscriptionId == null ? text.rememberForOrders : text.rememberForSubscription;
  return html`<label class="choice">
<input type="checkbox" name="remember" value="yes">${what(row.seller_name)}</label>
<label class="choice">
<input type="checkbox" name="default" value="yes">${text.makeDefault}</label>\n`;
}

const alert = (message: string) => html`<p class="note bad" role="alert">${message}</p>\n`;

function choiceOf({ channels, methods }: Pick<CheckoutView, 'channels' | 'methods'>, text: Texts): Html {
  const [first, ...others] = channels;
  if (first !== undefined && others.length === 0 && methods.length === 0) {
    return html`<p class="quiet">${text.payWith(first.name)}</p>
<input type="hidden" name="channel" value="${first.id}">\n`;
  }
  const offers = [
    ...methods.map((method) => ({
      value: `${chosenMethod}${publicId('mtd', method.id)}`,
      name: methodLabel(method, text),
    })),
    ...channels.map(({ id, name }) => ({ value: String(id), name })),
  ];
  const choices = offers.map(
    ({ value, name }, i) =>
      html`<label class="choice">
<input type="radio" name="channel" value="${value}" required${i === 0 && html` checked`}>${name}</label>\n`,
  );
  return html`<fieldset>
<legend>${text.choose}</legend>
${choices}</fieldset>
`;
}

/**
 * Whether the payer can give the payment up, because it waits. The page offers it for payments on a channel without a
 * provider alone (`canPayBesides`); one that was opened before an upgrade also offers it for an amount at a provider.
 */
export function canGiveUp({ row }: Pick<CheckoutView, 'row'>): boolean {
  if (!isWaiting(row)) return false;
  return row.provider === null ? row.payment_status === 'PENDING' : row.invoice_id === null;
}

/**
 * Whether the payer can pay in another way besides the payment that waits, which is left as it is: not every provider
 * can cancel it.
 */
export function canPayBesides({ row }: Pick<CheckoutView, 'row'>): boolean {
  const isCancelledAtOnce = row.provider === null && row.payment_status === 'PENDING';
  return row.is_payable && isWaiting(row) && !isCancelledAtOnce;
}

/** The choice of another way to pay, beside a payment that waits. */
function anotherWay(view: CheckoutView, text: Texts): Html | false {
  const { row, channels, methods, isExhausted } = view;
  if (!canPayBesides(view)) {
    if (!canGiveUp(view)) return false;
    return html`<form method="post">
<button class="plain" name="action" value="give-up">${text.chooseAnother}</button></form>\n`;
  }
  if (channels.length + methods.length === 0 || isExhausted) return false;
  return html`<form method="post">
<input type="hidden" name="besides" value="${row.payments}">
${choiceOf(view, text)}<button class="plain">${text.chooseAnother}</button>
</form>
`;
}

/** A payment in progress: a link to the provider, or a wait for the outcome. The page refreshes itself. */
function progress(view: CheckoutView, text: Texts): { content: Html; refresh?: string } {
  const { row, isLeaving, nowMs, channels, language } = view;
  const amount = row.payment_amount ?? leftToPay(row, view.invoice);
  const price = html`<p class="amount">${priceIn(language, amount, row.currency)}</p>\n`;
  const action = linkTo(row.next_action?.url);
  if (action !== null) {
    const link = html`<p><a class="button" href="${action}">${text.continueToPay}</a></p>\n`;
    if (isLeaving) return { content: html`${price}<p>${text.redirecting}</p>\n${link}`, refresh: `0; url=${action}` };
    const waiting = html`<p role="status">${text.waiting}</p>\n`;
    return { content: html`${price}${waiting}${link}${anotherWay(view, text)}`, refresh: secondsToWait(row, nowMs) };
  }
  if (row.payment_status !== null && row.provider === null) {
    const channel = channels.find(({ id }) => id === row.payment_channel_id)?.name ?? '';
    return {
      content: html`${price}<p role="status">${text.offline(channel)}</p>\n${anotherWay(view, text)}`,
    };
  }
  if (row.is_authorized) return { content: html`${price}<p role="status">${text.authorized(row.seller_name)}</p>\n` };
  const again = html`<p><a href="?">${text.checkAgain}</a></p>\n`;
  return { content: html`${price}<p role="status">${text.waiting}</p>\n${again}`, refresh: secondsToWait(row, nowMs) };
}

/** Most outcomes are known within seconds. Later the page refreshes less often, because it disturbs screen readers. */
function secondsToWait({ payment_created_at }: CheckoutOnPage, nowMs: number): string {
  const ageMs = payment_created_at === null ? Number.POSITIVE_INFINITY : nowMs - Date.parse(payment_created_at);
  return ageMs < 20_000 ? '2' : ageMs < 120_000 ? '5' : '30';
}

function receipt(view: CheckoutView, text: Texts): Html {
  const { row, invoice, language } = view;
  const paid = priceIn(language, invoice?.total ?? row.amount ?? 0, row.currency);
  const title = titleOf(view);
  const reference = row.transaction_id;
  return html`<p class="note good" role="status">${text.paid(paid)}</p>
<dl>
<dt>${text.payTitle}</dt><dd>${title}</dd>
${row.paid_at !== null && html`<dt>${text.paidOn}</dt><dd>${dayIn(language, row.paid_at)}</dd>\n`}${
  reference !== null && html`<dt>${text.reference}</dt><dd>${publicId('txn', reference)}</dd>\n`
}</dl>
${details(view, text)}`;
}

function linksOf({ row, status, invoice, token }: CheckoutView, text: Texts): Html {
  const pdf = invoice !== null && html`<a href="${token}/invoice.pdf">${text.pdf}</a>\n`;
  const isUnderWay = status === 'PROCESSING' && row.provider !== null && !row.is_authorized;
  const back = isUnderWay ? null : linkTo(row.return_url);
  const address = [row.seller_address?.line1, row.seller_address?.postalCode, row.seller_address?.city].filter(Boolean);
  const imprint = [row.seller_name, ...address, row.seller_tax_id].filter(Boolean).join(' · ');
  return html`<p class="links">
${pdf}${back !== null && html`<a href="${back}">${text.backTo(row.seller_name)}</a>\n`}</p>
<p class="quiet">${imprint}</p>`;
}
