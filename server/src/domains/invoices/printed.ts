import { decimalOf } from '../../vocabulary/money.ts';
import type { InvoiceRecord } from './record.ts';

/** What stands on paper, whatever the paper is. */
export interface PrintedInvoice {
  title: string;
  seller: string;
  /** Name, address and e-mail address of who is to pay. */
  buyer: string[];
  /** Labels and what stands beside them. */
  facts: [label: string, value: string][];
  description: string | null;
  lines: { description: string; quantity: string; unitPrice: string; tax: string; amount: string }[];
  sums: [label: string, value: string][];
  /** Of the file: when what it shows last changed. */
  changed: Date;
}

const titleOfStatus = {
  DRAFT: 'Draft',
  OPEN: 'Invoice',
  PAID: 'Invoice',
  VOID: 'Void invoice',
  UNCOLLECTIBLE: 'Invoice',
};

/** An invoice in the words and figures that are printed. */
export function printedOf(invoice: InvoiceRecord, seller: string, buyer: string[]): PrintedInvoice {
  const { currency, finalizedTime, dueDate, paidTime, periodStart, periodEnd, amountPaid, status } = invoice;
  const price = (amount: number) => `${priceOf(amount, currency)} ${currency}`;
  const facts: [string, string | null][] = [
    ['Number', invoice.number],
    ['Date', dayOf(finalizedTime)],
    ['Due', dueDate],
    ['Period', periodStart && periodEnd && `${dayOf(periodStart)} – ${dayOf(periodEnd)}`],
    ['Paid on', dayOf(paidTime)],
  ];
  return {
    title: [titleOfStatus[status], invoice.number].filter(Boolean).join(' '),
    seller,
    buyer,
    facts: facts.filter((fact): fact is [string, string] => !!fact[1]),
    description: invoice.description,
    lines: invoice.lines.map((line) => ({
      description: line.description,
      quantity: String(line.quantity),
      unitPrice: priceOf(line.unitAmount, currency),
      tax:
        line.taxRate === null
          ? line.taxAmount === 0
            ? ''
            : priceOf(line.taxAmount, currency)
          : percentOf(line.taxRate),
      amount: priceOf(line.amount, currency),
    })),
    sums: [
      ['Subtotal', price(invoice.subtotal)],
      ['Tax', price(invoice.tax)],
      ['Total', price(invoice.total)],
      ...(amountPaid > 0 ? ([['Paid', price(amountPaid)]] as [string, string][]) : []),
      ['To pay', price(invoice.amountRemaining)],
    ],
    changed: new Date(invoice.updatedTime),
  };
}

const dayOf = (time: string | null) => time?.slice(0, 10) ?? null;

function priceOf(amount: number, currency: string): string {
  return `${amount < 0 ? '−' : ''}${decimalOf(Math.abs(amount), currency)}`;
}

/** 1900 basis points → `19 %`; 725 → `7.25 %`. */
function percentOf(basisPoints: number): string {
  const fraction = String(basisPoints % 100)
    .padStart(2, '0')
    .replace(/0+$/, '');
  return `${Math.floor(basisPoints / 100)}${fraction === '' ? '' : `.${fraction}`} %`;
}
