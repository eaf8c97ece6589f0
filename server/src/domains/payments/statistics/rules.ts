import type { Static } from 'typebox';
import { dayMs, utcDay } from '../../../core/clock.ts';
import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { summary, summaryQuery } from './schema.ts';
import type { CellRow, ChargeRow, DisputesRow, Filter } from './statements.ts';

type Summary = Static<typeof summary>;
export type Sums = Pick<Summary, 'count' | 'amounts'>;
export type Rates = Pick<Summary, 'charges' | 'successRate'>;

const defaultDays = 30;
/** Days in a series: a leap year. */
const maximumDays = 366;
/** The earliest day that startDate defaults to. */
const firstDay = '0001-01-01';

export interface Days {
  startDate: string;
  endDate: string;
}

/**
 * The days of the query: whole UTC days, both inclusive. Default: 30 days, up to today. Refuses a start after the end.
 */
export function daysOf(query: Static<typeof summaryQuery>, nowMs: number): Days {
  const endDate = query.endDate ?? utcDay(nowMs);
  const startDate = query.startDate ?? daysBefore(endDate, defaultDays - 1);
  if (startDate > endDate) {
    throw invalid('startDate', rule('not_after_today', { other: 'endDate' }));
  }
  return { startDate, endDate };
}

function daysBefore(day: string, count: number): string {
  const earlier = utcDay(Date.parse(day) - count * dayMs);
  return earlier < firstDay ? firstDay : earlier;
}

/** Every day from the first to the last. Refuses more than 366. */
export function everyDayOf({ startDate, endDate }: Days): string[] {
  const count = (Date.parse(endDate) - Date.parse(startDate)) / dayMs + 1;
  if (count > maximumDays) {
    throw invalid('startDate', rule('series_too_long', { limit: maximumDays }));
  }
  return Array.from({ length: count }, (_, i) => utcDay(Date.parse(startDate) + i * dayMs));
}

export function filterOf(
  query: Static<typeof summaryQuery>,
  days: Days,
  tenantIds: number[],
  livemode: boolean,
): Filter {
  const { channelId = 0, userId = 0, status = '*', currency = '*' } = query;
  return { tenantIds, livemode, channelId, userId, status, currency, ...days };
}

/** Counts and amounts by currency; each cell has another currency. */
export function sumsOf(cells: readonly CellRow[]): Sums {
  return {
    count: cells.reduce((sum, cell) => sum + cell.count, 0),
    amounts: cells.map(({ currency, count, amount }) => ({ currency, count, amount })),
  };
}

/** Results of charges and their success rate; null if the filter is not one by which charges are counted. */
export function ratesOf(rows: readonly Pick<ChargeRow, 'outcome' | 'count'>[] | null): Rates {
  if (rows === null) return { charges: null, successRate: null };
  const of = (outcome: ChargeRow['outcome']) =>
    rows.reduce((sum, row) => sum + (row.outcome === outcome ? row.count : 0), 0);
  const charges = { succeeded: of('SUCCEEDED'), failed: of('FAILED'), cancelled: of('CANCELLED') };
  return { charges, successRate: share(charges.succeeded, charges.succeeded + charges.failed) };
}

/** Disputes and their share of the charges that succeeded; null as above. */
export function disputeRateOf(
  rows: readonly DisputesRow[] | null,
  charges: readonly ChargeRow[] | null,
): Pick<Summary, 'disputes' | 'disputeRate'> {
  if (rows === null) return { disputes: null, disputeRate: null };
  const disputes = rows.reduce((sum, { count }) => sum + count, 0);
  return { disputes, disputeRate: share(disputes, ratesOf(charges).charges?.succeeded ?? 0) };
}

/** Rounded to four digits; null of nothing. */
const share = (part: number, whole: number) => (whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000);
