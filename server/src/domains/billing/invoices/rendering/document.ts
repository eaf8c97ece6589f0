import { decimalOf } from '../../../../core/money.ts';
import type { CustomerRecord } from '../../customers/record.ts';
import type { InvoiceRecord } from '../record.ts';
import type { Seller } from '../statements.ts';

/** The content of a rendered invoice, the same for HTML and PDF. Days are in UTC. */
export interface InvoiceDocument {
  id: number;
  title: string;
  /** Shown next to the title when the invoice is not simply open. */
  stamp: 'Paid' | 'Void' | 'Draft' | null;
  seller: { name: string; details: string[] };
  /** Name, address and e-mail address of the customer. */
  buyer: string[];
  /** The amount to pay and its due date, or why nothing is to be paid; null for a draft. */
  paymentSummary: string | null;
  facts: LabelledValue[];
  description: string | null;
  lines: { description: string; quantity: string; unitPrice: string; tax: string; amount: string }[];
  /** The last entry is the result. */
  sums: LabelledValue[];
  /** When the invoice last changed; the date of the PDF file. */
  changedAt: Date;
}

/** A label and its value. */
export type LabelledValue = [label: string, value: string];

export type Buyer = Pick<CustomerRecord, 'name' | 'address' | 'email'>;

const stamps = { DRAFT: 'Draft', OPEN: null, PAID: 'Paid', VOID: 'Void', UNCOLLECTIBLE: null } as const;

/** The column titles of the lines. */
export const lineColumns = ['Description', 'Quantity', 'Unit price', 'Tax', 'Amount'] as const;

/** Formats an invoice for rendering. */
export function documentOf(invoice: InvoiceRecord, seller: Seller, buyer: Buyer): InvoiceDocument {
  const { currency, number, status } = invoice;
  return {
    id: invoice.id,
    title: number === null ? 'Invoice' : `Invoice ${number}`,
    stamp: stamps[status],
    seller: {
      name: seller.name,
      details: [...addressOf(seller), ...(seller.taxId ? [`Tax ID: ${seller.taxId}`] : [])],
    },
    buyer: [buyer.name, ...addressOf(buyer), ...(buyer.email ? [buyer.email] : [])],
    paymentSummary: paymentSummaryOf(invoice),
    facts: factsOf(invoice),
    description: invoice.description,
    lines: invoice.lines.map((line) => ({
      description: line.description,
      quantity: grouped(String(line.quantity)),
      unitPrice: figureOf(line.unitAmount, currency),
      tax: taxOf(line, currency),
      amount: figureOf(line.amount, currency),
    })),
    sums: sumsOf(invoice),
    changedAt: new Date(invoice.updatedTime),
  };
}

/** With a state, the postal code follows it, as in the countries that have states; otherwise it precedes the city. */
function addressOf({ address }: Pick<Buyer, 'address'>): string[] {
  const { line1, line2, postalCode, city, state, country } = address ?? {};
  const cityLine = state ? [[city, state].filter(Boolean).join(', '), postalCode] : [postalCode, city];
  const lines = [line1, line2, cityLine.filter(Boolean).join(' '), country && countryOf(country)];
  return lines.filter((line): line is string => !!line);
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });

/** DE → Germany; a code of three letters stays as it is. */
function countryOf(code: string): string {
  return code.length === 2 ? (countryNames.of(code) ?? code) : code;
}

function paymentSummaryOf(invoice: InvoiceRecord) {
  const { status, currency, amountRemaining, amountRefunded, total, dueDate, paidTime, closedTime } = invoice;
  const refunded = amountRefunded > 0 ? `, ${priceOf(amountRefunded, currency)} refunded` : '';
  if (status === 'DRAFT') return null;
  if (status === 'VOID') return `Void since ${dayOf(closedTime)}: nothing is to be paid`;
  if (total === 0) return 'Nothing is to be paid';
  if (status === 'PAID') return `${priceOf(total, currency)} paid on ${dayOf(paidTime)}${refunded}`;
  return `${priceOf(amountRemaining, currency)} to pay by ${dayOf(dueDate)}${refunded}`;
}

