import {
  type Amount,
  amountIn,
  decimalsOf,
  hal,
  type Mode,
  metadataIn,
  minorUnits,
  newId,
  Problem,
  page,
  textIn,
  timeOf,
} from './mollie-values.ts';

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

export type SequenceType = 'oneoff' | 'first' | 'recurring';
export type MandateMethod = 'creditcard' | 'directdebit' | 'paypal';

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
