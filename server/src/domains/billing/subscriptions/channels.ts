import { invalid, notFound } from '../../../core/errors.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import { mayUse, requireAccepting } from '../../payments/channels/rules.ts';
import type { PlanRow } from '../plans/statements.ts';
import type { Payer } from './statements.ts';

/** The channel of a subscription that names none itself: the plan's, else the customer's. Refuses when neither has one. */
export function defaultChannelOf(plan: Pick<PlanRow, 'channel_id'>, payer: Pick<Payer, 'default_channel_id'>): number {
  const channelId = plan.channel_id ?? payer.default_channel_id;
  if (channelId !== null) return channelId;
  throw invalid('channelId', 'channelId must name a channel: neither the plan nor the customer does.');
}

/** Refuses a channel that payments of this tenant cannot use or that does not accept the currency. */
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
