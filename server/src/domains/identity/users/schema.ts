import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { roleNames, scopes, userTypes } from '../../../core/scopes.ts';
import { pageFields, tenantField } from '../../../platform/http/list-query.ts';
import { long, requiredToCreate, updatedTime } from '../../../platform/http/shapes.ts';
import { tenantIdInput, tenantIdOnWire } from '../tenants/schema.ts';
import { emailPattern, maximumEmailLength, userNamePattern } from './rules.ts';

const newPassword = (...notes: string[]) =>
  Type.String({
    writeOnly: true,
    minLength: 1,
    maxLength: 1024,
    description: [
      'At least 6 characters (`app.password.min-length`), at most 1024 bytes, not a commonly used password. Spaces ' +
        'in a row count as one, and Unicode forms of a letter are the same.',
      ...notes,
    ].join(' '),
  });
const userType = Type.Enum([...userTypes]);
const role = Type.Enum([...roleNames]);

/**
 * In answers. Without a format, because addresses may have characters beyond ASCII, about which validators disagree.
 */
const userEmail = Type.String({ documented: { format: undefined } });

export const forgotPasswordInput = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254 }) },
  { $id: 'ForgotPasswordInput', additionalProperties: false },
);

export const resetPasswordInput = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 200,
      writeOnly: true,
      description: 'The reset token received by e-mail.',
    }),
    newPassword: newPassword(),
  },
  { $id: 'ResetPasswordInput', additionalProperties: false },
);

export const changePasswordInput = Type.Object(
  { oldPassword: Type.String({ writeOnly: true, minLength: 1, maxLength: 1024 }), newPassword: newPassword() },
  { $id: 'ChangePasswordInput', additionalProperties: false },
);

export const currentUser = Type.Object(
  {
    userId: Type.Integer(),
    userName: Type.String(),
    email: userEmail,
    userType,
    tenantId: tenantIdOnWire,
    roles: Type.Array(Type.String()),
    scopes: Type.Array(Type.Enum([...scopes]), { description: 'The permissions of this user.' }),
    secondFactor: Type.Boolean({ description: 'Whether the user has a second factor.' }),
    createdTime: Type.String(),
  },
  { $id: 'CurrentUser' },
);

/** The fields that a new user must have. */
export const requiredOfNewUser = ['userName', 'email', 'userType', 'state'] as const;

export const userInput = Type.Object(
  {
    id: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Omit to create.' })),
    userName: Type.Optional(
      Type.String({
        pattern: userNamePattern,
        title: form('user_name'),
        description:
          'Unique in the tenant, ignoring case, also among the e-mail addresses of other users. ' +
          'A name that a user of another tenant logs in with is accepted, but logs in only that user.',
      }),
    ),
    email: Type.Optional(
      Type.String({
        maxLength: maximumEmailLength,
        pattern: emailPattern,
        title: form('email_address'),
        description:
          'Unique in the tenant, ignoring case, also among the user names of other users. It logs in one user of the ' +
          'installation: the first who has proven to receive its mail, by the token of an invitation or a reset.',
      }),
    ),
    password: Type.Optional(newPassword('Only from sessions. A new user without one is invited by mail to choose it.')),
    oldPassword: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        writeOnly: true,
        description: "The caller's present password, which callers need to change their own e-mail address.",
      }),
    ),
    userType: Type.Optional(userType),
    tenantId: Type.Optional(tenantIdInput),
    roles: Type.Optional(
      Type.Array(role, {
        maxItems: roleNames.length,
        uniqueItems: true,
        description: 'The permissions of a MERCHANT_USER. An update without it keeps the present roles.',
      }),
    ),
    state: Type.Optional(
      Type.Boolean({
        description: 'false: the user is disabled. Logins, sessions and keys of the user are refused.',
      }),
    ),
  },
  { $id: 'UserModifyInput', additionalProperties: false, ...requiredToCreate(requiredOfNewUser) },
);

export const userRecord = Type.Object(
  {
    id: Type.Integer(),
    userName: Type.String(),
    email: userEmail,
    userType,
    tenantId: tenantIdOnWire,
    roles: Type.Array(Type.String()),
    state: Type.Boolean(),
    invited: Type.Boolean({ description: 'true: invited by mail, and has not chosen a password yet.' }),
    secondFactor: Type.Boolean({ description: 'Whether the user has a second factor.' }),
    createdTime: Type.String(),
    updatedTime,
  },
  { $id: 'User' },
);

export const userQuery = Type.Object({ id: long('The user.') });

export const userListQuery = Type.Object({ ...pageFields, tenantId: tenantField });
