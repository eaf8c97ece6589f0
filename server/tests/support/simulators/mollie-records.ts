import { randomBytes } from 'node:crypto';

export type PaymentStatus = 'open' | 'pending' | 'authorized' | 'paid' | 'canceled' | 'expired' | 'failed';
export type RefundStatus = 'queued' | 'pending' | 'processing' | 'refunded' | 'failed' | 'canceled';

/** A payment at Mollie. Fields that the API omits are absent here too. */
export interface SimulatedPayment {
  id: string;
  mode: Mode;
  status: PaymentStatus;
  failureReason: string | null;
  amount: Amount;
  /** Only for payments that support captures. */
  amountCaptured?: Amount;
  description: string;
  /** Null for recurring payments, which have no payer. */
  redirectUrl: string | null;
  webhookUrl: string | null;
  method: string | null;
  /** The methods that the page offers; null: all. */
  offered: string[] | null;
  sequenceType: SequenceType;
  customerId?: string;
  /** The mandate that a recurring payment charges, or that a first one has made. */
  mandateId?: string;
  /** What the client said of the purchase; absent if it said nothing. */
  lines?: unknown;
  billingAddress?: unknown;
  captureMode?: unknown;
  captures: SimulatedCapture[];
  /** The bank's reason for the failure of a direct debit. */
  bankReasonCode: string | null;
  metadata: unknown;
  createdMs: number;
  /** When it came into its present state, unless that is `open`. */
  changedMs: number | null;
  /** A release of the authorization was asked for; whether and when it succeeds is the issuer's decision. */
  isReleasing: boolean;
  refunds: SimulatedRefund[];
  chargebacks: SimulatedChargeback[];
}

export type Mode = 'live' | 'test';
export type SequenceType = 'oneoff' | 'first' | 'recurring';
export type MandateMethod = 'creditcard' | 'directdebit' | 'paypal';

/**
 * What a first payment keeps, by the method that the payer chose. Other methods cannot be used for it:
 * https://help.mollie.com/hc/en-us/articles/214072489
 */
export const mandateMethodOf: Readonly<Record<string, MandateMethod>> = {
  applepay: 'creditcard',
  bancontact: 'directdebit',
  belfius: 'directdebit',
  creditcard: 'creditcard',
  eps: 'directdebit',
  ideal: 'directdebit',
  kbc: 'directdebit',
  paypal: 'paypal',
};

export const firstMethods: readonly string[] = Object.keys(mandateMethodOf);

export interface SimulatedRefund {
  id: string;
  mode: Mode;
  paymentId: string;
  status: RefundStatus;
  amount: Amount;
  description: string;
  metadata: unknown;
  createdMs: number;
}

export interface SimulatedChargeback {
  id: string;
  paymentId: string;
  amount: Amount;
  /** Only those of direct debits have one. */
  reason: { code: string; description: string } | null;
  createdMs: number;
  reversedMs: number | null;
}

export interface SimulatedCapture {
  id: string;
  mode: Mode;
  paymentId: string;
  status: 'pending' | 'succeeded' | 'failed';
  amount: Amount;
  metadata: unknown;
  createdMs: number;
}

export interface Amount {
  currency: string;
  value: string;
}

/** A refusal of the API: the HTTP status and the error object of the body. */
export class Problem extends Error {
  readonly status: number;
  readonly field: string | undefined;

  constructor(status: number, detail: string, field?: string) {
    super(detail);
    this.status = status;
    this.field = field;
  }

  body(): Record<string, unknown> {
    const { status, message: detail, field } = this;
    const documentation = { href: 'https://docs.mollie.com/reference/handling-errors', type: 'text/html' };
    const title = titles[status] ?? 'Error';
    return { status, title, detail, ...(field === undefined ? {} : { field }), _links: { documentation } };
  }
}

const titles: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized Request',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

