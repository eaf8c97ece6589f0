import { isCurrency, maximumAmount } from '../../../core/currency.ts';
import { invalid, Refusal } from '../../../core/errors.ts';
import { apportion } from '../../../core/money.ts';
import type { InvoiceRow } from './statements.ts';
import { type InvoiceStatus, isPayable, mayBecome, transitions } from './states.ts';

/** What is invoiced. An amount below 0 is a credit. `taxRate` in basis points, or `taxAmount` as it is; neither: no tax. */
export interface LineInput {
  description: string;
  quantity: number;
  unitAmount: number;
  taxRate?: number | undefined;
  taxAmount?: number | undefined;
}

export interface PricedLine {
  description: string;
  quantity: number;
  unitAmount: number;
  amount: number;
  taxRate: number | null;
  taxAmount: number;
}

export interface PricedLines {
  lines: PricedLine[];
  subtotal: number;
  tax: number;
  total: number;
}

const basisPoints = 10_000n;

/**
 * Lines with their amounts and taxes, and the totals that they sum up to exactly. The tax of a rate is reckoned on the sum
 * of its lines, rounded half up once, and shared out over them by largest remainder.
 */
export function priceLines(lines: readonly LineInput[]): PricedLines {
  const amounts = lines.map(({ quantity, unitAmount }) => BigInt(quantity) * BigInt(unitAmount));
  const taxes = taxesOf(lines, amounts);
  const subtotal = sumOf(amounts);
  const tax = sumOf(taxes);
  const whole =
    amounts.find((amount) => !isSafeAmount(amount)) ?? [subtotal, subtotal + tax].find((sum) => !isSafeAmount(sum));
  if (whole !== undefined) throw invalid('lines', 'lines sum up to more than 9007199254740991 minor units.');
  if (subtotal < 0n || subtotal + tax < 0n) throw invalid('lines', 'lines must not sum up to less than 0.');
  return {
    lines: lines.map(({ description, quantity, unitAmount, taxRate }, i) => ({
      description,
      quantity,
      unitAmount,
      amount: Number(amounts[i]),
      taxRate: taxRate ?? null,
      taxAmount: Number(taxes[i]),
    })),
    subtotal: Number(subtotal),
    tax: Number(tax),
    total: Number(subtotal + tax),
  };
}

function taxesOf(lines: readonly LineInput[], amounts: readonly bigint[]): bigint[] {
  const taxes = lines.map(({ taxAmount = 0 }) => BigInt(taxAmount));
  for (const rate of new Set(lines.map(({ taxRate }) => taxRate))) {
    if (rate === undefined) continue;
    const rated = lines.flatMap((line, i) => (line.taxRate === rate ? [i] : []));
    const shares = apportion(
      rated.map((i) => (amounts[i] as bigint) * BigInt(rate)),
      basisPoints,
    );
    for (const [place, i] of rated.entries()) taxes[i] = shares[place] as bigint;
  }
  return taxes;
}

const sumOf = (values: readonly bigint[]) => values.reduce((sum, value) => sum + value, 0n);
const isSafeAmount = (amount: bigint) => amount <= BigInt(maximumAmount) && amount >= -BigInt(maximumAmount);

export function requireCurrency(currency: string): void {
  if (!isCurrency(currency)) throw invalid('currency', 'currency must be an upper-case ISO 4217 code, such as USD.');
}

/** INV-000001, INV-000002, …: of each tenant without holes. */
export const numberText = (number: number) => `INV-${String(number).padStart(6, '0')}`;

/** How an invoice is named in events: its id is an integer, and one of a subscription may be the same. */
export const objectIdOf = (id: number) => `inv_${id}`;

/** What payments may still be made for: what others hold counts as gone, also while their provider has not said anything. */
export const unreservedAmountOf = ({ total, amount_held }: InvoiceRow) => total - amount_held;

/** How much a payment takes of an invoice: what is asked for, or all that is left. */
export function requirePayableAmount(invoice: InvoiceRow, asked: number | undefined, field: string): number {
  const { status } = invoice;
  if (!isPayable(status)) {
    const because = status === 'DRAFT' ? 'finalize it first' : 'nothing can be paid on it any more';
    throw new Refusal('invoice_not_payable', `Invoice ${invoice.id} is ${status}: ${because}.`, {
      field,
      details: { status },
    });
  }
  const left = unreservedAmountOf(invoice);
  if (left === 0 || (asked !== undefined && asked > left)) {
    const message =
      left === 0
        ? `Nothing is left to pay of invoice ${invoice.id}: all of it has been paid, or is about to be.`
        : `Only ${left} of ${invoice.total} (minor units of ${invoice.currency}) can still be paid of invoice ${invoice.id}.`;
    throw new Refusal('payment_exceeds_invoice', message, { field: 'amount', details: { left } });
  }
  return asked ?? left;
}

/** Refuses a status that the invoice cannot take: by the table, or because a payment of it is under way. */
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
      'A payment of this invoice is under way: wait for its end, or call it off.',
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
