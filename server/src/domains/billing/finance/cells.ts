import { CsvNumber, csvLine } from '../../../core/csv.ts';
import { decimalOf } from '../../../core/money.ts';
import { toWallTime } from '../../../core/time-zone.ts';
import type { Cell } from '../documents/spreadsheet/cell.ts';

export const money = (amount: number | string, currency: string): Cell => ({
  number: decimalOf(typeof amount === 'string' ? BigInt(amount) : amount, currency),
});

export const count = (value: number): Cell => ({ number: String(value) });

export function timeIn(time: string, timeZone: string): Cell {
  const wall = new Date(toWallTime(Date.parse(time), timeZone)).toISOString();
  return { time: wall.slice(0, 16).replace('T', ' ') };
}

/** Spreadsheets that write a comma in numbers expect semicolons between cells. */
export function csvOf(cells: readonly Cell[], language: 'en' | 'de'): string {
  const isGerman = language === 'de';
  const values = cells.map((cell) => {
    if (cell === null || typeof cell === 'string') return cell;
    if ('time' in cell) return cell.time;
    return new CsvNumber(isGerman ? cell.number.replace('.', ',') : cell.number);
  });
  return csvLine(values, isGerman ? ';' : ',');
}
