import { statement } from '../../../platform/postgres/statement.ts';

interface LiveSetup {
  has_channel: boolean;
  has_key: boolean;
  channels_without_callback: string[];
}

/**
 * What a tenant has for live payments: a channel that it can use, an active key, and the names of its active channels
 * at a provider from which no callback has arrived. Callbacks are kept for 30 days. Value: tenant; null means all
 * tenants.
 */
export const readLiveSetup = statement<LiveSetup>(
  'console.read_live_setup',
  `select exists (select from channel where livemode and ($1::bigint is null or tenant_id in ($1, 0))) as has_channel,
          exists (select from developer_key
                   where livemode and state = 1 and ($1::bigint is null or tenant_id = $1)) as has_key,
          array(select name from channel
                 where livemode and state and provider is not null and ($1::bigint is null or tenant_id = $1)
                   and not exists (select from provider_callback where channel_id = channel.id)
                 order by id limit 20) as channels_without_callback`,
);
