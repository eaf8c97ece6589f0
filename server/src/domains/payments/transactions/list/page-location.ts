import { dayMs } from '../../../../core/clock.ts';
import type { DayRange } from '../../../../core/days.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { type DaysRow, locateBuckets, locateDays, type RangeRow } from './page-location-statements.ts';

/** The filter of the list. 0 and '*' mean all, as in transaction_total. */
export interface Filter {
  tenantIds: number[];
  modes: boolean[];
  channelId: number;
  userId: number;
  status: string;
}

/** The location of a page: a time range for each tenant, and how many rows in these ranges precede the page. */
export interface PageLocation {
  /** Rows that match the filter. */
  total: number;
  ranges: TimeRange[];
  /** Rows that match the filter in all ranges together. */
  rows: number;
  /** Rows in the ranges that are newer than the page. */
  skip: number;
  /** Rows on the page. */
  take: number;
  /**
   * Whether payments of other modes were created on the days of the ranges, so that the filter by mode excludes some.
   */
  hasOtherModes: boolean;
  /** The first and last day of the ranges. */
  firstDay: string;
  lastDay: string;
}

export interface TimeRange {
  tenantId: number;
  fromMs: number;
  /** Exclusive. */
  toMs: number;
}

/** Locates rows `offset` to `offset` + `pageSize`, newest first, in whole days. */
export async function locateInDays(
  snapshot: Queryable,
  { tenantIds, modes, channelId, userId, status }: Filter,
  { startDate, endDate }: DayRange,
  offset: number,
  pageSize: number,
): Promise<PageLocation> {
  const [row] = await snapshot.run(locateDays, [
    tenantIds,
    channelId,
    userId,
    status,
    startDate,
    endDate,
    offset,
    pageSize,
    modes,
    [true, false].filter((livemode) => !modes.includes(livemode)),
  ]);
  const { total, first_day, last_day, rows, skip, has_other_modes: hasOtherModes } = row as DaysRow;
  const [firstDay, lastDay] = [first_day ?? startDate, last_day ?? endDate];
  const [fromMs, toMs] = [Date.parse(firstDay), Date.parse(lastDay) + dayMs];
  const ranges = tenantIds.map((tenantId) => ({ tenantId, fromMs, toMs }));
  return { total, ranges, rows, skip, take: Math.min(pageSize, rows - skip), hasOtherModes, firstDay, lastDay };
}

/** Narrows a location in days to buckets of these days. */
export async function locateInBuckets(
  snapshot: Queryable,
  { tenantIds, modes, channelId, userId, status }: Filter,
  location: PageLocation,
): Promise<PageLocation> {
  const { firstDay, lastDay, skip, take } = location;
  const found = await snapshot.run(locateBuckets, [
    tenantIds,
    channelId,
    userId,
    status,
    firstDay,
    lastDay,
    skip,
    take,
    modes,
  ]);
  const ranges = found.map((row) => ({
    tenantId: row.tenant_id,
    fromMs: Date.parse(row.from_time),
    toMs: Date.parse(row.to_time),
  }));
  const [first] = found as [RangeRow];
  return { ...location, ranges, rows: first.rows, skip: first.skip };
}
