import { Type } from 'typebox';
import { logoutInput } from '../sessions/schema.ts';
import { currentUser } from '../users/schema.ts';

export { loginInput as signInInput } from '../sessions/schema.ts';
export const signOutInput = logoutInput;

/** Null: nobody is signed in. */
export const profile = Type.Union(
  [
    Type.Object({
      ...currentUser.properties,
      tenantName: Type.Union([Type.String(), Type.Null()], { description: "null: the platform's own tenant." }),
      holdsAll: Type.Boolean({ description: 'Whether the user holds every permission, as administrators do.' }),
      mustEnrol: Type.Boolean({ description: 'true: nothing can be done before a second factor is enrolled.' }),
      deploymentMode: Type.String({ description: 'STANDALONE or CLUSTER.' }),
      sandboxEnabled: Type.Boolean({ description: 'Whether channels may name the sandbox.' }),
      hasLiveChannel: Type.Boolean({
        description:
          'Whether there is a channel for live payments that the user can use. Until then the console starts in Test.',
      }),
      hasLiveKey: Type.Boolean({ description: "Whether the user's tenant has an active key for live records." }),
      channelsWithoutCallback: Type.Array(Type.String(), {
        description:
          'Names of up to 20 active channels for live payments from whose provider no callback has arrived in the ' +
          'last 30 days. Empty without the scope `channel_read`.',
      }),
      sendsMail: Type.Boolean({ description: 'Whether mail is sent (`app.mail.url`), not only written into files.' }),
      certificateEndTime: Type.Union([Type.String(), Type.Null()], {
        description:
          'When the certificate of `app.public-url` ends, as it was read over the network within the last day. null: ' +
          'it has none or could not be read, or the user is no platform administrator.',
      }),
      backupExpectedSeconds: Type.Union([Type.Integer(), Type.Null()], {
        description:
          'How old the last proven backup may be: `app.backup.expected`. null: none is expected, or the user is no ' +
          'platform administrator.',
      }),
      unknownKeyRequests: Type.Union([Type.Integer(), Type.Null()], {
        description:
          'How many requests this process has refused since its start because nobody has their developer key. They ' +
          'are in no request log. null: the user is no platform administrator.',
      }),
      publicUrl: Type.String({ description: 'How browsers and providers reach the service: `app.public-url`.' }),
    }),
    Type.Null(),
  ],
  { $id: 'ConsoleProfile' },
);
