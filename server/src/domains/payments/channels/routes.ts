import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { visibleModes } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { postOnce, savedMessage } from '../../../platform/http/idempotency.ts';
import { get, type Route } from '../../../platform/http/route.ts';
import { filteredTenant } from '../../identity/tenants/visible-tenants.ts';
import { callbackUrlOf } from './credentials.ts';
import { type ChannelDeps, saveChannel } from './modify.ts';
import { recordOf } from './record.ts';
import { mayChange, maySee } from './rules.ts';
import { channelInput, channelListQuery, channelQuery, listedChannel, savedChannel } from './schema.ts';
import { type ChannelRow, findChannel, listChannels } from './statements.ts';

interface ChannelRoutesDeps extends ChannelDeps {
  /** `app.public-url`, without a slash at the end. */
  publicUrl: string;
}

export function channelRoutes(deps: ChannelRoutesDeps): Route[] {
  return [
    get('/api/channel/list', 'channel_read', 'Channels', {
      summary: 'List channels',
      description:
        "The channels of the caller's tenant and of the platform. A platform administrator sees all tenants' channels. A key " +
        'sees those of its mode, a session all.',
      query: channelListQuery,
      data: Type.Array(listedChannel),
      handle: async ({ query, principal }) => {
        const tenantId = filteredTenant(principal, query.tenantId);
        const modes = visibleModes(principal, query.livemode, { namesRecord: true });
        const rows = await deps.database.run(listChannels, [tenantId, modes]);
        return { data: rows.map((row) => channelOnWire(row, principal, deps)) };
      },
    }),

    get('/api/channel/detail', 'channel_read', 'Channels', {
      summary: 'Get a channel',
      description:
        "A channel of the caller's tenant or of the platform. A platform administrator finds every tenant's.",
      query: channelQuery,
      data: savedChannel,
      handle: async ({ query: { id }, principal }) => {
        const [row] = await deps.database.run(findChannel, [id]);
        if (row === undefined || !maySee(row, principal)) throw notFound('channel', id);
        return { data: savedChannelOnWire(row, principal, deps) };
      },
    }),

    postOnce('/api/channel/modify', 'channel_write', 'Channels', {
      summary: 'Create or update a channel',
      events: 1,
      description:
        'Creates a channel without `id`, updates the channel with this `id` otherwise. Returns the saved channel. A tenant has at ' +
        'most `app.channel.max-per-tenant` channels.',
      body: channelInput,
      refuses: [
        'channel_code_taken',
        'channel_in_use',
        'channel_limit_reached',
        'livemode_mismatch',
        'sandbox_disabled',
        'step_up_required',
      ],
      data: savedChannel,
      message: savedMessage('Channel'),
      perform: async ({ body, principal }, key) => {
        const { answer: row, replayed } = await saveChannel(body, principal, deps, key);
        return { answer: savedChannelOnWire(row, principal, deps), replayed };
      },
    }),
  ];
}

function savedChannelOnWire(row: ChannelRow, principal: Principal, deps: ChannelRoutesDeps) {
  return { ...channelOnWire(row, principal, deps), updatedTime: row.updated_at ?? row.created_at };
}

function channelOnWire(row: ChannelRow, principal: Principal, { publicUrl }: Pick<ChannelRoutesDeps, 'publicUrl'>) {
  const seesAddress = row.provider !== null && principal.scopes.has('channel_read') && mayChange(row, principal);
  return { ...recordOf(row), callbackUrl: seesAddress ? callbackUrlOf(publicUrl, row.id, row.callback_token) : null };
}
