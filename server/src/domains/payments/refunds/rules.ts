import { Refusal } from '../../../core/errors.ts';
import type { TransactionRow } from '../transactions/statements.ts';

/**
 * How much of a payment is given back: what is asked for, or all that is left. What other refunds hold counts as gone,
 * also while their provider has not said anything (decisions, Refunds).
 */
export function refundableAmount(payment: TransactionRow, asked: number | undefined): number {
  const { status, amount, amount_refund_held, currency } = payment;
  if (status !== 'SUCCESS' && status !== 'REFUNDED') {
    throw new Refusal(
      'not_refundable',
      `A transaction that is ${status} cannot be refunded: only money that was taken can be given back.`,
      { field: 'transactionId', details: { status } },
    );
  }
  const left = amount - amount_refund_held;
  if (left === 0 || (asked !== undefined && asked > left)) {
    const message =
      left === 0
        ? 'Nothing is left to refund: all of it has been given back, or is about to be.'
        : `Only ${left} of ${amount} (minor units of ${currency}) can still be refunded.`;
    throw new Refusal('refund_exceeds_payment', message, { field: 'amount', details: { left } });
  }
  return asked ?? left;
}
