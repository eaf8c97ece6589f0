import { Type } from 'typebox';
import { notFound } from '../../../core/errors.ts';
import { visibleModes } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor, savedMessage } from '../../../platform/http/routes-for.ts';
import { filteredTenant } from '../../identity/tenants/visible-tenants.ts';
import type { PaymentsApp } from '../app.ts';
import { callbackUrlOf } from './credentials.ts';
import { modifyChannel } from './modify.ts';
import { recordOf } from './record.ts';
import { mayChange, maySee } from './rules.ts';
import { channelCheck, channelInput, channelListQuery, channelQuery, listedChannel, savedChannel } from './schema.ts';
import { type ChannelRow, findChannel, listChannels } from './statements.ts';
import { unsentEventsOf } from './unsent-events.ts';

const { get, postOnce } = routesFor<PaymentsApp>();

export const channelRoutes: readonly Route<PaymentsApp>[] = [
  get('/api/channel/list', 'channel_read', 'Channels', {
    summary: 'List channels',
    description:
      "The channels of the caller's tenant and of the platform. " +
      "A platform administrator sees all tenants' channels. A key " +
      'sees those of its mode, a session all.',
    query: channelListQuery,
    data: Type.Array(listedChannel),
    handle: async ({ query, principal }, app) => {
      const tenantId = filteredTenant(principal, query.tenantId);
      const modes = visibleModes(principal, query.livemode, { namesRecord: true });
      const rows = await app.database.run(listChannels, [tenantId, modes]);
      return { data: rows.map((row) => channelOnWire(row, principal, app)) };
    },
  }),

  get('/api/channel/detail', 'channel_read', 'Channels', {
    summary: 'Get a channel',
    description: "A channel of the caller's tenant or of the platform. A platform administrator finds every tenant's.",
    query: channelQuery,
    data: savedChannel,
    handle: async ({ query: { id }, principal }, app) => {
      const [row] = await app.database.run(findChannel, [id]);
      if (row === undefined || !maySee(row, principal)) throw notFound('channel', id);
      return { data: savedChannelOnWire(row, principal, app) };
    },
  }),

  get('/api/channel/check', 'channel_read', 'Channels', {
    summary: 'Check the callbacks of a channel',
    description:
      'Asks the provider which events it sends to the callback address of the channel. Takes as long as the ' +
      'provider, at most `app.provider.timeout`.',
    query: channelQuery,
    data: channelCheck,
    handle: async ({ query: { id }, principal }, app) => {
      const [row] = await app.database.run(findChannel, [id]);
      if (row === undefined || !maySee(row, principal)) throw notFound('channel', id);
      const unsent = mayChange(row, principal) ? await unsentEventsOfChannel(row, app) : undefined;
      return { data: { id, unsentEvents: unsent === undefined ? null : [...unsent] } };
    },
  }),

  postOnce('/api/channel/modify', 'channel_write', 'Channels', {
    summary: 'Create or update a channel',
    events: 1,
    description:
      'Creates a channel without `id`, updates the channel with this `id` otherwise. Returns the saved channel. ' +
      'A tenant has at most `app.channel.max-per-tenant` channels.',
    body: channelInput,
    refuses: [
      'channel_cannot',
      'channel_code_taken',
      'channel_in_use',
      'channel_limit_reached',
      'livemode_mismatch',
      'sandbox_disabled',
      'step_up_required',
    ],
    data: savedChannel,
    message: savedMessage('Channel'),
    handle: async (call, app) => {
      const { answer: row, replayed } = await modifyChannel(call, app);
      return { answer: savedChannelOnWire(row, call.principal, app), replayed };
    },
  }),
];

/** Undefined also if the channel's API key is lost. */
async function unsentEventsOfChannel(row: ChannelRow, app: PaymentsApp): Promise<readonly string[] | undefined> {
  const { credentials, settings } = app;
  const opened = await credentials.forCallbacks(row.id);
  return unsentEventsOf(row, opened, { ...app, timeoutMs: settings['app.provider.timeout'] });
}

function savedChannelOnWire(row: ChannelRow, principal: Principal, app: PaymentsApp) {
  return { ...channelOnWire(row, principal, app), updatedTime: row.updated_at ?? row.created_at };
}

function channelOnWire(row: ChannelRow, principal: Principal, { publicUrl }: Pick<PaymentsApp, 'publicUrl'>) {
  const seesAddress = row.provider !== null && principal.scopes.has('channel_read') && mayChange(row, principal);
  return { ...recordOf(row), callbackUrl: seesAddress ? callbackUrlOf(publicUrl, row.id, row.callback_token) : null };
}
