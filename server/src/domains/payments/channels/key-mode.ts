import type { Queryable } from '../../../platform/postgres/database.ts';
import { isSandbox, livemodeOfApiKey } from './rules.ts';
import { type SecretOpener, secretAssociatedData } from './secrets.ts';
import { type ChannelRow, type ChannelWithKey, listChannelsWithKey } from './statements.ts';

/**
 * Whether the channel holds an API key of its provider's other mode: payments through it would be test payments in live
 * books, or the other way round. Such keys are refused; channels that were saved before they were can still have one.
 */
export function hasKeyOfOtherMode(channel: ChannelWithKey, { open, isLost }: SecretOpener): boolean {
  const { tenant_id, id, livemode, provider, api_key_sealed: sealed } = channel;
  if (provider === null || isSandbox(channel) || sealed === null || isLost(sealed)) return false;
  const keyLivemode = livemodeOfApiKey(open(sealed, secretAssociatedData(tenant_id, id, 'apiKey')));
  return keyLivemode !== undefined && keyLivemode !== livemode;
}

/** Names the channels that take no payments because of their key, in the log. */
export async function warnOfKeysOfOtherMode(
  database: Queryable,
  secrets: SecretOpener,
  warn: (facts: object, message: string) => void,
): Promise<void> {
  for (const { tenant_id: tenantId, id: channelId, code, livemode } of await channelsWithKeyOfOtherMode(
    database,
    secrets,
  )) {
    warn(
      { tenantId, channelId, code, livemode },
      "A channel holds an API key of its provider's other mode: it takes no new payments",
    );
  }
}

/** All channels that hold an API key of their provider's other mode. */
export async function channelsWithKeyOfOtherMode(database: Queryable, secrets: SecretOpener): Promise<ChannelRow[]> {
  const channels = await database.run(listChannelsWithKey, []);
  return channels.filter((channel) => hasKeyOfOtherMode(channel, secrets));
}
