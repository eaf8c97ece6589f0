import { Type } from 'typebox';

export const callbackParams = Type.Object({
  channel: Type.String({
    description:
      "The channel's `id`; or its `code`, as long as at most 50 channels of the installation with a provider share it. " +
      'Digits alone are always an id.',
  }),
});

export const callbackReceived = Type.Object({
  received: Type.Boolean({ description: 'true: it is kept, now or since it came before, and is settled in a moment.' }),
});
