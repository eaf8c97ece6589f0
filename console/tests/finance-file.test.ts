import { expect, test } from 'vitest';
import { type FileStyle, fileNameOf, financeColumns, financeCsv } from '../src/ui/finance/finance-file.ts';

const text = (key: string, values: object = {}) => [key, ...Object.values(values)].join(' ');
const style = (locale: string): FileStyle => ({ text, locale, timeZone: 'Europe/Berlin' });
const row = {
  id: 'txn_1',
  createdTime: '2026-11-26T23:30:00.000Z',
  status: 'SUCCESS',
  amount: 123_456,
  amountRefunded: 0,
  currency: 'EUR',
  customerId: 7,
  description: '=1+1; "oak"',
  channelName: 'Bank',
  providerReference: null,
};
const names = new Map([[7, 'Müller']]);

test.each([
  ['en', ','],
  ['de', ';'],
])('a file in the formats of %s has major units, names and times of the zone, and no formulas', (locale, separator) => {
  const columns = financeColumns.transaction(style(locale));
  const [header, line] = financeCsv(columns, [row as never], names, style(locale)).split('\r\n');
  expect(header?.charCodeAt(0)).toBe(0xfeff);
  expect(header?.split(separator)).toHaveLength(columns.length);
  const decimal = (whole: string, cents: string) => (locale === 'de' ? `${whole},${cents}` : `${whole}.${cents}`);
  expect(line).toBe(
    [
      ...['2026-11-27 00:30', 'status.SUCCESS'],
      ...[decimal('1234', '56'), decimal('0', '00')],
      ...['EUR', 'Müller', `"'=1+1; ""oak"""`, 'Bank', '', 'txn_1'],
    ].join(separator),
  );
});

test('the file is named by its content and the days of its rows', () => {
  const at = (...times: string[]) => fileNameOf('Payments', times, style('en'));
  expect(at('2026-11-26T23:30:00Z', '2026-11-01T12:00:00Z')).toBe('Payments finance.days 2026-11-01 2026-11-27.csv');
  expect(at('2026-11-26T23:30:00Z')).toBe('Payments 2026-11-27.csv');
  expect(at()).toBe('Payments.csv');
});
