import { Type } from 'typebox';
import { form } from '../../../../core/refusal-rules.ts';
import { oneLine } from '../../../../platform/http/shapes.ts';
import { replacedTokens } from '../schema.ts';

const base64url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' });

/** Browsers may add members. */
const open = { additionalProperties: true };

const credentialMembers = {
  id: base64url(1400),
  rawId: base64url(1400),
  type: Type.Literal('public-key'),
};

/** What `navigator.credentials.create()` resolves to, as its `toJSON()` writes it. */
const createdCredential = Type.Object(
  {
    ...credentialMembers,
    response: Type.Object(
      {
        clientDataJSON: base64url(4096),
        attestationObject: base64url(32_768),
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 })),
      },
      open,
    ),
  },
  { ...open, description: 'What `navigator.credentials.create()` answered, as its `toJSON()` writes it.' },
);

/** What `navigator.credentials.get()` resolves to, as its `toJSON()` writes it. */
export const assertedCredential = Type.Object(
  {
    ...credentialMembers,
    response: Type.Object(
      {
        clientDataJSON: base64url(4096),
        authenticatorData: base64url(8192),
        signature: base64url(8192),
        userHandle: Type.Optional(Type.Union([base64url(200), Type.Null()])),
      },
      open,
    ),
  },
  { ...open, description: 'What `navigator.credentials.get()` answered, as its `toJSON()` writes it.' },
);

const name = oneLine({
  maxLength: 100,
  description: 'A label for its user, such as the device it is on.',
});

export const registerPasskeyInput = Type.Object(
  { name: Type.Optional(name), credential: createdCredential },
  { $id: 'PasskeyRegisterInput', additionalProperties: false },
);

export const renamePasskeyInput = Type.Object(
  { id: Type.String({ format: 'uuid', title: form('id_of', { noun: 'passkey' }) }), name },
  { $id: 'PasskeyModifyInput', additionalProperties: false },
);

export const removePasskeyInput = Type.Object(
  { id: Type.String({ format: 'uuid', title: form('id_of', { noun: 'passkey' }) }) },
  { $id: 'PasskeyRemoveInput', additionalProperties: false },
);

const loginChallenge = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    writeOnly: true,
    description: '`error.details.challenge` of the answer to login. Left out: the passkey is the only step.',
  }),
);

export const beginPasskeyLoginInput = Type.Object(
  { challenge: loginChallenge },
  { $id: 'PasskeyLoginBeginInput', additionalProperties: false },
);

export const passkeyLoginInput = Type.Object(
  { challenge: loginChallenge, credential: assertedCredential },
  { $id: 'PasskeyLoginInput', additionalProperties: false },
);

/** null: no body was sent. */
export const beginPasskeyStepUpInput = Type.Union([Type.Object({}, { additionalProperties: false }), Type.Null()], {
  $id: 'PasskeyStepUpBeginInput',
});

export const passkeyStepUpInput = Type.Object(
  { credential: assertedCredential },
  { $id: 'PasskeyStepUpInput', additionalProperties: false },
);

export const passkeyOptions = Type.Object(
  {
    options: Type.Object(
      {},
      {
        ...open,
        description:
          'For the browser: `PublicKeyCredential.parseCreationOptionsFromJSON()` or ' +
          '`parseRequestOptionsFromJSON()` reads it. Valid for 5 minutes and one answer.',
      },
    ),
  },
  { $id: 'PasskeyOptions' },
);

export const passkeyRecord = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    backedUp: Type.Boolean({
      description: 'Whether a provider keeps a copy, so that the passkey survives the loss of the device.',
    }),
    createdTime: Type.String(),
    lastUsedTime: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'Passkey' },
);

export const registeredPasskey = Type.Object(
  {
    passkey: passkeyRecord,
    recoveryCodes: Type.Union([Type.Array(Type.String()), Type.Null()], {
      description:
        'Ten codes, each for one use, with the first second factor of the user. Not shown again. Otherwise null.',
    }),
    ...replacedTokens,
  },
  { $id: 'RegisteredPasskey' },
);
