import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { StillWaiting } from '../../payments/transactions/invoice-payments.ts';
import type { InvoiceRow, OpenPayment } from './statements.ts';
import { type InvoiceStatus, isPayable, mayBecome, transitions } from './states.ts';

/** The id of an invoice in events. The prefix distinguishes it from a subscription with the same number. */
export const objectIdOf = (id: number) => `inv_${id}`;

/** The amount that no payment has paid; 0 when the invoice cannot be paid. */
export const unpaidAmountOf = ({ status, total, amount_paid }: InvoiceRow) =>
  isPayable(status) ? total - amount_paid : 0;

/**
 * Whether an open payment may take money without anybody doing anything more, so that it reserves its amount. Money on
 * a channel without a provider is awaited from a person. So is a payer at a provider, but the payer may have paid a
 * moment ago: only the provider's word (`stillWaiting`) shows that the payment still waits.
 */
export const isReserving = ({ provider, waits_for_payer, transaction_id }: OpenPayment, stillWaiting: StillWaiting) =>
  provider !== null && !(waits_for_payer && stillWaiting.has(transaction_id));

/** The amount that open payments reserve. */
export function reservedAmountOf(payments: readonly OpenPayment[], stillWaiting: StillWaiting): number {
  return sumOf(payments.filter((payment) => isReserving(payment, stillWaiting)));
}

export const sumOf = (payments: readonly OpenPayment[]) => payments.reduce((sum, { amount }) => sum + amount, 0);

/** The amount of a new payment: the requested one, or by default all that is neither paid nor `reserved`. */
export function requirePayableAmount(
  invoice: InvoiceRow,
  reserved: number,
  requested: number | undefined,
  field: string,
): number {
  const { status } = invoice;
  if (!isPayable(status)) {
    const name = status === 'DRAFT' ? 'invoice_draft_unpayable' : 'invoice_unpayable';
    throw new Refusal('invoice_not_payable', rule(name, { id: invoice.id, status }), { field });
  }
  const left = Math.max(0, unpaidAmountOf(invoice) - reserved);
  if (left === 0 || (requested !== undefined && requested > left)) {
    const { id, total, currency } = invoice;
    const broken = left === 0 ? rule('nothing_to_pay', { id }) : rule('invoice_left', { left, total, currency, id });
    throw new Refusal('payment_exceeds_invoice', broken, { field: 'amount', details: { left } });
  }
  return requested ?? left;
}

/** Refuses a transition that the table does not allow, and every transition while payments have not ended. */
export function requireTransition(invoice: InvoiceRow, to: InvoiceStatus, underWay = 0): void {
  const { status, amount_paid, currency } = invoice;
  if (!mayBecome(status, to)) {
    const allowed = Object.keys(transitions[status]);
    const broken =
      allowed.length > 0
        ? rule('invoice_cannot_become', { from: status, to, allowed })
        : rule('invoice_is_final', { from: status, to });
    throw new Refusal('illegal_transition', broken, { field: 'id', details: { allowed } });
  }
  if (underWay > 0) {
    throw new Refusal(
      'invoice_payment_under_way',
      'A payment of this invoice is in progress: wait until it ends, or cancel it.',
      { field: 'id', details: { underWay, currency } },
    );
  }
  if (to === 'VOID' && amount_paid > 0) {
    throw new Refusal('illegal_transition', rule('invoice_partly_paid', { paid: amount_paid }), {
      field: 'id',
      details: { from: status, to, amountPaid: amount_paid, currency },
    });
  }
}