export function newPayment(body: Record<string, unknown>, mode: Mode, createdMs: number): SimulatedPayment {
  const sequenceType = sequenceTypeIn(body);
  const offered = methodsIn(body, sequenceType);
  const amount = amountIn(body.amount, takesNothing(offered, sequenceType) ? 0n : 1n);
  if ('testmode' in body)
    throw new Problem(400, 'Non-existent body parameter "testmode" for this API call.', 'testmode');
  requireDetailsOfMethod(body);
  requireSums(body, amount);
  requireAddress(body);
  return {
    id: newId('tr_'),
    mode,
    status: 'open',
    failureReason: null,
    amount,
    // Mollie shortens it, and refuses none for being long.
    description: [...textIn(body, 'description')].slice(0, 255).join(''),
    redirectUrl: redirectUrlIn(body, sequenceType),
    webhookUrl: body.webhookUrl === undefined ? null : urlIn(body, 'webhookUrl'),
    method: offered?.length === 1 ? (offered[0] as string) : null,
    offered,
    sequenceType,
    bankReasonCode: null,
    metadata: metadataIn(body),
    createdMs,
    changedMs: null,
    isReleasing: false,
    refunds: [],
    chargebacks: [],
    captures: [],
    ...(body.lines !== undefined && { lines: body.lines }),
    ...(body.billingAddress !== undefined && { billingAddress: body.billingAddress }),
    ...(body.captureMode !== undefined && { captureMode: body.captureMode }),
  };
}

function sequenceTypeIn({ sequenceType = 'oneoff' }: Record<string, unknown>): SequenceType {
  if (sequenceType === 'oneoff' || sequenceType === 'first' || sequenceType === 'recurring') return sequenceType;
  throw new Problem(422, 'The sequence type is invalid', 'sequenceType');
}

function methodsIn(body: Record<string, unknown>, sequenceType: SequenceType): string[] | null {
  if (body.method === undefined) return null;
  const methods = Array.isArray(body.method) ? (body.method as string[]) : [textIn(body, 'method', 32)];
  if (sequenceType === 'first' && !methods.every((method) => firstMethods.includes(method))) {
    throw new Problem(422, 'The payment method does not support first payments', 'method');
  }
  return methods;
}

/** A first payment of nothing, for cards and PayPal: https://help.mollie.com/hc/en-us/articles/214072489 */
export const methodsWithoutMoney = ['creditcard', 'paypal'];

function takesNothing(offered: string[] | null, sequenceType: SequenceType): boolean {
  return sequenceType === 'first' && (offered ?? []).every((method) => methodsWithoutMoney.includes(method));
}

/** Nobody is redirected by a recurring payment; any other needs the address. */
function redirectUrlIn(body: Record<string, unknown>, sequenceType: SequenceType): string | null {
  if (sequenceType !== 'recurring') return urlIn(body, 'redirectUrl');
  if (body.redirectUrl === undefined) return null;
  throw new Problem(422, 'A recurring payment has no redirect URL', 'redirectUrl');
}

/** https://docs.mollie.com/reference/create-payment, `lines` and `billingAddress`. */
export const methodsThatNeed: Readonly<Record<string, readonly string[]>> = {
  lines: ['billie', 'billink', 'in3', 'klarna', 'riverty', 'voucher'],
  billingAddress: ['alma', 'billie', 'billink', 'in3', 'klarna', 'riverty'],
  captureMode: ['riverty'],
  terminalId: ['pointofsale'],
};

/** Whether a payer can pay with a method on the page of a payment that has named none. */
export function isOfferedFor(payment: SimulatedPayment, method: string): boolean {
  const hasDetails = ['lines', 'billingAddress'].every((field) => {
    const isNeeded = methodsThatNeed[field]?.includes(method);
    return !isNeeded || payment[field as 'lines' | 'billingAddress'] !== undefined;
  });
  return hasDetails && (method !== 'voucher' || hasCategories(payment));
}

/** https://docs.mollie.com/docs/integrating-vouchers: a line that a voucher may pay has a category. */
function hasCategories({ lines }: { lines?: unknown }): boolean {
  return Array.isArray(lines) && lines.some(({ categories }: Line) => (categories ?? []).length > 0);
}

interface Line {
  categories?: string[];
  type?: string;
  quantity: number;
  unitPrice: Amount;
  totalAmount: Amount;
  discountAmount?: Amount;
  vatRate?: string;
  vatAmount?: Amount;
}

/** https://docs.mollie.com/reference/create-payment, `lines`: the formulas of `totalAmount` and `vatAmount`. */
function requireSums({ lines }: Record<string, unknown>, amount: Amount): void {
  if (lines === undefined) return;
  for (const line of lines as Line[]) requireSumsOfLine(line, amount.currency);
  const sum = (lines as Line[]).reduce((all, { totalAmount }) => all + minorUnits(totalAmount), 0n);
  if (sum !== minorUnits(amount)) throw new Problem(422, 'The lines do not add up to the amount', 'lines');
}

const lineTypesBelowZero = ['discount', 'store_credit', 'gift_card'];

