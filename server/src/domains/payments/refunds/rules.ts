import { Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { capturedAmountOf } from '../transactions/captured.ts';
import type { PaymentRow } from '../transactions/record.ts';

/**
 * The amount to refund: the requested one, or all that is left. Every refund that is not FAILED or CANCELLED reduces
 * what is left, even while its result is unknown. Refuses with `not_refundable` or `refund_exceeds_payment`.
 */
export function refundableAmount(payment: PaymentRow, requested: number | undefined): number {
  const { status, amount_refund_held, amount_disputed, currency } = payment;
  if (status !== 'SUCCESS' && status !== 'REFUNDED') {
    throw new Refusal('not_refundable', rule('not_refundable_status', { status }), { field: 'transactionId' });
  }
  const captured = capturedAmountOf(payment);
  const left = leftToRefund(payment);
  const isDisputed = (amount_disputed ?? 0) > 0 && (requested ?? 1) <= captured - amount_refund_held;
  if (left === 0 || (requested !== undefined && requested > left)) {
    if (isDisputed) throw paymentDisputed(left, captured, currency);
    const broken = left === 0 ? rule('nothing_to_refund') : rule('refund_left', { left, total: captured, currency });
    throw new Refusal('refund_exceeds_payment', broken, { field: 'amount', details: { left } });
  }
  return requested ?? left;
}

/**
 * What can still be refunded of a payment: what was captured, less its refunds, less what disputes have withdrawn and
 * not reinstated. A provider can take the same money twice, but nothing less than 0 is left.
 */
export function leftToRefund(payment: PaymentRow): number {
  const taken = payment.amount_refund_held + Math.max(payment.amount_disputed ?? 0, 0);
  return Math.max(capturedAmountOf(payment) - taken, 0);
}

function paymentDisputed(left: number, captured: number, currency: string): Refusal {
  const broken =
    left === 0 ? rule('disputed_nothing_left') : rule('disputed_left', { left, total: captured, currency });
  return new Refusal('payment_disputed', broken, { field: 'amount', details: { left } });
}

/** A dispute in another currency: until a person says what it took, nothing is given back. */
export function unclearDispute(disputeId: string): Refusal {
  return new Refusal('payment_disputed', rule('disputed_unclear'), {
    field: 'transactionId',
    details: { disputeId: publicId('dsp', disputeId) },
  });
}