function factsOf({ finalizedTime, dueDate, periodStart, periodEnd, status }: InvoiceRecord): LabelledValue[] {
  const facts: [string, string | null][] = [
    ['Date', dayOf(finalizedTime)],
    ['Due', status === 'VOID' ? null : dayOf(dueDate)],
    ['Period', periodStart && periodEnd && `${dayOf(periodStart)} – ${dayOf(periodEnd)}`],
  ];
  return facts.filter((fact): fact is LabelledValue => fact[1] !== null);
}

function taxOf({ taxRate, taxAmount }: InvoiceRecord['lines'][number], currency: string): string {
  if (taxRate !== null) return percentOf(taxRate);
  return taxAmount === 0 ? '' : figureOf(taxAmount, currency);
}

function sumsOf(invoice: InvoiceRecord): LabelledValue[] {
  const { currency, status, subtotal, total, amountPaid, amountRemaining } = invoice;
  const sums: LabelledValue[] = [
    ['Subtotal', priceOf(subtotal, currency)],
    ...taxesOf(invoice),
    ['Total', priceOf(total, currency)],
  ];
  if (status === 'DRAFT') return sums;
  if (amountPaid > 0) sums.push(['Paid', priceOf(-amountPaid, currency)]);
  return [...sums, ['To pay', priceOf(amountRemaining, currency)]];
}

/** The tax of each rate with its base; taxes given as amounts are summed up in the last entry. */
function taxesOf({ lines, currency }: InvoiceRecord): LabelledValue[] {
  const rates = [...new Set(lines.flatMap(({ taxRate }) => taxRate ?? []))].sort((a, b) => a - b);
  const withTaxAmount = lines.filter(({ taxRate, taxAmount }) => taxRate === null && taxAmount !== 0);
  const taxes = rates.map((rate): LabelledValue => {
    const withRate = lines.filter(({ taxRate }) => taxRate === rate);
    const base = figureOf(sumOf(withRate.map(({ amount }) => amount)), currency);
    return [`Tax ${percentOf(rate)} of ${base}`, priceOf(sumOf(withRate.map(({ taxAmount }) => taxAmount)), currency)];
  });
  if (withTaxAmount.length > 0 || rates.length === 0)
    taxes.push(['Tax', priceOf(sumOf(withTaxAmount.map(({ taxAmount }) => taxAmount)), currency)]);
  return taxes;
}

/** In bigint: the lines of one rate can exceed 2^53 − 1 when lines of another rate are credits. */
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);

/** 2027-06-30 → `30 June 2027`, which is unambiguous in all countries. */
function dayOf(time: string | null): string | null {
  if (time === null) return null;
  return new Date(time).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}

/** 123456 EUR → `EUR 1,234.56`, without a line break. The code stands first to keep the figures of a column aligned. */
const priceOf = (amount: number | bigint, currency: string) => `${currency}\u00a0${figureOf(amount, currency)}`;

function figureOf(amount: number | bigint, currency: string): string {
  const [whole = '', fraction] = decimalOf(amount < 0 ? -amount : amount, currency).split('.');
  return `${amount < 0 ? '−' : ''}${grouped(whole)}${fraction === undefined ? '' : `.${fraction}`}`;
}

const grouped = (digits: string) => digits.replace(/\B(?=(?:\d{3})+$)/g, ',');

/** 1900 basis points → `19 %`; 725 → `7.25 %`. */
function percentOf(basisPoints: number): string {
  const fraction = String(basisPoints % 100)
    .padStart(2, '0')
    .replace(/0+$/, '');
  return `${Math.floor(basisPoints / 100)}${fraction === '' ? '' : `.${fraction}`}\u00a0%`;
}
