import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { userTypes } from '../../../core/scopes.ts';
import { pageFields } from '../../../platform/http/list-query.ts';
import { tenantIdOnWire } from '../tenants/schema.ts';

export const loginInput = Type.Object(
  {
    account: Type.String({ minLength: 1, maxLength: 254, description: 'User name or e-mail address, in any case.' }),
    password: Type.String({ minLength: 1, maxLength: 1024, writeOnly: true }),
  },
  { $id: 'LoginInput', additionalProperties: false },
);

export const tokenPair = Type.Object(
  {
    accessToken: Type.String({ description: 'JWT. Send it as `Authorization: Bearer …`.' }),
    refreshToken: Type.String({ description: 'JWT. Accepted only by the refresh endpoint.' }),
    expiresIn: Type.Integer({ description: 'Lifetime of the access token, in seconds.' }),
    tokenType: Type.Literal('Bearer'),
  },
  { $id: 'TokenPair' },
);

/** The tokens, and the same again under `token`, as in the answer to login. */
export const refreshed = Type.Object({ ...tokenPair.properties, token: tokenPair }, { $id: 'RefreshResult' });

export const loginResult = Type.Object(
  {
    token: tokenPair,
    userType: Type.Enum([...userTypes]),
    tenantId: tenantIdOnWire,
    deploymentMode: Type.String({ description: 'STANDALONE or CLUSTER.' }),
    userName: Type.String(),
    userId: Type.Integer(),
  },
  { $id: 'LoginResult' },
);

export const refreshInput = Type.Object(
  { refreshToken: Type.String({ minLength: 1, maxLength: 8192, writeOnly: true }) },
  { $id: 'RefreshInput', additionalProperties: false },
);

/** null: no body was sent. */
export const logoutInput = Type.Union(
  [
    Type.Object(
      { all: Type.Optional(Type.Boolean({ description: 'true: end every session of the user.' })) },
      { additionalProperties: false },
    ),
    Type.Null(),
  ],
  { $id: 'LogoutInput' },
);

export const sessionListQuery = Type.Object(pageFields);

export const sessionRecord = Type.Object(
  {
    id: Type.String(),
    device: Type.Union([Type.String(), Type.Null()], { description: 'The User-Agent header of the login.' }),
    address: Type.Union([Type.String(), Type.Null()], { description: 'The address from which it was last used.' }),
    current: Type.Boolean({ description: 'true: the session of this request.' }),
    createdTime: Type.String(),
    lastUsedTime: Type.Union([Type.String(), Type.Null()], { description: 'Accurate to one minute.' }),
    expiresTime: Type.String({ description: 'When it ends at the latest.' }),
  },
  { $id: 'Session' },
);

export const revokeSessionInput = Type.Object(
  {
    id: Type.Optional(
      Type.String({ format: 'uuid', title: form('id_of', { noun: 'session' }), description: 'End this session.' }),
    ),
    all: Type.Optional(Type.Boolean({ description: 'true: end every session, this one included.' })),
  },
  { $id: 'SessionRevokeInput', additionalProperties: false },
);
