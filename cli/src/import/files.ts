import { readFileSync } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';
import { usageFailure } from '../failures.ts';
import { containsCardNumber, namesCardNumbers, refuseCardNumbers } from './card-numbers.ts';

/** A row of a file, and its line there, counted from 1. */
export interface FileRow<Fields> {
  line: number;
  fields: Fields;
}

export type CsvFields = Readonly<Record<string, string>>;
export type JsonFields = Readonly<Record<string, unknown>>;

/** The text of a file in UTF-8, without a byte order mark. */
export function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw usageFailure(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Rows of CSV by the names of their columns. Refuses a file without one of `needed`, and one with card numbers. */
export function csvRows(file: string, text: string, needed: readonly string[]): FileRow<CsvFields>[] {
  const [header, ...rows] = cellsOf(file, text);
  const names = (header?.cells ?? []).map((name) => name.trim());
  const numbers = names.find(namesCardNumbers);
  if (numbers !== undefined) refuseCardNumbers(file, `column ${numbers}`);
  const missing = needed.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw usageFailure(
      `${file} has no column ${missing.join(', ')}. Export all columns in Stripe's Dashboard; ` +
        'files of the API have other columns and other units.',
    );
  }
  return rows.map(({ cells, line }) => {
    const found = cells.findIndex(containsCardNumber);
    if (found >= 0) refuseCardNumbers(file, `line ${line}, column ${names[found] ?? found + 1}`);
    return { line, fields: Object.fromEntries(names.map((name, i) => [name, cells[i]?.trim() ?? ''])) };
  });
}

/** Objects of JSON, one a line. A line may also be a whole list of the API: `{"object":"list","data":[…]}`. */
export function jsonRows(file: string, text: string): FileRow<JsonFields>[] {
  return text.split('\n').flatMap((content, i) => {
    const line = i + 1;
    if (content.trim() === '') return [];
    const value = objectOf(file, line, content);
    const found = cardNumberIn(value);
    if (found !== undefined) refuseCardNumbers(file, `line ${line}, field ${found}`);
    const objects = value.object === 'list' && Array.isArray(value.data) ? (value.data as JsonFields[]) : [value];
    if (value.has_more === true) {
      throw usageFailure(`${file}, line ${line}: the list goes on (has_more): ask for all of its pages.`);
    }
    return objects.map((fields) => ({ line, fields }));
  });
}

interface Cells {
  cells: string[];
  line: number;
}

function cellsOf(file: string, text: string): Cells[] {
  try {
    const options = { info: true, skip_empty_lines: true, max_record_size: 1_000_000 } as const;
    const parsed = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    return parsed.map(({ record, info }) => ({ cells: record, line: info.lines }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw usageFailure(`${file} is not CSV: ${error.message}`);
  }
}

function objectOf(file: string, line: number, content: string): JsonFields {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonFields;
  } catch {
    // Refused below.
  }
  throw usageFailure(`${file}, line ${line}, is not a JSON object. The file must have one object a line.`);
}

/** The path of the first field that holds a card number. */
function cardNumberIn(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string' || typeof value === 'number') {
    return containsCardNumber(String(value)) ? path : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const isFilled = typeof inner === 'string' ? inner !== '' : typeof inner === 'number';
    if (isFilled && namesCardNumbers(name) && /card|source|^number$/.test(at)) return at;
    const found = cardNumberIn(inner, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
