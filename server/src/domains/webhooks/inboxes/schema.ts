import { Type } from 'typebox';
import { cursorFields } from '../../../platform/http/list-query.ts';
import { endpointId as inboxId, nullable, secret } from '../endpoints/schema.ts';
import { verdicts } from './signature-verdict.ts';

/** More than any delivery of Florin's. */
export const maximumMessageBytes = 64 * 1024;

/** Create's body may be left out. */
export const createInput = Type.Union([
  Type.Object(
    { secret: Type.Optional(secret('What signatures are verified with. Left out: they are not. Never shown.')) },
    { additionalProperties: false },
  ),
  Type.Null(),
]);

const inboxRecord = {
  id: Type.Integer(),
  hasSecret: Type.Boolean({ description: 'Whether signatures are verified.' }),
  createdTime: Type.String(),
  expiresTime: Type.String({ description: 'From then on the inbox is gone, with all that is in it.' }),
};

export const createdInbox = Type.Object({
  ...inboxRecord,
  url: Type.String({ description: 'Where to post to. Shown here and never again.' }),
  token: Type.String({ description: 'The last part of `url`.' }),
});

export const listedInbox = Type.Object({ ...inboxRecord, messageCount: Type.Integer() });

const verdict = (header: string) =>
  nullable(Type.Enum([...verdicts]), `What \`${header}\` says. null: the inbox was made without a secret.`);

const judged = {
  serviceSignature: verdict('X-Service-Signature'),
  standardSignature: verdict('webhook-signature'),
};

export const received = Type.Object(judged);

export const messagesQuery = Type.Object({ id: inboxId("The inbox's id."), ...cursorFields });

export const message = Type.Object({
  id: Type.String(),
  receivedTime: Type.String(),
  ...judged,
  headers: Type.Object({}, { additionalProperties: true, description: 'All but credentials.' }),
  body: Type.String({ description: 'Read as UTF-8.' }),
});

export const receiveParams = Type.Object({
  token: Type.String({ description: "The inbox's own, as it was shown when it was made." }),
});
