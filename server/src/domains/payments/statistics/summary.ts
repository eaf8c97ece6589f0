import type { Static } from 'typebox';
import type { Principal } from '../../../core/principal.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import type { PaymentsApp } from '../app.ts';
import { maySee } from '../channels/rules.ts';
import { transactionStatuses } from '../transactions/states.ts';
import { daysOf, disputeRateOf, filterOf, ratesOf, sumsOf } from './rules.ts';
import type { summary, summaryQuery } from './schema.ts';
import { type CellRow, type ChargeRow, type DisputesRow, findCells, findCharges, findDisputes } from './statements.ts';

/** Payments and charges of the days: in total, by status and by channel. All figures are from one snapshot. */
export async function summaryOf(
  query: Static<typeof summaryQuery>,
  principal: Principal,
  { database, channels, clock }: Pick<PaymentsApp, 'database' | 'channels' | 'clock'>,
): Promise<Static<typeof summary>> {
  const days = daysOf(query, clock());
  const livemode = await modeOf(query, principal, channels);
  const found = await database.snapshot(async (snapshot) => {
    const filter = filterOf(query, days, await listedTenants(snapshot, principal, query.tenantId), livemode);
    return {
      all: await findCells(snapshot, filter, {}),
      byStatus: await findCells(snapshot, filter, { status: true }),
      byChannel: await findCells(snapshot, filter, { channel: true }),
      charges: await findCharges(snapshot, filter, { channel: true }),
      disputes: await findDisputes(snapshot, filter),
    };
  });
  const cellsOf = Map.groupBy(found.byStatus, ({ status }) => status);
  return {
    livemode,
    ...days,
    ...sumsOf(found.all),
    ...ratesOf(found.charges),
    ...disputeRateOf(found.disputes, found.charges),
    statuses: transactionStatuses
      .filter((status) => cellsOf.has(status))
      .map((status) => ({ status, ...sumsOf(cellsOf.get(status) ?? []) })),
    channels: await Promise.all(
      channelsOf(found.byChannel, found.charges, found.disputes).map(async ({ id, cells, charges, disputes }) => ({
        channelId: id,
        channelName: (await channels.find(id))?.name ?? '',
        ...sumsOf(cells),
        ...ratesOf(charges),
        ...disputeRateOf(disputes, charges),
      })),
    ),
  };
}

/** The mode of the figures. A session that asks for none gets that of the channel that it names, or live. */
export async function modeOf(
  { livemode, channelId }: Static<typeof summaryQuery>,
  principal: Principal,
  channels: PaymentsApp['channels'],
): Promise<boolean> {
  const requested = principal.livemode ?? livemode;
  if (requested !== undefined) return requested;
  const channel = channelId === undefined ? undefined : await channels.find(channelId);
  return channel !== undefined && maySee(channel, principal) ? channel.livemode : true;
}

/** Every channel with payments, charges or disputes. A fallback channel may have charges only. */
function channelsOf(
  cells: readonly CellRow[],
  charges: readonly ChargeRow[] | null,
  disputes: readonly DisputesRow[] | null,
) {
  const cellsOf = Map.groupBy(cells, ({ channel_id }) => channel_id);
  const chargesOf = Map.groupBy(charges ?? [], ({ channel_id }) => channel_id);
  const disputesOf = Map.groupBy(disputes ?? [], ({ channel_id }) => channel_id);
  const ids = [...new Set([...cellsOf.keys(), ...chargesOf.keys(), ...disputesOf.keys()])].sort((a, b) => a - b);
  return ids.map((id) => ({
    id,
    cells: cellsOf.get(id) ?? [],
    charges: charges === null ? null : (chargesOf.get(id) ?? []),
    disputes: disputes === null ? null : (disputesOf.get(id) ?? []),
  }));
}
