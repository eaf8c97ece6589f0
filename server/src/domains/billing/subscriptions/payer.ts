import type { Clock } from '../../../core/clock.ts';
import { invalid, notFound } from '../../../core/errors.ts';
import type { DrawUuid } from '../../../core/id.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import { mayUse, requireAccepting } from '../../payments/channels/rules.ts';
import type { PlanRow } from '../plans/statements.ts';
import { msOf } from './rules.ts';
import type { SubscriptionRow } from './statements.ts';

export interface SubscriptionDeps {
  database: Database;
  channels: ChannelDirectory;
  clock: Clock;
  drawUuid: DrawUuid;
}

export interface Payer {
  id: number;
  default_channel_id: number | null;
  clock_id: number | null;
  clock_now: string | null;
}

/** The customer, who stays with the same clock meanwhile. Values: tenant, id. */
export const lockPayer = statement<Payer>(
  'subscriptions.hold_payer',
  `select c.id, c.default_channel_id, c.clock_id, k.now_at as clock_now
     from customer c
     left join clock k on k.tenant_id = c.tenant_id and k.id = c.clock_id
    where c.tenant_id = $1 and c.id = $2
      for share of c`,
);

const clockNow = statement<{ now_at: string }>(
  'subscriptions.clock_now',
  'select now_at from clock where tenant_id = $1 and id = $2',
);

/** What time it is for the customer of a subscription. */
export async function customerNowMs(
  database: Queryable,
  { tenant_id, clock_id }: SubscriptionRow,
  clock: Clock,
): Promise<number> {
  if (clock_id === 0) return clock();
  const [row] = await database.run(clockNow, [tenant_id, clock_id]);
  if (row === undefined) throw new Error(`Clock ${clock_id} is gone.`);
  return msOf(row.now_at);
}

/** The channel of a subscription that names none itself. */
export function defaultChannelOf(plan: Pick<PlanRow, 'channel_id'>, payer: Pick<Payer, 'default_channel_id'>): number {
  const found = plan.channel_id ?? payer.default_channel_id;
  if (found !== null) return found;
  throw invalid('channelId', 'channelId must name a channel: neither the plan nor the customer does.');
}

/** A channel must be one that payments of this tenant could use, and take the currency. */
export async function requireChannel(
  channels: ChannelDirectory,
  channelId: number,
  tenantId: number,
  currency: string,
): Promise<void> {
  const channel = await channels.find(channelId);
  if (channel === undefined || !mayUse(channel, tenantId)) throw notFound('channel', channelId, 'channelId');
  requireAccepting(channel, currency);
}

/** A moment as it is kept: in whole milliseconds, of the years 1970 to 9999. */
export function parseTime(text: string, field: string): number {
  const atMs = Date.parse(text);
  if (!Number.isSafeInteger(atMs) || atMs < 0 || atMs >= latestMs) {
    throw invalid(field, `${field} must be a time between 1970 and 2970, such as 2026-01-31T09:30:00Z.`);
  }
  return atMs;
}

const latestMs = Date.UTC(2970, 0, 1);
