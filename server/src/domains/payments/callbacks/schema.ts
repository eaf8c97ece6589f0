import { Type } from 'typebox';

export const callbackParams = Type.Object({
  channel: Type.String({
    description:
      "The channel's `id`, or its `code` if at most 50 channels with a provider, of all tenants, share it. " +
      'Digits alone are always an id.',
  }),
});

export const tokenCallbackParams = Type.Object({
  ...callbackParams.properties,
  token: Type.String({ description: "The unguessable part of the channel's `callbackUrl`." }),
});

export const callbackReceived = Type.Object(
  {
    received: Type.Boolean({
      description: 'Always true: the callback is stored, now or by an earlier request, and is settled shortly.',
    }),
  },
  { $id: 'CallbackReceipt' },
);
