import type { DayRange } from '../../../../core/days.ts';
import { firstUuidAt } from '../../../../core/id.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { ListedRow } from '../record.ts';
import { listAllNewest, listAllOldest, listGroupsNewest, listGroupsOldest } from './list-statements.ts';
import { type Filter, locateInBuckets, locateInDays, type PageLocation } from './page-location.ts';

export interface PageByTotals {
  skip: number;
  take: number;
  /** Whether to read `metadata` and `next_action`. */
  withJson: boolean;
  bucketSize: number;
}

/**
 * One page of payments, newest first, and their exact total. The totals of each day tell which days to skip without
 * reading them; on busy days, buckets are skipped in the same way. The remaining rows are read from the end that is
 * nearer to the page.
 */
export async function readPageByTotals(
  snapshot: Queryable,
  filter: Filter,
  days: DayRange,
  { skip, take, withJson, bucketSize }: PageByTotals,
): Promise<{ rows: ListedRow[]; total: number }> {
  const inDays = await locateInDays(snapshot, filter, days, skip, take);
  const location = isFar(inDays, filter, bucketSize) ? await locateInBuckets(snapshot, filter, inDays) : inDays;
  const rows = location.rows === 0 ? [] : await readPage(snapshot, filter, location, withJson);
  return { rows, total: location.total };
}

/**
 * Whether the page is so far from the nearer end that locating its buckets costs less than reading up to it. Locating
 * them takes a millisecond, mostly for planning. Rows of several groups or tenants are merged, and each of these is
 * read that far, so that buckets pay off sooner.
 */
function isFar(location: PageLocation, filter: Filter, bucketSize: number): boolean {
  const { rows, skip, take } = location;
  const isMerged = !isUnfiltered(filter, location) || filter.tenantIds.length > 1;
  return rows > bucketSize && Math.min(skip, rows - skip - take) > (isMerged ? bucketSize / 16 : bucketSize);
}

const isUnfiltered = ({ channelId, userId, status }: Filter, { hasOtherModes }: PageLocation) =>
  channelId === 0 && userId === 0 && status === '*' && !hasOtherModes;

async function readPage(
  snapshot: Queryable,
  filter: Filter,
  location: PageLocation,
  withJson: boolean,
): Promise<ListedRow[]> {
  const { ranges, rows, skip, take, firstDay, lastDay } = location;
  const skipFromOldest = rows - skip - take;
  const fromNewest = skip <= skipFromOldest;
  const values = [
    ranges.map(({ tenantId }) => tenantId),
    ranges.map(({ fromMs }) => firstUuidAt(fromMs)),
    ranges.map(({ toMs }) => firstUuidAt(toMs)),
    fromNewest ? skip : skipFromOldest,
    take,
    withJson,
  ];
  const { modes, channelId, userId, status } = filter;
  const found = isUnfiltered(filter, location)
    ? await snapshot.run(fromNewest ? listAllNewest : listAllOldest, values)
    : await snapshot.run(fromNewest ? listGroupsNewest : listGroupsOldest, [
        ...values,
        channelId,
        userId,
        status,
        firstDay,
        lastDay,
        modes,
      ]);
  return fromNewest ? found : found.reverse();
}
