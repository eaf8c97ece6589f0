import { Refusal } from '../../../core/errors.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';
import { capturedAmountOf, isAuthorized } from '../transactions/captured.ts';
import type { PaymentRow } from '../transactions/record.ts';
import { captureUnderWay } from '../transactions/rules.ts';

/** Refuses (`not_capturable`) a payment that is not authorized, or has ended. */
export function requireAuthorized(payment: PaymentRow): void {
  const { status, capture_method } = payment;
  if (status === 'PROCESSING' && isAuthorized(payment)) return;
  const broken =
    capture_method === null
      ? rule('captured_automatically')
      : status === 'PENDING' || status === 'PROCESSING'
        ? rule('not_yet_authorized')
        : rule('not_authorized', { status });
  throw notCapturable(payment, broken);
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
    throw notCapturable(payment, rule('cancelling'));
  }
  if (underWay.length > 0) throw captureUnderWay(payment);
}

/** The amount to capture: the requested one, or all that is left. Refuses more than that. */
export function amountToCapture(payment: PaymentRow, requested: number | undefined): number {
  const left = payment.amount_capturable ?? 0;
  if (left === 0) throw notCapturable(payment, rule('nothing_to_capture'));
  if (requested === undefined || requested <= left) return requested ?? left;
  throw new Refusal(
    'capture_exceeds_authorization',
    rule('capture_left', { left, total: payment.amount, currency: payment.currency }),
    { field: 'amount' },
  );
}

/** The amount to release. Refuses what has nothing captured, which is cancelled instead, and what has nothing left. */
export function amountToRelease(payment: PaymentRow): number {
  if (capturedAmountOf(payment) === 0) {
    throw notCapturable(payment, rule('cancel_instead'));
  }
  const left = payment.amount_capturable ?? 0;
  if (left === 0) throw notCapturable(payment, rule('nothing_to_release'));
  return left;
}

export function notCapturable({ status }: Pick<PaymentRow, 'status'>, message: BrokenRule): Refusal {
  return new Refusal('not_capturable', message, { field: 'id', details: { status } });
}
