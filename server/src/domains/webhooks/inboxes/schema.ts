import { Type } from 'typebox';
import { cursorFields } from '../../../platform/http/list-query.ts';
import { livemode, livemodeInput } from '../../../platform/http/shapes.ts';
import { endpointId as inboxId, nullable, secret } from '../endpoints/schema.ts';
import { verdicts } from './signature-verdict.ts';

/** Every delivery of Florin is smaller. */
export const maximumMessageBytes = 64 * 1024;

/** null stands for an absent body. */
export const createInput = Type.Union(
  [
    Type.Object(
      {
        secret: Type.Optional(
          secret('Verifies the signatures of messages; without it they are not verified. Never shown.'),
        ),
        livemode: livemodeInput('live'),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ],
  { $id: 'InboxCreateInput' },
);

const inboxRecord = {
  id: Type.Integer(),
  livemode,
  hasSecret: Type.Boolean({ description: 'Whether signatures are verified.' }),
  createdTime: Type.String(),
  expiresTime: Type.String({ description: 'When the inbox and its messages are deleted.' }),
};

export const createdInbox = Type.Object(
  {
    ...inboxRecord,
    url: Type.String({ description: 'The URL to post to. Returned only here, once.' }),
    token: Type.String({ description: 'The last part of `url`.' }),
  },
  { $id: 'CreatedInbox' },
);

export const listedInbox = Type.Object({ ...inboxRecord, messageCount: Type.Integer() }, { $id: 'Inbox' });

const verdict = (header: string) =>
  nullable(
    Type.Enum([...verdicts]),
    `The verdict on \`${header}\`. null: the inbox has no secret, or its key was lost.`,
  );

const signatureVerdicts = {
  serviceSignature: verdict('X-Service-Signature'),
  standardSignature: verdict('webhook-signature'),
};

export const received = Type.Object(signatureVerdicts, { $id: 'InboxReceipt' });

export const inboxListQuery = Type.Object({
  livemode: Type.Optional(Type.Boolean({ description: 'Only live (true) or test (false) inboxes. Default: both.' })),
});

export const messagesQuery = Type.Object({ id: inboxId("The inbox's id."), ...cursorFields });

export const message = Type.Object(
  {
    id: Type.String(),
    receivedTime: Type.String(),
    ...signatureVerdicts,
    headers: Type.Object({}, { additionalProperties: true, description: 'Without headers that carry credentials.' }),
    body: Type.String({ description: 'Decoded as UTF-8.' }),
  },
  { $id: 'InboxMessage' },
);

export const receiveParams = Type.Object({
  token: Type.String({ description: "The inbox's token, as returned when it was created." }),
});
