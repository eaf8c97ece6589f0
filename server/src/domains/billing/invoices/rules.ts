import { Refusal } from '../../../core/errors.ts';
import type { InvoiceRow } from './statements.ts';
import { type InvoiceStatus, isPayable, mayBecome, transitions } from './states.ts';

/** The id of an invoice in events. The prefix distinguishes it from a subscription with the same number. */
export const objectIdOf = (id: number) => `inv_${id}`;

/** The amount that is neither paid nor reserved by a payment in progress. */
export const unreservedAmountOf = ({ total, amount_held }: InvoiceRow) => total - amount_held;

/** The amount of a new payment: the requested one, or by default everything that is not reserved. */
export function requirePayableAmount(invoice: InvoiceRow, requested: number | undefined, field: string): number {
  const { status } = invoice;
  if (!isPayable(status)) {
    const because = status === 'DRAFT' ? 'finalize it first' : 'nothing can be paid on it any more';
    throw new Refusal('invoice_not_payable', `Invoice ${invoice.id} is ${status}: ${because}.`, {
      field,
      details: { status },
    });
  }
  const left = unreservedAmountOf(invoice);
  if (left === 0 || (requested !== undefined && requested > left)) {
    const message =
      left === 0
        ? `Nothing is left to pay of invoice ${invoice.id}: all of it has been paid, or is about to be.`
        : `Only ${left} of ${invoice.total} (minor units of ${invoice.currency}) can still be paid of invoice ${invoice.id}.`;
    throw new Refusal('payment_exceeds_invoice', message, { field: 'amount', details: { left } });
  }
  return requested ?? left;
}

/** Refuses a transition that the table does not allow, and every transition while a payment is in progress. */
export function requireTransition(invoice: InvoiceRow, to: InvoiceStatus): void {
  const { status, amount_held, amount_paid } = invoice;
  if (!mayBecome(status, to)) {
    const allowed = Object.keys(transitions[status]);
    const reachable = allowed.length > 0 ? `it can become ${allowed.join(' or ')}` : 'it stays as it is';
    throw new Refusal('illegal_transition', `An invoice that is ${status} cannot become ${to}; ${reachable}.`, {
      field: 'id',
      details: { from: status, to, allowed },
    });
  }
  if (amount_held > amount_paid) {
    throw new Refusal(
      'invoice_payment_under_way',
      'A payment of this invoice is in progress: wait until it ends, or cancel it.',
      { field: 'id', details: { underWay: amount_held - amount_paid } },
    );
  }
  if (to === 'VOID' && amount_paid > 0) {
    const message = `${amount_paid} of this invoice has been paid: mark the rest uncollectible instead.`;
    throw new Refusal('illegal_transition', message, {
      field: 'id',
      details: { from: status, to, amountPaid: amount_paid },
    });
  }
}
