import { Refusal } from '../../../core/errors.ts';
import { capturedAmountOf } from '../transactions/captured.ts';
import type { PaymentRow } from '../transactions/record.ts';

/**
 * The amount to refund: the requested one, or all that is left. Every refund that is not FAILED or CANCELLED reduces
 * what is left, even while its result is unknown. Refuses with `not_refundable` or `refund_exceeds_payment`.
 */
export function refundableAmount(payment: PaymentRow, requested: number | undefined): number {
  const { status, amount_refund_held, currency } = payment;
  if (status !== 'SUCCESS' && status !== 'REFUNDED') {
    throw new Refusal(
      'not_refundable',
      `A transaction that is ${status} cannot be refunded: only money that was taken can be given back.`,
      { field: 'transactionId', details: { status } },
    );
  }
  const captured = capturedAmountOf(payment);
  const left = captured - amount_refund_held;
  if (left === 0 || (requested !== undefined && requested > left)) {
    const message =
      left === 0
        ? 'Nothing is left to refund: all of it has been given back, or is about to be.'
        : `Only ${left} of ${captured} (minor units of ${currency}) can still be refunded.`;
    throw new Refusal('refund_exceeds_payment', message, { field: 'amount', details: { left } });
  }
  return requested ?? left;
}
