import { Readable } from 'node:stream';
import type { Static } from 'typebox';
import { dayRangeOf, timeRangeOf } from '../../../core/days.ts';
import { invalid } from '../../../core/errors.ts';
import { visibleModes } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { isTimeZone, toWallTime } from '../../../core/time-zone.ts';
import type { Answer, Call } from '../../../platform/http/route.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import { listRefunds } from '../../payments/refunds/list.ts';
import { listTransactions } from '../../payments/transactions/list/list.ts';
import type { ListedPayment } from '../../payments/transactions/record.ts';
import type { BillingApp } from '../app.ts';
import { attachmentNamed } from '../documents/print.ts';
import type { Cell } from '../documents/spreadsheet/cell.ts';
import { listInvoices } from '../invoices/list.ts';
import { csvOf } from './cells.ts';
import {
  type Column,
  type FileStyle,
  type InvoiceOfList,
  invoiceColumns,
  ledgerColumns,
  paymentColumns,
  type RefundOfList,
  refundColumns,
  taxColumns,
} from './reports.ts';
import type { FileQuery, invoicesFile, ledgerFile, paymentsFile, refundsFile, taxesFile } from './schema.ts';
import { findCustomerNames, readTransfers, sumTaxes, type TransferRow } from './statements.ts';
import { type FinanceText, financeTexts } from './texts.ts';

type FileCall<Query> = Pick<Call<unknown, Query>, 'query' | 'principal'>;
type Report = Extract<FinanceText, 'payments' | 'refunds' | 'invoices' | 'ledger' | 'taxes'>;

export const fileTypes = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** Rows of a transfer that are read at once. */
const rowsPerBatch = 1_000;

/** Payments under the filters of their list, newest first. Recorded in the audit log like every export of the list. */
export async function savePayments(
  call: FileCall<Static<typeof paymentsFile>>,
  app: BillingApp,
): Promise<Answer<never>> {
  const withCaptured = { ...call, query: { ...call.query, fields: 'amountCaptured' } };
  const rows = await exported<ListedPayment>(listTransactions, withCaptured, app);
  return fileOf('payments', rows, paymentColumns(styleOf(call.query)), call, app);
}

export async function saveRefunds(call: FileCall<Static<typeof refundsFile>>, app: BillingApp): Promise<Answer<never>> {
  const rows = await exported<RefundOfList>(listRefunds, call, app);
  return fileOf('refunds', rows, refundColumns(styleOf(call.query)), call, app);
}

export async function saveInvoices(
  call: FileCall<Static<typeof invoicesFile>>,
  app: BillingApp,
): Promise<Answer<never>> {
  const rows = await exported<InvoiceOfList>(listInvoices, call, app);
  return fileOf('invoices', rows, invoiceColumns(styleOf(call.query)), call, app);
}

/** The transfers of the ledger, oldest first. */
export async function saveLedger(call: FileCall<Static<typeof ledgerFile>>, app: BillingApp): Promise<Answer<never>> {
  const { query, principal } = call;
  const { startDate, endDate } = dayRangeOf(query.startDate, query.endDate);
  const tenantIds = await listedTenants(app.listDatabase, principal, query.tenantId);
  const modes = visibleModes(principal, query.livemode);
  const filter = [modes, query.currency ?? null, startDate, endDate, query.account ?? null];
  await recordExport('ledger', call, app);
  return fileOf('ledger', transfersOf(tenantIds, filter, app), ledgerColumns(styleOf(query)), call, app);
}

/** Net and tax of invoices by month, country and rate; credits apart. */
export async function saveTaxes(call: FileCall<Static<typeof taxesFile>>, app: BillingApp): Promise<Answer<never>> {
  const { query, principal } = call;
  const { fromMs, toMs } = timeRangeOf(query);
  const tenantIds = await listedTenants(app.listDatabase, principal, query.tenantId);
  const { timeZone } = styleOf(query);
  const values = [tenantIds, visibleModes(principal, query.livemode), query.currency ?? null, fromMs, toMs, timeZone];
  const rows = await app.listDatabase.run(sumTaxes, values);
  await recordExport('taxes', call, app);
  return fileOf('taxes', batchOf(rows), taxColumns(styleOf(query)), call, app);
}

async function* batchOf<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows;
}

/** The rows of a list's export, in batches. */
async function exported<Row>(
  list: (call: never, app: BillingApp) => Promise<Answer<unknown>>,
  { query, principal }: FileCall<FileQuery>,
  app: BillingApp,
): Promise<AsyncIterable<readonly Row[]>> {
  const { format, language, ...filters } = query;
  const call = { query: filters, principal, headers: { accept: 'application/x-ndjson' } };
  const { document } = await list(call as never, app);
  return rowsIn((document as { content: Readable }).content);
}

