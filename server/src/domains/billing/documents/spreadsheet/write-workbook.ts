import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeXlsxStream } from 'hucre/xlsx';
import type { Cell } from './cell.ts';

/** A workbook to write, from rows in a file: one row of cells as JSON on each line. */
export interface WorkbookTask {
  rowsFile: string;
  /** Where to write it. The file exists. */
  target: string;
  /** The name of the sheet. */
  title: string;
  header: string[];
}

/** https://support.microsoft.com/en-us/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3 */
const longestText = 32_767;
const longestTitle = 31;
/** What a double, as spreadsheets use it, keeps of every number. */
const exactDigits = 15;

/** Writes a workbook as its rows are read, so that any number of rows needs little memory. */
export async function writeWorkbook({ rowsFile, target, title, header }: WorkbookTask): Promise<null> {
  const rows = rowsIn(rowsFile);
  const first = await rows.next();
  const columns = header.map((text, i) => ({ header: text, width: 18, numFmt: formatOf(first.value?.[i] ?? null) }));
  const content = writeXlsxStream(sheetRows(first, rows), {
    name: title.slice(0, longestTitle),
    columns: columns.map(({ numFmt, ...column }) => ({ ...column, ...(numFmt !== undefined && { numFmt }) })),
    freezePane: { rows: 1 },
  });
  await pipeline(Readable.fromWeb(content as never), createWriteStream(target, { flags: 'r+' }));
  return null;
}

async function* rowsIn(file: string): AsyncGenerator<Cell[]> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line) as Cell[];
}

async function* sheetRows(first: IteratorResult<Cell[]>, others: AsyncIterable<Cell[]>) {
  if (first.done === true) return;
  yield first.value.map(sheetValue);
  for await (const row of others) yield row.map(sheetValue);
}

/** Numbers with more digits than a spreadsheet keeps are text. */
export function sheetValue(cell: Cell): string | number | Date | null {
  if (cell === null) return null;
  if (typeof cell === 'string') return textOf(cell);
  if ('time' in cell) return new Date(`${cell.time.replace(' ', 'T')}Z`);
  return cell.number.replaceAll(/[^\d]|^0+/g, '').length > exactDigits ? cell.number : Number(cell.number);
}

function formatOf(cell: Cell): string | undefined {
  if (cell === null || typeof cell === 'string') return undefined;
  if ('time' in cell) return 'yyyy-mm-dd hh:mm';
  return cell.number.includes('.') ? '#,##0.00' : undefined;
}

/** What XML 1.0 cannot contain (https://www.w3.org/TR/xml/#charsets). */
const notXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Spreadsheets read `_x0041_` as the character of that number. */
function textOf(text: string): string {
  return text
    .replaceAll(notXml, '')
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .slice(0, longestText);
}