function requireSumsOfLine(line: Line, currency: string): void {
  const { type = 'physical', quantity, unitPrice, totalAmount, discountAmount, vatRate, vatAmount } = line;
  const discount = discountAmount === undefined ? 0n : minorUnits(discountAmount);
  const total = minorUnits(unitPrice) * BigInt(quantity) - discount;
  const isBelowZero = minorUnits(unitPrice) < 0n;
  if (total !== minorUnits(totalAmount)) throw new Problem(422, 'The total of a line is wrong', 'lines');
  if (unitPrice.currency !== currency || totalAmount.currency !== currency) {
    throw new Problem(422, 'The currency of a line is another', 'lines');
  }
  if (isBelowZero !== lineTypesBelowZero.includes(type))
    throw new Problem(422, 'The price of a line is wrong', 'lines');
  if (vatRate === undefined || vatAmount === undefined) return;
  const tax = Math.round((Number(total) * Number(vatRate)) / (100 + Number(vatRate)));
  if (BigInt(tax) !== minorUnits(vatAmount)) throw new Problem(422, 'The VAT of a line is wrong', 'lines');
}

const addressOfPayLater = ['givenName', 'familyName', 'email', 'streetAndNumber', 'postalCode', 'city', 'country'];

/** https://docs.mollie.com/reference/create-payment, `billingAddress`. */
function requireAddress({ billingAddress, method }: Record<string, unknown>): void {
  if (billingAddress === undefined) return;
  const address = billingAddress as Record<string, unknown>;
  const has = (...fields: string[]) => fields.every((field) => typeof address[field] === 'string');
  const isWhole = has('email') || has('streetAndNumber', 'postalCode', 'city', 'country');
  const isPayLater = ['billie', 'in3', 'klarna', 'riverty'].includes(method as string);
  if (!isWhole || (isPayLater && !has(...addressOfPayLater)) || (method === 'billie' && !has('organizationName'))) {
    throw new Problem(422, 'The billing address is incomplete', 'billingAddress');
  }
}

function requireDetailsOfMethod(body: Record<string, unknown>): void {
  const { method } = body;
  const missing = Object.keys(methodsThatNeed).find(
    (field) => body[field] === undefined && methodsThatNeed[field]?.includes(method as string),
  );
  if (missing !== undefined) throw new Problem(422, `The '${missing}' field is missing`, missing);
  if (method === 'voucher' && !hasCategories(body)) {
    throw new Problem(422, "The 'categories' field is missing", 'lines.categories');
  }
  if (method === 'directdebit' && body.sequenceType !== 'recurring') {
    throw new Problem(422, 'The payment method is not activated on your account', 'method');
  }
}

/** Most open payments cannot be cancelled: https://github.com/mollie/api-documentation/issues/675 */
export function isCancelable({ status, method }: SimulatedPayment): boolean {
  return (status === 'open' || status === 'pending') && (method === 'banktransfer' || method === 'directdebit');
}

export function newRefund(
  payment: SimulatedPayment,
  body: Record<string, unknown>,
  createdMs: number,
): SimulatedRefund {
  const amount = amountIn(body.amount);
  if (payment.status !== 'paid') throw new Problem(422, 'The payment is not paid and cannot be refunded.');
  if (amount.currency !== payment.amount.currency) {
    throw new Problem(422, 'The currency is not that of the payment.', 'amount.currency');
  }
  if (minorUnits(amount) > remaining(payment))
    throw new Problem(422, 'The amount is higher than the maximum.', 'amount');
  const description = body.description === undefined ? '' : textIn(body, 'description', 140);
  const metadata = metadataIn(body);
  const { id: paymentId, mode } = payment;
  return { id: newId('re_'), mode, paymentId, status: 'pending', amount, description, metadata, createdMs };
}

/** The amount that can still be refunded, in minor units. */
export function remaining({ amount, refunds }: SimulatedPayment): bigint {
  return refunds
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .reduce((left, refund) => left - minorUnits(refund.amount), minorUnits(amount));
}

