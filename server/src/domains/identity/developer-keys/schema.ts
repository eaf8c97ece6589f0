import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { allScopes, defaultScopes, scopes } from '../../../core/scopes.ts';
import { listPattern } from '../../../platform/http/list-pattern.ts';
import { pageFields } from '../../../platform/http/list-query.ts';
import { long, oneLine } from '../../../platform/http/shapes.ts';
import { tenantIdOnWire } from '../tenants/schema.ts';

const expiresTime = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', maxLength: 40, title: form('iso_time'), description }));

/** null: no body was sent. */
export const generateInput = Type.Union(
  [
    Type.Object(
      {
        scope: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 500,
            documented: { pattern: listPattern([...scopes, allScopes]) },
            description:
              `Comma-separated: ${scopes.join(', ')}; or ${allScopes} for all, which only administrators may ` +
              `grant. Default: ${defaultScopes.join(', ')}.`,
          }),
        ),
        name: Type.Optional(oneLine({ maxLength: 200, description: 'A label, such as the purpose of the key.' })),
        livemode: Type.Optional(
          Type.Boolean({
            default: true,
            description:
              'false: a test key (`sk_test_…`), which sees and creates only test records. true: ' +
              'a live key (`sk_live_…`).',
          }),
        ),
        expiresTime: expiresTime('When the key expires. Default: never.'),
        allowedAddresses: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
            maxItems: 50,
            description:
              'Addresses and networks (CIDR), IPv4 or IPv6, from which the key is accepted. Default: ' +
              'from anywhere. Behind a proxy, `app.server.trust-proxy` must name it.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ],
  { $id: 'DeveloperKeyGenerateInput' },
);

export const revokeInput = Type.Object(
  { id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) },
  { $id: 'DeveloperKeyRevokeInput', additionalProperties: false },
);

export const rotateInput = Type.Object(
  {
    id: long('The key to replace.'),
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_592_000,
        default: 86_400,
        description: 'For how long the old key keeps working, in seconds: at most 30 days.',
      }),
    ),
    expiresTime: expiresTime('When the new key expires. Default: after the lifetime of the old key.'),
  },
  { $id: 'DeveloperKeyRotateInput', additionalProperties: false },
);

export const keyListQuery = Type.Object({ userId: Type.Optional(long('Only keys of this user.')), ...pageFields });

const nullableTime = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const record = {
  livemode: Type.Boolean({ description: 'true: for live records. false: for test records.' }),
  scope: Type.String({ description: 'Comma-separated scope names.' }),
  state: Type.Integer({ description: '1: active. 0: revoked.' }),
  name: Type.Union([Type.String(), Type.Null()]),
  createdTime: Type.String(),
  updatedTime: nullableTime('null when never updated.'),
  expiresTime: nullableTime('null: the key never expires.'),
  lastUsedTime: nullableTime('Accurate to one minute; null when never used.'),
  lastUsedAddress: Type.Union([Type.String(), Type.Null()], {
    description: 'The address from which it was last used.',
  }),
  allowedAddresses: Type.Array(Type.String(), {
    description: 'The addresses from which it is accepted; empty: from anywhere.',
  }),
  replacedBy: Type.Union([Type.Integer(), Type.Null()], { description: 'The key that replaced it by rotation.' }),
};

export const generatedKey = Type.Object(
  {
    id: Type.Integer(),
    sk: Type.String({ description: 'The full secret key. Returned only here, once.' }),
    ...record,
  },
  { $id: 'GeneratedDeveloperKey' },
);

export const listedKey = Type.Object(
  {
    id: Type.Integer(),
    skMasked: Type.String({ description: 'First four characters, `...`, last four.' }),
    ...record,
  },
  { $id: 'DeveloperKey' },
);

const owner = { userId: Type.Integer(), userName: Type.String(), tenantId: tenantIdOnWire };

/** A key as administrators see it. */
export const administeredKey = Type.Object({ ...listedKey.properties, ...owner }, { $id: 'OwnedDeveloperKey' });

/** What a request with a key can read about that key. */
export const currentKey = Type.Object(
  {
    ...listedKey.properties,
    ...owner,
    scopes: Type.Array(Type.Enum([...scopes]), {
      description: "What the key may do now: what its scope and its owner's permissions both allow.",
    }),
  },
  { $id: 'CurrentDeveloperKey' },
);
