import type { Static } from 'typebox';
import type { Principal } from '../../../core/principal.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import type { PaymentsApp } from '../app.ts';
import type { TransactionStatus } from '../transactions/states.ts';
import { daysOf, everyDayOf, filterOf, ratesOf, sumsOf } from './rules.ts';
import type { seriesQuery, seriesRow } from './schema.ts';
import { type CellRow, type ChargeRow, findCells, findCharges } from './statements.ts';
import { modeOf } from './summary.ts';

type Row = Static<typeof seriesRow>;
type GroupBy = NonNullable<Static<typeof seriesQuery>['groupBy']>;

/** The channel id, status or currency of a row; '' without grouping. */
type Group = string | number;

/**
 * The figures of the summary for each day. Without grouping, every day has a row, even without payments. With grouping,
 * each group has a row on the days on which it has payments or charges.
 */
export async function seriesOf(
  query: Static<typeof seriesQuery>,
  principal: Principal,
  { database, channels, clock }: Pick<PaymentsApp, 'database' | 'channels' | 'clock'>,
): Promise<Row[]> {
  const { groupBy } = query;
  const days = daysOf(query, clock());
  const everyDay = everyDayOf(days);
  const livemode = await modeOf(query, principal, channels);
  const { cells, charges } = await database.snapshot(async (snapshot) => {
    const filter = filterOf(query, days, await listedTenants(snapshot, principal, query.tenantId), livemode);
    const by = { day: true, channel: groupBy === 'channel', status: groupBy === 'status' };
    return { cells: await findCells(snapshot, filter, by), charges: await findCharges(snapshot, filter, by) };
  });
  const cellsOf = Map.groupBy(cells, (cell) => rowKeyOf(cell.day, groupOf(cell, groupBy)));
  const chargesOf = charges && Map.groupBy(charges, (charge) => rowKeyOf(charge.day, groupOf(charge, groupBy)));
  const groups = groupBy === undefined ? [''] : groupsOf([...cells, ...(charges ?? [])], groupBy);
  const rows: Row[] = [];
  for (const day of everyDay) {
    for (const group of groups) {
      const key = rowKeyOf(day, group);
      const [dayCells, dayCharges] = [cellsOf.get(key), chargesOf?.get(key)];
      if (groupBy !== undefined && dayCells === undefined && dayCharges === undefined) continue;
      const rates = ratesOf(chargesOf && (dayCharges ?? []));
      rows.push({ day, ...(await groupFields(group)), ...sumsOf(dayCells ?? []), ...rates });
    }
  }
  return rows;

  async function groupFields(group: Group): Promise<Partial<Row>> {
    if (groupBy === 'status') return { status: group as TransactionStatus };
    if (groupBy === 'currency') return { currency: group as string };
    if (groupBy === undefined) return {};
    const channelId = group as number;
    return { channelId, channelName: (await channels.find(channelId))?.name ?? '' };
  }
}

function groupsOf(rows: readonly (CellRow | ChargeRow)[], groupBy: GroupBy): Group[] {
  return [...new Set(rows.map((row) => groupOf(row, groupBy)))].sort((a, b) => (a < b ? -1 : 1));
}

function groupOf(row: CellRow | ChargeRow, groupBy: GroupBy | undefined): Group {
  if (groupBy === 'channel') return row.channel_id;
  if (groupBy === 'currency') return row.currency;
  return groupBy === 'status' && 'status' in row ? row.status : '';
}

const rowKeyOf = (day: string | null, group: Group) => `${day} ${group}`;
