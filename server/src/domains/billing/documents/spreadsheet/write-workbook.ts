import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CellStyle, ColumnDef } from 'hucre';
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
/** Widths are those of the first rows: ids are equally long, and texts are shown up to a limit. */
const rowsMeasured = 10_000;
const longestShown = 60;

/** Writes a workbook as its rows are read, so that any number of rows needs little memory. */
export async function writeWorkbook({ rowsFile, target, title, header }: WorkbookTask): Promise<null> {
  const widths = await widthsOf(header, rowsFile);
  const columns: ColumnDef[] = header.map((text, i) => ({
    header: text,
    width: widths[i] as number,
    style: { font: { bold: true } },
  }));
  const content = writeXlsxStream(sheetRows(rowsIn(rowsFile), columns), {
    name: title.slice(0, longestTitle),
    columns,
    freezePane: { rows: 1 },
  });
  await pipeline(Readable.fromWeb(content as never), createWriteStream(target, { flags: 'r+' }));
  return null;
}

async function* rowsIn(file: string): AsyncGenerator<Cell[]> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line) as Cell[];
}

/** Of each column, in characters: what its header and its first cells need. */
async function widthsOf(header: readonly string[], rowsFile: string): Promise<number[]> {
  const longest = header.map((text) => text.length);
  let count = 0;
  for await (const row of rowsIn(rowsFile)) {
    for (const [i, cell] of row.entries()) longest[i] = Math.max(longest[i] ?? 0, lengthOf(cell));
    if (++count === rowsMeasured) break;
  }
  // Bold letters are wider, and cells have margins.
  return longest.map((length) => Math.min(length, longestShown) * 1.1 + 2);
}

function lengthOf(cell: Cell): number {
  if (cell === null) return 0;
  if (typeof cell === 'string') return cell.length;
  if ('time' in cell) return cell.time.length;
  // With a separator between groups of three.
  return (cell.number.length * 4) / 3;
}

/**
 * The writer knows styles of columns alone, and reads them for each row after it has asked for it: first for the
 * header, then for each of these rows, whose amounts have as many decimals as their currencies.
 */
async function* sheetRows(rows: AsyncIterable<Cell[]>, columns: ColumnDef[]) {
  for await (const row of rows) {
    for (const [i, cell] of row.entries()) Object.assign(columns[i] as ColumnDef, { style: styleOf(cell) });
    yield row.map(sheetValue);
  }
}

/** Numbers with more digits than a spreadsheet keeps are text. */
export function sheetValue(cell: Cell): string | number | Date | null {
  if (cell === null) return null;
  if (typeof cell === 'string') return textOf(cell);
  if ('time' in cell) return new Date(`${cell.time.replace(' ', 'T')}Z`);
  return cell.number.replaceAll(/[^\d]|^0+/g, '').length > exactDigits ? cell.number : Number(cell.number);
}

function styleOf(cell: Cell): CellStyle | undefined {
  if (cell === null || typeof cell === 'string') return undefined;
  if ('time' in cell) return { numFmt: 'yyyy-mm-dd hh:mm' };
  const [, decimals = ''] = cell.number.split('.');
  return { numFmt: decimals === '' ? '#,##0' : `#,##0.${'0'.repeat(decimals.length)}` };
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
