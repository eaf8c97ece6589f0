import { Type } from 'typebox';
import { roleNames, scopes, userTypes } from '../../../core/scopes.ts';
import { pageFields } from '../../../platform/http/list-query.ts';
import { tenantIdInput, tenantIdOnWire } from '../tenants/schema.ts';

const account = Type.String({ minLength: 1, maxLength: 254, description: 'User name or e-mail address, in any case.' });
const knownPassword = Type.String({ minLength: 1, maxLength: 1024 });
const newPassword = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'At least 6 characters (`app.password.min-length`), at most 1024 bytes, none of the commonest.',
});
const userType = Type.Enum([...userTypes]);
const role = Type.Enum([...roleNames]);

export const loginInput = Type.Object({ account, password: knownPassword }, { additionalProperties: false });

/** What login and refresh hand out. */
export const tokenPair = Type.Object({
  accessToken: Type.String({ description: 'JWT. Send it as `Authorization: Bearer …`.' }),
  refreshToken: Type.String({ description: 'JWT. Good for the refresh endpoint alone.' }),
  expiresIn: Type.Integer({ description: 'How long the access token lives, in seconds.' }),
  tokenType: Type.Literal('Bearer'),
});

/** The token object, once more under the name that login gives it. */
export const refreshed = Type.Object({ ...tokenPair.properties, token: tokenPair });

export const loginResult = Type.Object({
  token: tokenPair,
  userType,
  tenantId: tenantIdOnWire,
  deploymentMode: Type.String({ description: 'STANDALONE or CLUSTER.' }),
  userName: Type.String(),
  userId: Type.Integer(),
});

export const refreshInput = Type.Object(
  { refreshToken: Type.String({ minLength: 1, maxLength: 8192 }) },
  { additionalProperties: false },
);

/** Logout's body may be left out. */
export const logoutInput = Type.Union([
  Type.Object(
    { all: Type.Optional(Type.Boolean({ description: 'true: end every session of the user.' })) },
    { additionalProperties: false },
  ),
  Type.Null(),
]);

export const forgotPasswordInput = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254 }) },
  { additionalProperties: false },
);

export const resetPasswordInput = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 200, description: 'The reset token received by e-mail.' }),
    newPassword,
  },
  { additionalProperties: false },
);

export const currentUser = Type.Object({
  userId: Type.Integer(),
  userName: Type.String(),
  email: Type.String(),
  userType,
  tenantId: tenantIdOnWire,
  roles: Type.Array(Type.String()),
  scopes: Type.Array(Type.Enum([...scopes]), { description: 'What this user may do.' }),
  createdTime: Type.String(),
});

export const userInput = Type.Object(
  {
    id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Omit to create.' })),
    userName: Type.String({
      pattern: '^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} ._@+-]{0,63}$',
      title: '1 to 64 letters, digits, spaces or . _ @ + -, beginning with a letter or a digit',
      description: 'Unique over the installation, without regard to case, also among e-mail addresses.',
    }),
    email: Type.String({
      maxLength: 254,
      pattern: '^[^\\s@<>()\\[\\],;:"\\\\]+@[^\\s@<>()\\[\\],;:"\\\\]+$',
      title: 'an e-mail address',
      description: 'Unique over the installation, without regard to case, also among user names.',
    }),
    password: Type.Optional(newPassword),
    userType,
    tenantId: Type.Optional(tenantIdInput),
    roles: Type.Optional(
      Type.Array(role, {
        maxItems: roleNames.length,
        uniqueItems: true,
        description: 'What a MERCHANT_USER may do. Left out of an update they stay.',
      }),
    ),
    state: Type.Boolean({ description: 'false: cannot log in, and its sessions and keys are refused.' }),
  },
  { additionalProperties: false },
);

export const userRecord = Type.Object({
  id: Type.Integer(),
  userName: Type.String(),
  email: Type.String(),
  userType,
  tenantId: tenantIdOnWire,
  roles: Type.Array(Type.String()),
  state: Type.Boolean(),
  createdTime: Type.String(),
  updatedTime: Type.Union([Type.String(), Type.Null()], { description: 'null when never updated.' }),
});

export const userListQuery = Type.Object(pageFields);
