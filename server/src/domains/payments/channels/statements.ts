import { statement } from '../../../platform/postgres/statement.ts';
import type { CaptureAbility } from '../providers/abilities.ts';
import type { ProviderName } from '../providers/directory.ts';

/** Channels, and their sealed credentials, by id. */
export const cachedChannels = 'channels';

export interface ChannelRow {
  tenant_id: number;
  id: number;
  name: string;
  code: string;
  type: 'ONLINE' | 'OFFLINE';
  currencies: string[];
  country: string;
  state: boolean;
  provider: ProviderName | null;
  /** false: only for test payments. Never changes. */
  livemode: boolean;
  fallback_channel_ids: number[];
  /** What payers read on their statements, unless the payment says otherwise. */
  statement_descriptor: string | null;
  /** How its account captures payments; null: as its provider can, but once (`captureAbilityOf`). */
  capture: CaptureAbility | null;
  /** The unguessable part of its callback address. */
  callback_token: string;
  created_at: string;
  updated_at: string | null;
  /** Set by the directory if the provider is the sandbox and the sandbox is disabled. */
  is_disabled?: boolean;
  /** Set by the directory if its API key is of the provider's other mode: it takes no new payments. */
  has_key_of_other_mode?: boolean;
}

const columns =
  'tenant_id, id, name, code, type, currencies, country, state, provider, livemode, fallback_channel_ids, ' +
  'statement_descriptor, capture, callback_token, created_at, updated_at';

export const findChannel = statement<ChannelRow>('channels.find', `select ${columns} from channel where id = $1`);

/** A channel with its API key, for those who have to know the key's mode. */
export interface ChannelWithKey extends ChannelRow {
  api_key_sealed: Buffer | null;
}

export const findChannelWithKey = statement<ChannelWithKey>(
  'channels.find_with_key',
  `select ${columns}, api_key_sealed from channel where id = $1`,
);

/** All channels that hold an API key of a provider with two modes. */
export const listChannelsWithKey = statement<ChannelWithKey>(
  'channels.list_with_key',
  `select ${columns}, api_key_sealed from channel
    where provider is not null and provider <> 'sandbox' and api_key_sealed is not null
    order by id`,
);

export const findChannels = statement<ChannelRow>(
  'channels.find_several',
  `select ${columns} from channel where id = any ($1::bigint[])`,
);

/**
 * Serialises changes of channels, so that each reads the result of the one before. Readers do not wait, and channels
 * change rarely.
 */
export const lockChannels = statement('channels.lock', 'lock table channel in share row exclusive mode');

/** Values: tenant. */
export const countChannels = statement<{ total: number }>(
  'channels.count',
  'select count(*) as total from channel where tenant_id = $1',
);

/** A tenant's channels and the platform's. Values: tenant; null lists all channels; modes. */
export const listChannels = statement<ChannelRow>(
  'channels.list',
  `select ${columns} from channel where ($1::bigint is null or tenant_id in ($1, 0)) and livemode = any ($2::boolean[])
       order by id`,
);

export const nextChannelId = statement<{ id: number }>('channels.next_id', `select next_id('channel_id_seq') as id`);

export const insertChannel = statement<ChannelRow>(
  'channels.insert',
  `insert into channel (tenant_id, id, name, code, type, currencies, country, state,
                        api_key_sealed, api_secret_sealed, webhook_secret_sealed, created_at, provider,
                        fallback_channel_ids, livemode, statement_descriptor, capture)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, coalesce($14::bigint[], '{}'), $15, $16, $17)
   returning ${columns}`,
);

/** Each secret has two values: whether to write it, and the sealed secret (null clears it). */
export const updateChannel = statement<ChannelRow>(
  'channels.update',
  `update channel
      set name = $3, code = $4, type = $5, currencies = $6, country = $7, state = $8,
          api_key_sealed = case when $9 then $10 else api_key_sealed end,
          api_secret_sealed = case when $11 then $12 else api_secret_sealed end,
          webhook_secret_sealed = case when $13 then $14 else webhook_secret_sealed end,
          provider = case when $15 then $16 else provider end,
          fallback_channel_ids = coalesce($17::bigint[], fallback_channel_ids),
          updated_at = $18, statement_descriptor = case when $19 then $20 else statement_descriptor end,
          capture = coalesce($21, capture)
    where tenant_id = $1 and id = $2
   returning ${columns}`,
  { invalidates: { cache: cachedChannels, key: ({ id }) => id } },
);

export interface SealedCredentials {
  tenant_id: number;
  callback_token: string;
  api_key_sealed: Buffer | null;
  api_secret_sealed: Buffer | null;
  webhook_secret_sealed: Buffer | null;
}

export const findCredentials = statement<SealedCredentials>(
  'channels.find_credentials',
  `select tenant_id, callback_token, api_key_sealed, api_secret_sealed, webhook_secret_sealed from channel
       where id = $1`,
);

/** The channels of all tenants with a code: a callback can name its channel by code; the signature then decides. */
export const findByCode = statement<{ id: number }>(
  'channels.find_by_code',
  'select id from channel where code = $1 and provider is not null order by id limit 50',
);
