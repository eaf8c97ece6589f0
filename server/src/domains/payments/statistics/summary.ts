import type { Static } from 'typebox';
import type { Principal } from '../../../core/principal.ts';
import { tenantsSeen } from '../../identity/tenants/visible-tenants.ts';
import { transactionStatuses } from '../transactions/states.ts';
import type { StatisticsDeps } from './deps.ts';
import { daysOf, filterOf, ratesOf, sumsOf } from './rules.ts';
import type { summary, summaryQuery } from './schema.ts';
import { type CellRow, type ChargeRow, findCells, findCharges } from './statements.ts';

/** Payments of the days asked for, in all, by status and by channel, and what became of charges: all of one moment. */
export async function summaryOf(
  query: Static<typeof summaryQuery>,
  principal: Principal,
  { database, channels, clock }: StatisticsDeps,
): Promise<Static<typeof summary>> {
  const days = daysOf(query, clock());
  const found = await database.snapshot(async (moment) => {
    const filter = filterOf(query, days, await tenantsSeen(moment, principal));
    return {
      all: await findCells(moment, filter, {}),
      byStatus: await findCells(moment, filter, { status: true }),
      byChannel: await findCells(moment, filter, { channel: true }),
      charges: await findCharges(moment, filter, { channel: true }),
    };
  });
  const cellsOf = Map.groupBy(found.byStatus, ({ status }) => status);
  return {
    ...days,
    ...sumsOf(found.all),
    ...ratesOf(found.charges),
    statuses: transactionStatuses
      .filter((status) => cellsOf.has(status))
      .map((status) => ({ status, ...sumsOf(cellsOf.get(status) ?? []) })),
    channels: await Promise.all(
      channelsOf(found.byChannel, found.charges).map(async ({ id, cells, charges }) => ({
        channelId: id,
        channelName: (await channels.find(id))?.name ?? '',
        ...sumsOf(cells),
        ...ratesOf(charges),
      })),
    ),
  };
}

/** Every channel with payments of its own or charges tried: one to fall back on may have charges alone. */
function channelsOf(cells: readonly CellRow[], charges: readonly ChargeRow[] | null) {
  const cellsOf = Map.groupBy(cells, ({ channel_id }) => channel_id);
  const chargesOf = Map.groupBy(charges ?? [], ({ channel_id }) => channel_id);
  const ids = [...new Set([...cellsOf.keys(), ...chargesOf.keys()])].sort((a, b) => a - b);
  return ids.map((id) => ({
    id,
    cells: cellsOf.get(id) ?? [],
    charges: charges === null ? null : (chargesOf.get(id) ?? []),
  }));
}
