import type { Static } from 'typebox';
import { dayMs, hourMs } from '../../../core/clock.ts';
import type { Principal } from '../../../core/principal.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import type { PaymentsApp } from '../app.ts';
import { ratesOf } from './rules.ts';
import type { recentQuery, recentRow } from './schema.ts';
import { findRecentCharges } from './statements.ts';
import { modeOf } from './summary.ts';

/** Results of charges by channel, in the last 24 hours and in the seven days before. */
export async function recentOf(
  query: Static<typeof recentQuery>,
  principal: Principal,
  { database, channels, clock }: Pick<PaymentsApp, 'database' | 'channels' | 'clock'>,
): Promise<Static<typeof recentRow>[]> {
  const livemode = await modeOf(query, principal, channels);
  const tenantIds = await listedTenants(database, principal, query.tenantId);
  const recentMs = Math.floor(clock() / hourMs) * hourMs - (dayMs - hourMs);
  const rows = await findRecentCharges(database, tenantIds, livemode, { recentMs, firstMs: recentMs - 7 * dayMs });
  return Promise.all(
    [...Map.groupBy(rows, ({ channel_id }) => channel_id)].map(async ([channelId, own]) => ({
      channelId,
      channelName: (await channels.find(channelId))?.name ?? '',
      recent: ratesOf(own.filter(({ is_recent }) => is_recent)),
      before: ratesOf(own.filter(({ is_recent }) => !is_recent)),
    })),
  );
}
