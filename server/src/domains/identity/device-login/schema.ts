import { Type } from 'typebox';
import { allScopes, scopes } from '../../../core/scopes.ts';
import { listPattern } from '../../../platform/http/list-pattern.ts';
import { generatedKey } from '../developer-keys/schema.ts';

const scopeList = listPattern([...scopes, allScopes]);

/** Excludes what `beginDeviceLogin` refuses, except characters beyond U+FFFF, which patterns can write in two ways. */
const visible =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u115f' +
  '\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164' +
  '\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb]+$';

const scope = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 500, documented: { pattern: scopeList }, description }));

export const codeInput = Type.Object(
  {
    client: Type.String({
      minLength: 1,
      maxLength: 100,
      documented: { pattern: visible },
      description:
        'The program and the name of its machine, so that the user recognizes them, without control and invisible ' +
        'characters. Also the name of the key.',
    }),
    scope: scope('The scopes to ask for, comma-separated, or `*`. Default: those that the user chooses.'),
    livemode: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether a live key is asked for, instead of a test key.' }),
    ),
  },
  { $id: 'DeviceCodeInput', additionalProperties: false },
);

export const deviceCode = Type.Object(
  {
    deviceCode: Type.String({ description: 'A secret of the program, with which it asks for its key.' }),
    userCode: Type.String({ description: 'What the user types: 8 letters and a hyphen.' }),
    verificationUri: Type.String({ description: 'Where the user types it.' }),
    verificationUriComplete: Type.String({ description: 'The same with the code filled in.' }),
    expiresIn: Type.Integer({ description: 'For how many seconds both codes are valid.' }),
    interval: Type.Integer({ description: 'How many seconds to wait between two polls for the key.' }),
  },
  { $id: 'DeviceCode' },
);

export const tokenInput = Type.Object(
  { deviceCode: Type.String({ minLength: 1, maxLength: 200 }) },
  { $id: 'DeviceTokenInput', additionalProperties: false },
);

export const deviceKey = Type.Object(
  {
    ...generatedKey.properties,
    userName: Type.String({ description: 'The user who approved the login and owns the key.' }),
  },
  { $id: 'DeviceKey' },
);

const userCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'As the program shows it; case, spaces and hyphens do not matter.',
});

export const requestQuery = Type.Object({ userCode });

export const deviceRequest = Type.Object(
  {
    client: Type.String({ description: 'The name that the program gave itself.' }),
    address: Type.String({ description: 'The IP address of the program.' }),
    isSameAddress: Type.Boolean({ description: 'Whether the caller has the same address.' }),
    scope: Type.Union([Type.String(), Type.Null()], {
      description: 'The scopes that the program asks for; null: those that the user chooses.',
    }),
    livemode: Type.Boolean(),
    createdTime: Type.String(),
    expiresTime: Type.String(),
  },
  { $id: 'DeviceRequest' },
);

export const decideInput = Type.Object(
  {
    userCode,
    approve: Type.Boolean({ description: 'true: the program gets a key of the caller. false: it is refused.' }),
    scope: scope(
      'The scopes to grant. Default: those that the program asked for, or else all that the caller holds. ' +
        'Scopes that the caller does not hold cannot be granted.',
    ),
    livemode: Type.Optional(
      Type.Boolean({ description: 'The mode of the key. Default: the mode that the program asked for.' }),
    ),
  },
  { $id: 'DeviceDecideInput', additionalProperties: false },
);

export const decision = Type.Object({ client: Type.String(), approved: Type.Boolean() }, { $id: 'DeviceDecision' });
