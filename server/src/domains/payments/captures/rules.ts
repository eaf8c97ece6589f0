import { Refusal } from '../../../core/errors.ts';
import { capturedAmountOf, isAuthorized } from '../transactions/captured.ts';
import type { PaymentRow } from '../transactions/record.ts';
import { captureUnderWay } from '../transactions/rules.ts';

/** Refuses (`not_capturable`) a payment that is not authorized, or has ended. */
export function requireAuthorized(payment: PaymentRow): void {
  const { status, capture_method } = payment;
  if (status === 'PROCESSING' && isAuthorized(payment)) return;
  const because =
    capture_method === null
      ? 'It is captured automatically'
      : status === 'PENDING' || status === 'PROCESSING'
        ? 'Its provider has not authorized it yet'
        : `It is ${status}`;
  throw notCapturable(payment, `${because}: only an authorized transaction can be captured or released.`);
}

/**
 * Refuses what cannot begin while something else of the payment is under way at its provider: `not_capturable` while it
 * is cancelled, `capture_under_way` during a capture or a release.
 */
export function requireNothingUnderWay(
  payment: PaymentRow,
  underWay: readonly { kind: 'CANCEL' | 'CAPTURE' | 'RELEASE' }[],
): void {
  if (underWay.some(({ kind }) => kind === 'CANCEL')) {
    throw notCapturable(payment, 'The provider has been asked to cancel this transaction.');
  }
  if (underWay.length > 0) throw captureUnderWay(payment);
}

/** The amount to capture: the requested one, or all that is left. Refuses more than that. */
export function amountToCapture(payment: PaymentRow, requested: number | undefined): number {
  const left = payment.amount_capturable ?? 0;
  if (left === 0) throw notCapturable(payment, 'Nothing is left to capture: the final capture was made.');
  if (requested === undefined || requested <= left) return requested ?? left;
  throw new Refusal(
    'capture_exceeds_authorization',
    `Only ${left} of ${payment.amount} (minor units of ${payment.currency}) can still be captured.`,
    { field: 'amount', details: { left } },
  );
}

/** The amount to release. Refuses what has nothing captured, which is cancelled instead, and what has nothing left. */
export function amountToRelease(payment: PaymentRow): number {
  if (capturedAmountOf(payment) === 0) {
    throw notCapturable(payment, 'Nothing of this transaction was captured: set its status to CANCELLED instead.');
  }
  const left = payment.amount_capturable ?? 0;
  if (left === 0) throw notCapturable(payment, 'Nothing is left to release: the final capture was made.');
  return left;
}

export function notCapturable({ status }: Pick<PaymentRow, 'status'>, message: string): Refusal {
  return new Refusal('not_capturable', message, { field: 'id', details: { status } });
}
