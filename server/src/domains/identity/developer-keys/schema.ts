import { Type } from 'typebox';
import { allScopes, defaultScopes, scopes } from '../../../core/scopes.ts';

/** null: no body was sent. */
export const generateInput = Type.Union([
  Type.Object(
    {
      scope: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 500,
          description: `Comma-separated: ${scopes.join(', ')}; or ${allScopes} for all, which only administrators may grant. Default: ${defaultScopes.join(', ')}.`,
        }),
      ),
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'A label, such as the purpose of the key.' }),
      ),
      expiresTime: Type.Optional(
        Type.String({
          format: 'date-time',
          maxLength: 40,
          title: 'a time of ISO 8601',
          description: 'When the key expires. Default: never.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  Type.Null(),
]);

export const revokeInput = Type.Object(
  { id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) },
  { additionalProperties: false },
);

const nullableTime = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const record = {
  scope: Type.String({ description: 'Comma-separated scope names.' }),
  state: Type.Integer({ description: '1: active. 0: revoked.' }),
  name: Type.Union([Type.String(), Type.Null()]),
  createdTime: Type.String(),
  updatedTime: nullableTime('null when never updated.'),
  expiresTime: nullableTime('null: the key never expires.'),
  lastUsedTime: nullableTime('Accurate to one minute; null when never used.'),
};

export const generatedKey = Type.Object({
  id: Type.Integer(),
  sk: Type.String({ description: 'The full secret key. Returned only here, once.' }),
  ...record,
});

export const listedKey = Type.Object({
  id: Type.Integer(),
  skMasked: Type.String({ description: 'First four characters, `...`, last four.' }),
  ...record,
});
