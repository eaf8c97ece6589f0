import { csvLine } from '@florin/server/core/csv.ts';
import { decimalOf } from '@florin/server/core/money.ts';
import type { InvoiceListItem, RefundListItem, TransactionListItem } from '../../../../sdk/src/generated/api.ts';
import { localTimeOf } from '../../format/zone.ts';
import type { TextKey } from '../../text/texts.ts';

/** How a file is written: in the language, the formats and the time zone of the user. */
export interface FileStyle {
  text: (key: TextKey, values?: Record<string, string>) => string;
  locale: string;
  timeZone: string;
}

type Cell<Row> = (row: Row, names: ReadonlyMap<number, string>) => string | number | null;
export type FinanceColumns<Row> = readonly (readonly [header: string, cell: Cell<Row>])[];

/** Lists that have a file for finance, by the part of their path. */
export const financeColumns = {
  transaction: (style: FileStyle): FinanceColumns<TransactionListItem> => {
    const { text } = style;
    return [
      [`${text('payments.created')} (${style.timeZone})`, ({ createdTime }) => timeIn(createdTime, style)],
      [text('payments.status'), ({ status }) => text(`status.${status}` as TextKey)],
      [text('payments.amount'), ({ amount, currency }) => majorUnits(amount, currency, style)],
      [text('payment.refunded'), ({ amountRefunded, currency }) => majorUnits(amountRefunded, currency, style)],
      [text('ledger.currency'), ({ currency }) => currency],
      [text('payment.customer'), ({ customerId }, names) => nameOf(customerId, names)],
      [text('payments.description'), ({ description }) => description],
      [text('payments.channel'), ({ channelName }) => channelName],
      [text('payment.reference'), ({ providerReference }) => providerReference],
      [text('payment.title'), ({ id }) => id],
    ];
  },
  refund: (style: FileStyle): FinanceColumns<RefundListItem> => {
    const { text } = style;
    return [
      [`${text('payments.created')} (${style.timeZone})`, ({ createdTime }) => timeIn(createdTime, style)],
      [text('payments.status'), ({ status }) => text(`status.${status}` as TextKey)],
      [text('payments.amount'), ({ amount, currency }) => majorUnits(amount, currency, style)],
      [text('ledger.currency'), ({ currency }) => currency],
      [text('payment.reason'), ({ reason }) => reason],
      [text('payment.title'), ({ transactionId }) => transactionId],
      [text('refunds.one'), ({ id }) => id],
    ];
  },
  invoice: (style: FileStyle): FinanceColumns<InvoiceListItem> => {
    const { text } = style;
    return [
      [text('invoices.number'), ({ number }) => number],
      [text('payments.status'), ({ status }) => text(`status.${status}` as TextKey)],
      [text('payment.customer'), ({ customerId }, names) => nameOf(customerId, names)],
      [`${text('payments.created')} (${style.timeZone})`, ({ createdTime }) => timeIn(createdTime, style)],
      [text('invoices.due'), ({ dueDate }) => dueDate],
      [text('invoices.subtotal'), ({ subtotal, currency }) => majorUnits(subtotal, currency, style)],
      [text('invoices.tax'), ({ tax, currency }) => majorUnits(tax, currency, style)],
      [text('invoices.total'), ({ total, currency }) => majorUnits(total, currency, style)],
      [text('invoices.paid'), ({ amountPaid, currency }) => majorUnits(amountPaid, currency, style)],
      [text('invoices.remaining'), ({ amountRemaining, currency }) => majorUnits(amountRemaining, currency, style)],
      [text('ledger.currency'), ({ currency }) => currency],
      [text('payments.description'), ({ description }) => description],
    ];
  },
} as const;

export type FinanceList = keyof typeof financeColumns;

/** Spreadsheets that write a comma in numbers expect semicolons between cells. They know UTF-8 by its mark. */
export function financeCsv<Row>(
  columns: FinanceColumns<Row>,
  rows: readonly Row[],
  names: ReadonlyMap<number, string>,
  { locale }: Pick<FileStyle, 'locale'>,
): string {
  const separator = decimalSignOf(locale) === ',' ? ';' : ',';
  const lines = [columns.map(([header]) => header), ...rows.map((row) => columns.map(([, cell]) => cell(row, names)))];
  return `\ufeff${lines.map((cells) => csvLine(cells, separator)).join('')}`;
}

/** `Payments 2026-11-01 to 2026-11-27.csv`: the days of its rows in the zone of the user. */
export function fileNameOf(title: string, times: readonly string[], { text, timeZone }: FileStyle): string {
  const days = times.map((time) => localTimeOf(time, timeZone).slice(0, 10)).sort();
  const [from, to] = [days[0], days.at(-1)];
  if (from === undefined || to === undefined) return `${title}.csv`;
  return from === to ? `${title} ${from}.csv` : `${title} ${text('finance.days', { from, to })}.csv`;
}

/** With the decimal sign of the chosen format, and without groups, so that a spreadsheet reads a number. */
function majorUnits(amount: number, currency: string, { locale }: FileStyle): string {
  const decimal = decimalOf(Math.abs(amount), currency).replace('.', decimalSignOf(locale));
  return amount < 0 ? `-${decimal}` : decimal;
}

function decimalSignOf(locale: string): string {
  const sign = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value;
  return sign === ',' ? ',' : '.';
}

const timeIn = (time: string, { timeZone }: FileStyle) => localTimeOf(time, timeZone).replace('T', ' ');

const nameOf = (id: number | null, names: ReadonlyMap<number, string>) => (id === null ? null : (names.get(id) ?? id));