/** The payment in the format of the API (HAL). */
export function paymentBody(payment: SimulatedPayment, root: string): Record<string, unknown> {
  const { refunds, createdMs, changedMs, failureReason, webhookUrl, isReleasing: _, offered: __, ...rest } = payment;
  const { bankReasonCode, captures, chargebacks, ...shown } = rest;
  const { status, id } = payment;
  const self = `${root}/v2/payments/${id}`;
  const customer = payment.customerId === undefined ? undefined : `${root}/v2/customers/${payment.customerId}`;
  const isPaid = status === 'paid';
  const isChargedInTest = payment.sequenceType === 'recurring' && payment.mode === 'test';
  const timeOfStatus = timesOfStatuses[status];
  const refunded = minorUnits(payment.amount) - remaining(payment);
  const chargedBack = chargebacks
    .filter(({ reversedMs }) => reversedMs === null)
    .reduce((sum, chargeback) => sum + minorUnits(chargeback.amount), 0n);
  const inDecimals = (units: bigint): Amount => ({ ...payment.amount, value: decimalsOf(units, payment.amount) });
  return {
    resource: 'payment',
    ...shown,
    createdAt: timeOf(createdMs),
    ...(timeOfStatus && { [timeOfStatus]: timeOf(changedMs ?? createdMs) }),
    ...(status === 'open' && { expiresAt: timeOf(createdMs + 15 * 60_000) }),
    ...(status === 'authorized' && { captureBefore: timeOf((changedMs ?? createdMs) + authorizedMs) }),
    ...(finalStatuses.includes(status) ? {} : { isCancelable: isCancelable(payment) }),
    ...(isPaid && { amountRefunded: inDecimals(refunded), amountRemaining: inDecimals(remaining(payment)) }),
    // The status stays `paid`.
    ...(chargedBack > 0n && { amountChargedBack: inDecimals(chargedBack) }),
    ...(webhookUrl === null ? {} : { webhookUrl }),
    details: detailsOf(failureReason, bankReasonCode),
    profileId: 'pfl_simulated',
    _links: {
      self: hal(self),
      ...(status === 'open' && payment.sequenceType !== 'recurring' && { checkout: page(`${root}/checkout/${id}`) }),
      ...(isChargedInTest && { changePaymentState: page(`${root}/checkout/${id}`) }),
      ...(customer !== undefined && { customer: hal(customer) }),
      ...(payment.mandateId !== undefined && { mandate: hal(`${customer}/mandates/${payment.mandateId}`) }),
      ...(refunds.length > 0 && { refunds: hal(`${self}/refunds`) }),
      ...(chargebacks.length > 0 && { chargebacks: hal(`${self}/chargebacks`) }),
      ...(captures.length > 0 && { captures: hal(`${self}/captures`) }),
      dashboard: page(`${root}/checkout/${id}`),
      documentation: page('https://docs.mollie.com/reference/get-payment'),
    },
  };
}

/** How long an authorization lasts. */
const authorizedMs = 7 * 86_400_000;

/** What was captured of a payment, and whether that is all of it. */
export function capturedOf({ amount, captures }: SimulatedPayment): { captured: Amount; isWhole: boolean } {
  const units = captures
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, capture) => sum + minorUnits(capture.amount), 0n);
  return { captured: { ...amount, value: decimalsOf(units, amount) }, isWhole: units === minorUnits(amount) };
}

function detailsOf(failureReason: string | null, bankReasonCode: string | null) {
  if (failureReason === null && bankReasonCode === null) return null;
  return { ...(failureReason !== null && { failureReason }), ...(bankReasonCode !== null && { bankReasonCode }) };
}

const finalStatuses: readonly PaymentStatus[] = ['paid', 'canceled', 'expired', 'failed'];

const timesOfStatuses: Partial<Record<PaymentStatus, string>> = {
  authorized: 'authorizedAt',
  paid: 'paidAt',
  canceled: 'canceledAt',
  expired: 'expiredAt',
  failed: 'failedAt',
};

/** A link to a resource of the API. */
export function hal(href: string) {
  return { href, type: 'application/hal+json' };
}

/** A link to a page for people. */
export function page(href: string) {
  return { href, type: 'text/html' };
}

/** A chargeback of some of a payment, or of all of it; also after a refund, which the bank may ignore. */
export function newChargeback(
  payment: SimulatedPayment,
  { value = payment.amount.value, code }: { value?: string | undefined; code?: string | undefined },
  createdMs: number,
): SimulatedChargeback {
  return {
    id: newId('chb_'),
    paymentId: payment.id,
    amount: { ...payment.amount, value },
    reason: code === undefined ? null : { code, description: `The bank's reason ${code}` },
    createdMs,
    reversedMs: null,
  };
}

/** Mollie names neither the mode nor a status nor a deadline. */
export function chargebackBody(chargeback: SimulatedChargeback, root: string): Record<string, unknown> {
  const { createdMs, reversedMs, ...shown } = chargeback;
  const payment = `${root}/v2/payments/${shown.paymentId}`;
  return {
    resource: 'chargeback',
    ...shown,
    createdAt: timeOf(createdMs),
    reversedAt: reversedMs === null ? null : timeOf(reversedMs),
    _links: {
      self: hal(`${payment}/chargebacks/${shown.id}`),
      payment: hal(payment),
      documentation: page('https://docs.mollie.com/reference/get-chargeback'),
    },
  };
}

