import { Type } from 'typebox';
import { tokenPair } from '../sessions/schema.ts';

const code = Type.String({
  minLength: 6,
  maxLength: 40,
  writeOnly: true,
  description: 'The 6 digits of the authenticator app, or a recovery code. Each works once.',
});

export const codeInput = Type.Object({ code }, { $id: 'SecondFactorCodeInput', additionalProperties: false });

export const beginInput = Type.Object(
  { password: Type.String({ minLength: 1, maxLength: 1024, writeOnly: true, description: 'Of the caller.' }) },
  { $id: 'SecondFactorBeginInput', additionalProperties: false },
);

export const begunFactor = Type.Object(
  {
    secret: Type.String({ description: 'In base32, to type into an authenticator app. Not shown again.' }),
    uri: Type.String({ description: 'The same as an `otpauth:` address, to show as a QR code.' }),
  },
  { $id: 'SecondFactorEnrolment' },
);

export const recoveryCodes = Type.Object(
  {
    recoveryCodes: Type.Array(Type.String(), { description: 'Ten codes, each for one use. Not shown again.' }),
  },
  { $id: 'RecoveryCodes' },
);

/**
 * The new tokens of a session that was stepped up, in the strict profile. Absent for the console, whose cookie is
 * replaced.
 */
export const replacedTokens = { token: Type.Optional(tokenPair) };

export const enrolled = Type.Object(
  { ...recoveryCodes.properties, ...replacedTokens },
  { $id: 'SecondFactorEnrolled' },
);

export const secondLoginInput = Type.Object(
  {
    challenge: Type.String({
      minLength: 1,
      maxLength: 200,
      writeOnly: true,
      description: '`error.details.challenge` of the answer to login. Valid for 5 minutes, 5 tries and one login.',
    }),
    code,
  },
  { $id: 'SecondFactorLoginInput', additionalProperties: false },
);

export const steppedUp = Type.Object(
  {
    steppedUpUntil: Type.String(),
    ...replacedTokens,
  },
  { $id: 'StepUp' },
);

export const factorStatus = Type.Object(
  {
    active: Type.Boolean({ description: 'Whether an authenticator app is enrolled.' }),
    confirmedTime: Type.Union([Type.String(), Type.Null()], { description: 'Since when; null: not yet.' }),
    passkeys: Type.Integer({
      description: 'How many passkeys the user has. With an app or a passkey, logins need a second step.',
    }),
    recoveryCodesLeft: Type.Integer(),
  },
  { $id: 'SecondFactor' },
);

export const removeFactorInput = Type.Object(
  { id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The user.' }) },
  { $id: 'SecondFactorRevokeInput', additionalProperties: false },
);
