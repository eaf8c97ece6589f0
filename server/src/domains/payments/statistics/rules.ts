import type { Static } from 'typebox';
import { dayMs, utcDay } from '../../../core/clock.ts';
import { invalid } from '../../../core/errors.ts';
import type { summary, summaryQuery } from './schema.ts';
import type { CellRow, ChargeRow, Filter } from './statements.ts';

type Summary = Static<typeof summary>;
/** Payments and their money; the schema says what of it is what. */
export type Sums = Pick<Summary, 'count' | 'amounts'>;
export type Rates = Pick<Summary, 'charges' | 'successRate'>;

const defaultDays = 30;
/** Days in a series at most: a year. */
const maximumDays = 366;
/** The first day that the database knows. */
const firstDay = '0001-01-01';

export interface Days {
  startDate: string;
  endDate: string;
}

/** The days asked for, whole and in UTC, both inclusive: the last 30 unless said otherwise. */
export function daysOf(query: Static<typeof summaryQuery>, nowMs: number): Days {
  const endDate = query.endDate ?? utcDay(nowMs);
  const startDate = query.startDate ?? daysBefore(endDate, defaultDays - 1);
  if (startDate > endDate) {
    throw invalid('startDate', 'startDate must not be after endDate, which is today unless you name one.');
  }
  return { startDate, endDate };
}

function daysBefore(day: string, count: number): string {
  const earlier = utcDay(Date.parse(day) - count * dayMs);
  return earlier < firstDay ? firstDay : earlier;
}

/** Every day from the first to the last; refused when they are too many for a series. */
export function everyDayOf({ startDate, endDate }: Days): string[] {
  const count = (Date.parse(endDate) - Date.parse(startDate)) / dayMs + 1;
  if (count > maximumDays) {
    throw invalid('startDate', `A series holds at most ${maximumDays} days; name a later startDate.`);
  }
  return Array.from({ length: count }, (_, i) => utcDay(Date.parse(startDate) + i * dayMs));
}

export function filterOf(query: Static<typeof summaryQuery>, days: Days, tenantIds: number[]): Filter {
  const { channelId = 0, userId = 0, status = '*', currency = '*' } = query;
  return { tenantIds, channelId, userId, status, currency, ...days };
}

/** Counts and amounts of cells, of which no two are of the same currency. */
export function sumsOf(cells: readonly CellRow[]): Sums {
  return {
    count: cells.reduce((sum, cell) => sum + cell.count, 0),
    amounts: cells.map(({ currency, count, amount }) => ({ currency, count, amount })),
  };
}

/** What became of charges; null where they are not counted by what was asked for. */
export function ratesOf(rows: readonly ChargeRow[] | null): Rates {
  if (rows === null) return { charges: null, successRate: null };
  const of = (outcome: ChargeRow['outcome']) =>
    rows.reduce((sum, row) => sum + (row.outcome === outcome ? row.count : 0), 0);
  const charges = { succeeded: of('SUCCEEDED'), failed: of('FAILED'), cancelled: of('CANCELLED') };
  const tried = charges.succeeded + charges.failed;
  return { charges, successRate: tried === 0 ? null : Math.round((charges.succeeded / tried) * 10_000) / 10_000 };
}
