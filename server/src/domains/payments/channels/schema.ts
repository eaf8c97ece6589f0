import { Type } from 'typebox';
import { currencyCodes } from '../../../core/currency.ts';
import { form } from '../../../core/refusal-rules.ts';
import { listPattern } from '../../../platform/http/list-pattern.ts';
import { tenantField } from '../../../platform/http/list-query.ts';
import {
  country,
  described,
  livemode,
  long,
  oneLine,
  requiredToCreate,
  updatedTime,
} from '../../../platform/http/shapes.ts';
import { forTenant } from '../../identity/tenants/schema.ts';
import { captureAbilities } from '../providers/abilities.ts';
import { providerNames } from '../providers/directory.ts';
import { keptStatementDescriptor, statementDescriptorOrNull } from './statement-descriptor.ts';

const channelTypes = ['ONLINE', 'OFFLINE'] as const;

const capture = Type.Enum([...captureAbilities], { $id: 'CaptureAbility' });

const keptSecret = 'Stored encrypted, never returned. An update without it keeps it; an empty string clears it.';
const secret = (name: string) =>
  Type.Optional(
    Type.String({
      maxLength: 4096,
      writeOnly: true,
      description: `${name}. ${keptSecret}`,
    }),
  );

/** The fields that creating a channel requires. */
export const requiredOfNewChannel = ['name', 'code', 'type', 'currency', 'country', 'state'] as const;

export const channelInput = Type.Object(
  {
    id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Omit to create.' })),
    name: Type.Optional(oneLine({ maxLength: 200 })),
    code: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._-]{1,64}$',
        title: form('channel_code'),
        description: 'Unique within its tenant.',
      }),
    ),
    type: Type.Optional(
      Type.Enum([...channelTypes], {
        description: 'ONLINE: real-time processing. OFFLINE: bank and wire transfers.',
      }),
    ),
    currency: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 1024,
        documented: { pattern: listPattern(currencyCodes) },
        description: 'The ISO 4217 codes that this channel accepts, comma-separated: `USD,EUR`.',
      }),
    ),
    country: Type.Optional(country),
    apiKey: secret("The provider's API key"),
    apiSecret: secret("The provider's API secret"),
    webhookSecret: secret("The secret with which Florin verifies the provider's callbacks"),
    state: Type.Optional(Type.Boolean({ description: 'true: active and accepting payments.' })),
    provider: Type.Optional(
      Type.Union([Type.Enum([...providerNames]), Type.Null()], {
        title: form('one_of_or_null', { allowed: providerNames }),
        description:
          'The provider that takes the money. Without one, Florin only records payments, ' +
          'and updates change their status. An update without this field keeps it; null clears it.',
      }),
    ),
    livemode: Type.Optional(
      Type.Boolean({
        description:
          'Whether the channel takes live payments (true) or test payments (false). ' +
          'Decided at creation, never changed. Default: the mode of the key; for a session, ' +
          'false with the provider `sandbox`, true otherwise. ' +
          "With another provider, false needs the API key of that provider's test mode.",
      }),
    ),
    fallbackChannelIds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), {
        maxItems: 5,
        uniqueItems: true,
        description:
          'Channels that Florin tries in this order after a definite failure that another channel may not have. ' +
          'An update without this field keeps them.',
      }),
    ),
    statementDescriptor: Type.Optional(
      statementDescriptorOrNull('Default of its payments. An update without this field keeps it; null clears it.'),
    ),
    capture: Type.Optional(
      described(
        capture,
        'How the account at the provider captures payments that are authorized first. SINGLE: once, and the rest is ' +
          'released. MULTIPLE: several times, where the account may. NONE: payments are only captured at once. ' +
          'Default: SINGLE where the provider can. An update without this field keeps it.',
      ),
    ),
    ...forTenant,
  },
  { $id: 'ChannelModifyInput', additionalProperties: false, ...requiredToCreate(requiredOfNewChannel) },
);

export const channelQuery = Type.Object({ id: long('The channel.') });

export const channelListQuery = Type.Object({
  livemode: Type.Optional(
    Type.Boolean({ description: 'Only channels for live (true) or for test (false) payments. Default: both.' }),
  ),
  tenantId: tenantField,
});

const listed = {
  id: Type.Integer(),
  name: Type.String(),
  code: Type.String(),
  type: Type.Enum([...channelTypes]),
  currency: Type.String({ description: 'Comma-separated ISO 4217 codes.' }),
  country: Type.String(),
  state: Type.Boolean(),
  tenantId: Type.Union([Type.String(), Type.Null()], {
    description: 'null: a channel of the platform, usable by every tenant.',
  }),
  provider: Type.Union([Type.String(), Type.Null()]),
  livemode,
  fallbackChannelIds: Type.Array(Type.Integer()),
  statementDescriptor: keptStatementDescriptor,
  capture: described(
    capture,
    'How often a payment that is authorized first can be captured: not at all, once, or more.',
  ),
  callbackUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'The address to give to the provider for its callbacks. ' +
      'null without a provider, and for callers who could not change ' +
      'the channel or lack the scope `channel_read`.',
  }),
  createdTime: Type.String(),
};

/** In events: without the callback address, which not everyone who sees the channel may see. */
export const channelInEvent = Type.Omit(Type.Object(listed), ['callbackUrl'], { $id: 'ChannelInEvent' });

export const listedChannel = Type.Object(listed, { $id: 'ChannelListItem' });

export const savedChannel = Type.Object(
  {
    ...listed,
    updatedTime,
  },
  { $id: 'Channel' },
);

export const channelCheck = Type.Object(
  {
    id: Type.Integer(),
    unsentEvents: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description:
        'The events that Florin reads and the provider does not send to `callbackUrl`: add them to the endpoint ' +
        'there. Null: it is not known, because the provider sends everything by itself or does not answer, ' +
        'the API key may not tell, the channel has no `webhookSecret`, or the caller could not change it.',
    }),
  },
  { $id: 'ChannelCheck' },
);
