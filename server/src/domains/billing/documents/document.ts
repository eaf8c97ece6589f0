import { addressLines } from '../../../core/address.ts';
import type { CustomerRecord } from '../customers/record.ts';
import type { InvoiceRecord } from '../invoices/record.ts';
import { amountIn, dayIn, type Language, numberIn, percentIn, priceIn } from '../sellers/formats.ts';
import type { Seller } from '../sellers/statements.ts';
import { type Labels, labelsIn } from './labels.ts';

/** The content of a rendered invoice, the same for HTML and PDF. Days are in UTC. */
export interface InvoiceDocument {
  id: number;
  language: Language;
  title: string;
  /** Shown next to the title when the invoice is not simply open. */
  stamp: 'Paid' | 'Void' | 'Draft' | null;
  seller: { name: string; details: string[] };
  /** Name, address and e-mail address of the customer. */
  buyer: string[];
  /** The amount to pay and its due date, or why there is nothing to pay; null for a draft. */
  paymentSummary: string | null;
  facts: LabelledValue[];
  description: string | null;
  lines: { description: string; quantity: string; unitPrice: string; tax: string; amount: string }[];
  /** The last entry is the result. */
  sums: LabelledValue[];
  /** When the invoice last changed; the date of the PDF file. */
  changedAt: Date;
  /** The address of its page for the payer, when it is rendered for the payer. */
  payerPage?: string;
}

/** A label and its value. */
export type LabelledValue = [label: string, value: string];

export type Buyer = Pick<CustomerRecord, 'name' | 'address' | 'email'>;

const stamps = { DRAFT: 'Draft', OPEN: null, PAID: 'Paid', VOID: 'Void', UNCOLLECTIBLE: null } as const;

interface Formatting {
  language: Language;
  labels: Labels;
  price: (amount: number | bigint) => string;
  amount: (amount: number | bigint) => string;
}

/** Formats an invoice for rendering, in the language in which the tenant addresses its customers. */
export function documentOf(
  invoice: InvoiceRecord,
  seller: Seller,
  buyer: Buyer,
  language: Language = 'en',
): InvoiceDocument {
  const labels = labelsIn[language];
  const formatting: Formatting = {
    language,
    labels,
    price: (amount) => priceIn(language, amount, invoice.currency),
    amount: (amount) => amountIn(language, amount, invoice.currency),
  };
  return {
    id: invoice.id,
    language,
    title: invoice.number === null ? labels.invoice : `${labels.invoice} ${invoice.number}`,
    stamp: stamps[invoice.status],
    seller: {
      name: seller.name,
      details: [
        ...addressLines(seller.address, language),
        ...(seller.taxId ? [`${labels.taxId}: ${seller.taxId}`] : []),
      ],
    },
    buyer: [buyer.name, ...addressLines(buyer.address, language), ...(buyer.email ? [buyer.email] : [])],
    paymentSummary: paymentSummaryOf(invoice, formatting),
    facts: factsOf(invoice, formatting),
    description: invoice.description,
    lines: invoice.lines.map((line) => ({
      description: line.description,
      quantity: numberIn(language, line.quantity),
      unitPrice: formatting.amount(line.unitAmount),
      tax: taxOf(line, formatting),
      amount: formatting.amount(line.amount),
    })),
    sums: sumsOf(invoice, formatting),
    changedAt: new Date(invoice.updatedTime),
  };
}

function paymentSummaryOf(invoice: InvoiceRecord, { language, labels, price }: Formatting) {
  const { status, amountRemaining, amountRefunded, total, dueDate, paidTime, closedTime } = invoice;
  const refunded = amountRefunded > 0 ? `, ${labels.refunded(price(amountRefunded))}` : '';
  const day = (time: string | null) => dayOf(time, language);
  if (status === 'DRAFT') return null;
  if (status === 'VOID') return labels.voidSince(day(closedTime));
  if (total === 0) return labels.nothingToPay;
  if (status === 'PAID') return labels.paidOn(price(total), day(paidTime)) + refunded;
  return labels.toPayBy(price(amountRemaining), day(dueDate)) + refunded;
}

function factsOf(
  { finalizedTime, dueDate, periodStart, periodEnd, status }: InvoiceRecord,
  { language, labels }: Formatting,
): LabelledValue[] {
  const day = (time: string | null) => dayOf(time, language);
  const facts: [string, string | null][] = [
    [labels.date, day(finalizedTime)],
    [labels.due, status === 'VOID' ? null : day(dueDate)],
    [labels.period, periodStart && periodEnd && `${day(periodStart)} – ${day(periodEnd)}`],
  ];
  return facts.filter((fact): fact is LabelledValue => fact[1] !== null);
}

function taxOf({ taxRate, taxAmount }: InvoiceRecord['lines'][number], { language, amount }: Formatting): string {
  if (taxRate !== null) return percentIn(language, taxRate);
  return taxAmount === 0 ? '' : amount(taxAmount);
}

function sumsOf(invoice: InvoiceRecord, formatting: Formatting): LabelledValue[] {
  const { labels, price } = formatting;
  const { status, subtotal, total, amountPaid, amountRemaining } = invoice;
  const sums: LabelledValue[] = [
    [labels.subtotal, price(subtotal)],
    ...taxesOf(invoice, formatting),
    [labels.total, price(total)],
  ];
  if (status === 'DRAFT') return sums;
  if (amountPaid > 0) sums.push([labels.paid, price(-amountPaid)]);
  return [...sums, [labels.toPay, price(amountRemaining)]];
}

/** The tax of each rate with its base; taxes given as amounts are summed up in the last entry. */
function taxesOf({ lines }: InvoiceRecord, { language, labels, price, amount: amountOf }: Formatting): LabelledValue[] {
  const rates = [...new Set(lines.flatMap(({ taxRate }) => taxRate ?? []))].sort((a, b) => a - b);
  const withTaxAmount = lines.filter(({ taxRate, taxAmount }) => taxRate === null && taxAmount !== 0);
  const taxes = rates.map((rate): LabelledValue => {
    const withRate = lines.filter(({ taxRate }) => taxRate === rate);
    const base = amountOf(sumOf(withRate.map(({ amount }) => amount)));
    const tax = sumOf(withRate.map(({ taxAmount }) => taxAmount));
    return [labels.taxOf(percentIn(language, rate), base), price(tax)];
  });
  if (withTaxAmount.length > 0 || rates.length === 0)
    taxes.push([labels.tax, price(sumOf(withTaxAmount.map(({ taxAmount }) => taxAmount)))]);
  return taxes;
}

/** In bigint: the lines of one rate can exceed 2^53 − 1 when lines of another rate are credits. */
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);

const dayOf = (time: string | null, language: Language) => (time === null ? null : dayIn(language, time));