async function* rowsIn<Row>(ndjson: Readable): AsyncGenerator<readonly Row[]> {
  let rest = '';
  for await (const chunk of ndjson.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield lines.map((line) => JSON.parse(line) as Row);
  }
}

async function* transfersOf(
  tenantIds: readonly number[],
  filter: readonly unknown[],
  { listDatabase }: BillingApp,
): AsyncGenerator<readonly TransferRow[]> {
  for (const tenantId of tenantIds) {
    let after: [string, string, number] | [null, null, null] = [null, null, null];
    for (;;) {
      const rows: TransferRow[] = await listDatabase.run(readTransfers, [tenantId, ...filter, rowsPerBatch, ...after]);
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsPerBatch) break;
      after = [last.created_at, last.source_id, last.leg];
    }
  }
}

async function fileOf<Row extends object>(
  report: Report,
  rows: AsyncIterable<readonly Row[]>,
  columns: readonly Column<Row>[],
  call: FileCall<FileQuery & { startDate?: string; endDate?: string; livemode?: boolean; tenantId?: number }>,
  app: BillingApp,
): Promise<Answer<never>> {
  const { query, principal } = call;
  const { format = 'xlsx', language = 'en' } = query;
  const header = columns.map(([name]) => name);
  const cells = cellsOf(rows, columns, await listedTenants(app.listDatabase, principal, query.tenantId), app);
  const name = fileNameOf(report, query, visibleModes(principal, query.livemode), app.clock());
  const content =
    format === 'csv'
      ? Readable.from(csvIn(header, cells, language), { objectMode: false })
      : await app.pdfRenderer.spreadsheet({
          title: financeTexts[language][report],
          header,
          rows: cells,
          tenantId: principal.tenantId,
        });
  return {
    document: { type: fileTypes[format], content },
    headers: { 'content-disposition': attachmentNamed(`${name}.${format}`), 'x-content-type-options': 'nosniff' },
  };
}

/** With the names of their customers, which are read for each batch. */
async function* cellsOf<Row extends object>(
  rows: AsyncIterable<readonly Row[]>,
  columns: readonly Column<Row>[],
  tenantIds: readonly number[],
  { listDatabase }: BillingApp,
): AsyncGenerator<Cell[][]> {
  for await (const batch of rows) {
    const ids = [...new Set(batch.flatMap((row) => (row as { customerId?: number | null }).customerId ?? []))];
    const found = ids.length === 0 ? [] : await listDatabase.run(findCustomerNames, [tenantIds, ids]);
    const names = new Map(found.map(({ id, name }) => [id, name]));
    yield batch.map((row) => columns.map(([, cell]) => cell(row, names)));
  }
}

/** Spreadsheets know UTF-8 by its mark. */
async function* csvIn(
  header: readonly string[],
  batches: AsyncIterable<Cell[][]>,
  language: 'en' | 'de',
): AsyncGenerator<string> {
  yield `\ufeff${csvOf(header, language)}`;
  for await (const batch of batches) yield batch.map((cells) => csvOf(cells, language)).join('');
}

function styleOf({ language = 'en', timeZone = 'UTC' }: FileQuery): FileStyle {
  if (!isTimeZone(timeZone)) throw invalid('timeZone', rule('time_zone'));
  return { language, timeZone };
}

/**
 * `Payments 2026-11-01 to 2026-11-27`, `Taxes until 2026-11-27 (test)`: what is in it, and the first and the last day
 * of its range in its time zone. A range without an end ends today.
 */
function fileNameOf(
  report: Report,
  query: FileQuery & { startDate?: string; endDate?: string },
  modes: readonly boolean[],
  nowMs: number,
): string {
  const { language = 'en', timeZone = 'UTC', startDate, endDate } = query;
  const text = financeTexts[language];
  // The ledger has UTC days, whatever the zone of the times shown.
  const zone = report === 'ledger' ? 'UTC' : timeZone;
  const { fromMs, toMs } = timeRangeOf({ ...query, timeZone: zone });
  const dayIn = (atMs: number) => new Date(toWallTime(atMs, zone)).toISOString().slice(0, 10);
  const to = dayIn(endDate === undefined ? nowMs : toMs - 1);
  const from = dayIn(fromMs);
  const days = startDate === undefined ? [text.until, to] : from >= to ? [from] : [from, text.to, to];
  return [text[report], ...days, ...(modes.includes(true) ? [] : [`(${text.test})`])].join(' ');
}

async function recordExport(
  report: Report,
  { query, principal }: FileCall<FileQuery>,
  { database }: BillingApp,
): Promise<void> {
  const { format = 'xlsx', language, ...filters } = query;
  await database.transaction((transaction) =>
    appendAudit(transaction, principal as Principal, {
      action: 'finance.export',
      tenantId: principal.tenantId,
      details: { report, format, filters },
    }),
  );
}
