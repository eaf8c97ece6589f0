import { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import { csvLine } from '../../core/csv.ts';
import { invalid } from '../../core/errors.ts';
import { defaultPageSize } from '../../core/page.ts';
import { rule } from '../../core/refusal-rules.ts';
import type { CursorList, List, Paging, Rows } from './list.ts';

/** The media types in which lists are exported. */
export const exportTypes = ['text/csv', 'application/x-ndjson'] as const;
export type ExportType = (typeof exportTypes)[number];

/** The part of a list's description that is about its export. */
export const exportText =
  'With `Accept: text/csv` or `Accept: application/x-ndjson` the answer is all rows under the filters, ' +
  'as a stream instead ' +
  'of a page; `X-Total-Count` has their number where a page has a `total`. Refusals use the envelope. ' +
  'The export is recorded ' +
  'in the audit log.';

/** The header of an export with the number of its rows, by which a client shows its progress. */
export const totalHeader = 'x-total-count';

/**
 * The export that a request accepts, by the highest weight in its Accept header (RFC 9110, 12.5.1); undefined for JSON,
 * which is also sent for unknown types.
 */
export function exportTypeOf(accept = ''): ExportType | undefined {
  const [preferred] = accept
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range
        .toLowerCase()
        .split(';')
        .map((part) => part.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { type, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ type, weight }) => weight > 0 && ['application/json', '*/*', ...exportTypes].includes(type))
    .toSorted((one, other) => other.weight - one.weight);
  return exportTypes.find((type) => type === preferred?.type);
}

/** How the rows of a list are written. */
export interface ExportFormat<Row> {
  /** The names of the columns, and the values of a row in their order. */
  columns: readonly string[];
  cellsOf: (row: Row) => readonly unknown[];
  /** A row as JSON on one line. */
  jsonOf: (row: Row) => string;
}

/** The format of rows that are shown as records: a column for each field. */
export function recordFormat<Row>(columns: readonly string[], recordOf: (row: Row) => object): ExportFormat<Row> {
  const named = (row: Row) => recordOf(row) as Readonly<Record<string, unknown>>;
  return {
    columns,
    cellsOf: (row) => {
      const record = named(row);
      return columns.map((name) => record[name]);
    },
    jsonOf: (row) => JSON.stringify(recordOf(row)),
  };
}

/** The required fields of a record, and those of the optional ones that are named. */
export function columnsOf(record: TSchema, further: readonly string[]): string[] {
  const { properties = {}, required = [] } = record as { properties?: object; required?: string[] };
  return Object.keys(properties).filter((name) => required.includes(name) || further.includes(name));
}

/** An export has all rows and cannot be paged. */
export function refusePaging({ page = 1, pageSize = defaultPageSize, cursor }: Paging): void {
  const field =
    cursor !== undefined ? 'cursor' : page !== 1 ? 'page' : pageSize !== defaultPageSize ? 'pageSize' : undefined;
  if (field !== undefined) throw invalid(field, rule('not_for_export'));
}

const rowsPerBatch = 1_000;

/**
 * The number of rows that an export will have; undefined if the list does not count them, or the export starts at
 * `after`.
 */
export async function totalOf(
  list: List<unknown> | CursorList<unknown>,
  { after }: Paging,
): Promise<number | undefined> {
  if (!('readPage' in list) || list.uncounted !== undefined || after !== undefined) return undefined;
  return (await list.readPage(0, 1)).total;
}

/**
 * All rows of a list, newest first, as a stream; with `belowKey` those below it, and no header line in a CSV, so that
 * they can be appended to the rows received before. The first batch is read at once, so that a failure is refused as
 * usual. Each further batch is read when the client has received the one before: an export of any size needs little
 * memory, holds no connection between batches, and ends when the client disconnects.
 */
export async function exportOf<Row>(
  list: Pick<List<Row>, 'read'>,
  type: ExportType,
  format: ExportFormat<Row>,
  belowKey?: string,
): Promise<Readable> {
  const first = await list.read({ belowKey, take: rowsPerBatch });
  const header = type === 'text/csv' && belowKey === undefined ? csvLine(format.columns) : '';
  return Readable.from(batchesOf(list, first, type, format, header), { objectMode: false });
}

async function* batchesOf<Row>(
  { read }: Pick<List<Row>, 'read'>,
  first: Rows<Row>,
  type: ExportType,
  { cellsOf, jsonOf }: ExportFormat<Row>,
  header: string,
): AsyncGenerator<string> {
  const textOf = type === 'text/csv' ? (row: Row) => csvLine(cellsOf(row)) : (row: Row) => `${jsonOf(row)}\n`;
  if (header !== '') yield header;
  for (let batch = first; ; batch = await read({ belowKey: batch.nextKey, take: rowsPerBatch })) {
    if (batch.rows.length > 0) yield batch.rows.map(textOf).join('');
    if (batch.nextKey === undefined) return;
  }
}
