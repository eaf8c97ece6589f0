import { integerOf } from '../../../platform/lists/search.ts';

/** Live and test invoices have separate numbers. */
export type NumberSeries = 'INV' | 'TEST';
export const seriesOf = (livemode: boolean): NumberSeries => (livemode ? 'INV' : 'TEST');

/** An invoice number as clients see it: INV-000001. */
export const numberText = (number: number, series: NumberSeries) => `${series}-${String(number).padStart(6, '0')}`;

/** Parses an invoice number such as INV-000001; null: the text is none. */
export function numberOf(text: string): { series: string | null; number: number | null } {
  const [, series = '', digits = ''] = /^(INV|TEST)-(\d{6,16})$/i.exec(text) ?? [];
  const number = integerOf(digits);
  return { series: number === null ? null : series.toUpperCase(), number };
}