export function refundBody({ createdMs, ...shown }: SimulatedRefund, root: string): Record<string, unknown> {
  const payment = `${root}/v2/payments/${shown.paymentId}`;
  return {
    resource: 'refund',
    ...shown,
    createdAt: timeOf(createdMs),
    _links: {
      self: hal(`${payment}/refunds/${shown.id}`),
      payment: hal(payment),
      documentation: page('https://docs.mollie.com/reference/get-refund'),
    },
  };
}

/** Decimal digits of every currency that Mollie accepts (docs.mollie.com, Multicurrency). */
const digitsOf: Record<string, number> = { ISK: 0, JPY: 0 };
const otherCurrencies =
  'AED AUD BGN BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR';
for (const currency of otherCurrencies.split(' ')) {
  digitsOf[currency] = 2;
}

const highestMinorUnits = 100_000_000n;

function amountIn(amount: unknown, lowest = 1n): Amount {
  if (typeof amount !== 'object' || amount === null) throw new Problem(422, 'The amount is missing.', 'amount');
  const { currency, value } = amount as Record<string, unknown>;
  const digits = typeof currency === 'string' ? digitsOf[currency] : undefined;
  if (typeof currency !== 'string' || digits === undefined) {
    throw new Problem(422, 'No suitable payment methods found for this currency.', 'amount.currency');
  }
  const form = digits === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${digits}}$`);
  if (typeof value !== 'string' || !form.test(value)) {
    throw new Problem(422, 'The amount contains an invalid value.', 'amount.value');
  }
  const units = minorUnits({ currency, value });
  if (units < lowest) throw new Problem(422, 'The amount is lower than the minimum.', 'amount');
  if (units > highestMinorUnits) throw new Problem(422, 'The amount is higher than the maximum.', 'amount');
  return { currency, value };
}

export function captureBody({ createdMs, ...shown }: SimulatedCapture, root: string): Record<string, unknown> {
  const payment = `${root}/v2/payments/${shown.paymentId}`;
  return {
    resource: 'capture',
    ...shown,
    createdAt: timeOf(createdMs),
    _links: {
      self: hal(`${payment}/captures/${shown.id}`),
      payment: hal(payment),
      documentation: page('https://docs.mollie.com/reference/get-capture'),
    },
  };
}

export function newCapture(
  payment: SimulatedPayment,
  { amount, metadata = null }: Record<string, unknown>,
  createdMs: number,
): SimulatedCapture {
  const { id: paymentId, mode, status } = payment;
  if (status !== 'authorized') throw new Problem(422, 'The payment is not authorized and cannot be captured.');
  const captured = amount === undefined ? payment.amount : amountIn(amount);
  const earlier = payment.captures.filter(({ status: one }) => one !== 'failed').map((one) => minorUnits(one.amount));
  const inAll = earlier.reduce((sum, one) => sum + one, minorUnits(captured));
  if (inAll > minorUnits(payment.amount)) throw new Problem(422, 'The amount is too high.', 'amount');
  return { id: newId('cpt_'), mode, paymentId, status: 'pending', amount: captured, metadata, createdMs };
}

function minorUnits({ value }: Amount): bigint {
  return BigInt(value.replace('.', ''));
}

function decimalsOf(units: bigint, { currency }: Amount): string {
  const digits = digitsOf[currency] ?? 2;
  const text = `${units}`.padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

function textIn(body: Record<string, unknown>, field: string, maxLength = Number.POSITIVE_INFINITY): string {
  const text = body[field];
  if (typeof text !== 'string' || text === '') throw new Problem(422, `The ${field} is missing.`, field);
  if ([...text].length > maxLength) throw new Problem(422, `The ${field} is too long.`, field);
  return text;
}

function urlIn(body: Record<string, unknown>, field: string): string {
  const url = textIn(body, field, 2048);
  if (!URL.canParse(url)) throw new Problem(422, `The ${field} is invalid.`, field);
  return url;
}

function metadataIn({ metadata = null }: Record<string, unknown>): unknown {
  if (JSON.stringify(metadata).length > 1024) throw new Problem(422, 'The metadata is larger than 1 kB.', 'metadata');
  return metadata;
}

function newId(prefix: string): string {
  return prefix + randomBytes(8).toString('hex');
}

/** Mollie's format of times: to the second, in UTC with a numeric offset. */
export function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}+00:00`;
}
