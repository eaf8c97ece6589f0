import { Type } from 'typebox';
import { seesAllTenants } from '../../../core/principal.ts';
import { get, post, type Route } from '../../../platform/http/route.ts';
import { type ChannelDeps, saveChannel } from './modify.ts';
import { recordOf } from './record.ts';
import { channelInput, listedChannel, savedChannel } from './schema.ts';
import { listChannels } from './statements.ts';

export function channelRoutes(deps: ChannelDeps): Route[] {
  return [
    get('/api/channel/list', 'channel_read', 'Channels', {
      summary: 'List channels',
      description:
        "The channels of the caller's tenant and of the platform. A platform administrator sees all tenants' channels.",
      data: Type.Array(listedChannel),
      handle: async ({ principal }) => {
        const rows = await deps.database.run(listChannels, [seesAllTenants(principal) ? null : principal.tenantId]);
        return { data: rows.map(recordOf) };
      },
    }),

    post('/api/channel/modify', 'channel_write', 'Channels', {
      summary: 'Create or update a channel',
      description:
        'Creates a channel without `id`, updates the channel with this `id` otherwise. Returns the saved channel.',
      body: channelInput,
      data: savedChannel,
      handle: async ({ body, principal }) => {
        const row = await saveChannel(body, principal, deps);
        return {
          message: body.id === undefined ? 'Channel created' : 'Channel updated',
          data: { ...recordOf(row), updatedTime: row.updated_at },
        };
      },
    }),
  ];
}
