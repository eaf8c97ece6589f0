import { publicId } from '../../../core/id.ts';
import { decimalOf } from '../../../core/money.ts';
import type { ListedPayment } from '../../payments/transactions/record.ts';
import type { Cell } from '../documents/spreadsheet/cell.ts';
import { count, money, timeIn } from './cells.ts';
import type { TaxRow, TransferRow } from './statements.ts';
import { type FinanceText, financeTexts } from './texts.ts';

/** How the cells of a file are written. */
export interface FileStyle {
  language: 'en' | 'de';
  timeZone: string;
}

/** A column: its header, and the cell of a row. `names` are those of customers, by id. */
export type Column<Row> = readonly [header: string, cell: (row: Row, names: ReadonlyMap<number, string>) => Cell];

export interface RefundOfList {
  id: string;
  transactionId: string;
  amount: number;
  currency: string;
  status: string;
  reason: string | null;
  createdTime: string;
  customerId: number | null;
}

export interface InvoiceOfList {
  number: string | null;
  customerId: number;
  status: string;
  currency: string;
  subtotal: number;
  tax: number;
  total: number;
  amountPaid: number;
  amountRemaining: number;
  description: string | null;
  dueDate: string | null;
  createdTime: string;
}

export function paymentColumns(style: FileStyle): Column<ListedPayment>[] {
  const { text, created, customer } = wordsOf(style);
  return [
    created,
    [text('status'), (payment) => text(shownStatus(payment))],
    [text('amount'), ({ amount, currency }) => money(amount, currency)],
    [text('refunded'), ({ amountRefunded, currency }) => money(amountRefunded, currency)],
    [text('currency'), ({ currency }) => currency],
    customer,
    [text('description'), ({ description }) => description],
    [text('channel'), ({ channelName }) => channelName],
    [text('reference'), ({ providerReference }) => providerReference],
    [text('payment'), ({ id }) => id],
  ];
}

/** As the console shows it: the API calls a payment refunded from its first refund on. */
function shownStatus({ status, amount, amountCaptured, amountRefunded }: ListedPayment): FinanceText {
  const isPartly = status === 'REFUNDED' && amountRefunded < (amountCaptured ?? amount);
  return isPartly ? 'PARTLY_REFUNDED' : (status as FinanceText);
}

export function refundColumns(style: FileStyle): Column<RefundOfList>[] {
  const { text, created, customer } = wordsOf(style);
  return [
    created,
    [text('status'), ({ status }) => text(status as FinanceText)],
    [text('amount'), ({ amount, currency }) => money(amount, currency)],
    [text('currency'), ({ currency }) => currency],
    customer,
    [text('reason'), ({ reason }) => reason],
    [text('payment'), ({ transactionId }) => transactionId],
    [text('refund'), ({ id }) => id],
  ];
}

export function invoiceColumns(style: FileStyle): Column<InvoiceOfList>[] {
  const { text, created, customer } = wordsOf(style);
  const amountOf = (name: FinanceText, of: (row: InvoiceOfList) => number): Column<InvoiceOfList> => [
    text(name),
    (row) => money(of(row), row.currency),
  ];
  return [
    [text('number'), ({ number }) => number],
    [text('status'), ({ status }) => text(status as FinanceText)],
    customer,
    created,
    [text('due'), ({ dueDate }) => dueDate],
    amountOf('subtotal', ({ subtotal }) => subtotal),
    amountOf('tax', ({ tax }) => tax),
    amountOf('total', ({ total }) => total),
    amountOf('paid', ({ amountPaid }) => amountPaid),
    amountOf('remaining', ({ amountRemaining }) => amountRemaining),
    [text('currency'), ({ currency }) => currency],
    [text('description'), ({ description }) => description],
  ];
}

/** A transfer is one row: what it takes from the one account it puts into the other. */
export function ledgerColumns(style: FileStyle): Column<TransferRow>[] {
  const { text } = wordsOf(style);
  return [
    [`${text('created')} (${style.timeZone})`, ({ created_at }) => timeIn(created_at, style.timeZone)],
    [text('debit'), ({ debit }) => text(debit as FinanceText)],
    [text('credit'), ({ credit }) => text(credit as FinanceText)],
    [text('amount'), ({ amount, currency }) => money(amount, currency)],
    [text('currency'), ({ currency }) => currency],
    [text('channel'), ({ channel_name }) => channel_name],
    [text('payment'), ({ transaction_id }) => publicId('txn', transaction_id)],
  ];
}

export function taxColumns(style: FileStyle): Column<TaxRow>[] {
  const { text } = wordsOf(style);
  return [
    [text('month'), ({ month }) => month],
    [text('country'), ({ country }) => country],
    [text('rate'), ({ tax_rate }) => (tax_rate === null ? null : { number: decimalOf(tax_rate, 'EUR') })],
    [text('kind'), ({ is_credit }) => text(is_credit ? 'credits' : 'charges')],
    [text('subtotal'), ({ net, currency }) => money(net, currency)],
    [text('tax'), ({ tax, currency }) => money(tax, currency)],
    [text('currency'), ({ currency }) => currency],
    [text('lines'), ({ lines }) => count(lines)],
  ];
}

/** The words of a file's language, and the columns that several files have. */
function wordsOf({ language, timeZone }: FileStyle) {
  const text = (name: FinanceText): string => financeTexts[language][name] ?? name;
  const created: Column<{ createdTime: string }> = [
    `${text('created')} (${timeZone})`,
    ({ createdTime }) => timeIn(createdTime, timeZone),
  ];
  const customer: Column<{ customerId: number | null }> = [
    text('customer'),
    ({ customerId }, names) => (customerId === null ? null : (names.get(customerId) ?? String(customerId))),
  ];
  return { text, created, customer };
}
