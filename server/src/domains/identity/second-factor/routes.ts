import { Type } from 'typebox';
import { administrator, type Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../app.ts';
import { loginOriginOf, signLoginResult } from '../sessions/open-session.ts';
import { loginResult } from '../sessions/schema.ts';
import { beginEnrolment, confirmEnrolment, regenerateRecoveryCodes } from './enrol.ts';
import { loginWithSecondFactor } from './login.ts';
import { removeFactorOf, removeOwnFactor } from './remove.ts';
import {
  beginInput,
  begunFactor,
  codeInput,
  enrolled,
  factorStatus,
  recoveryCodes,
  removeFactorInput,
  secondLoginInput,
  steppedUp,
} from './schema.ts';
import { readStatus } from './statements.ts';
import { steppedUpAnswer, stepUp, withNewTokens } from './step-up.ts';

const limits =
  'Wrong codes (400) count as failed logins, and after 10 in 15 minutes no code of the user is accepted (429).';
const replacement = 'With `app.security.profile=strict` the answer has new tokens, and the old ones stop working.';

const { get, post } = routesFor<IdentityApp>();

export const secondFactorRoutes: readonly Route<IdentityApp>[] = [
  post('/api/user/login/second-factor', 'nothing', 'Second factor', {
    operationId: 'loginWithSecondFactor',
    summary: 'Finish a login with a code',
    description: `Takes the challenge of a login, and answers like a login without a second factor. ${limits}`,
    body: secondLoginInput,
    refuses: ['code_wrong', 'challenge_invalid', 'too_many_attempts'],
    data: loginResult,
    message: 'Login successful',
    handle: async (call, app) => ({
      data: await signLoginResult(await loginWithSecondFactor({ ...call.body, ...loginOriginOf(call) }, app), app),
    }),
  }),

  post('/api/user/step-up', 'session', 'Second factor', {
    operationId: 'stepUpSession',
    summary: 'Step up the session with a code',
    description:
      'For `app.security.step-up-lifetime` the session may then do what is otherwise refused with ' +
      '`step_up_required`. A ' +
      `login with a code counts too. ${replacement} ${limits}`,
    body: codeInput,
    refuses: ['code_wrong', 'second_factor_absent', 'too_many_attempts'],
    data: steppedUp,
    handle: async (call, app) => steppedUpAnswer(await stepUp(call, app), call, app),
  }),

  get('/api/user/second-factor', 'enrolment', 'Second factor', {
    operationId: 'getSecondFactor',
    summary: 'Get the state of my second factor',
    data: factorStatus,
    handle: async ({ principal }, app) => {
      const [status] = await app.database.run(readStatus, [principal.userId]);
      const confirmedTime = status?.confirmed_at ?? null;
      const recoveryCodesLeft = status?.recovery_codes ?? 0;
      const passkeys = status?.passkeys ?? 0;
      return { data: { active: confirmedTime !== null, confirmedTime, passkeys, recoveryCodesLeft } };
    },
  }),

  post('/api/user/second-factor/begin', 'enrolment', 'Second factor', {
    operationId: 'beginSecondFactor',
    summary: 'Begin to enrol a second factor',
    description:
      'Returns a secret for an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds). ' +
      'It is used once it is confirmed with a code; until then, beginning again replaces it. ' +
      'A caller with a passkey must be stepped up. A wrong password (400) counts as a failed login.',
    body: beginInput,
    refuses: ['old_password_wrong', 'second_factor_active', 'step_up_required', 'too_many_attempts'],
    data: begunFactor,
    message: 'Confirm it with a code. The secret is not shown again',
    handle: async (call, app) => ({ data: await beginEnrolment(call, app) }),
  }),

  post('/api/user/second-factor/confirm', 'enrolment', 'Second factor', {
    operationId: 'confirmSecondFactor',
    summary: 'Confirm the second factor with a code',
    description:
      'From now on logins need a code. The other sessions of the caller end, and this one is stepped up. ' +
      `${replacement} ${limits}`,
    body: codeInput,
    refuses: ['code_wrong', 'second_factor_absent', 'second_factor_active', 'too_many_attempts'],
    data: enrolled,
    handle: async (call, app) => {
      const { recoveryCodes, steppedUp } = await confirmEnrolment(call, app);
      const message = 'Second factor enrolled. Keep the recovery codes: they are not shown again';
      return withNewTokens({ message, data: { recoveryCodes } }, steppedUp, call, app);
    },
  }),

  post('/api/user/second-factor/recovery-codes', 'session', 'Second factor', {
    operationId: 'regenerateRecoveryCodes',
    summary: 'Replace my recovery codes',
    description: `The old codes stop working. ${limits}`,
    body: codeInput,
    refuses: ['code_wrong', 'second_factor_absent', 'too_many_attempts'],
    data: recoveryCodes,
    message: 'Recovery codes replaced. Keep them: they are not shown again',
    handle: async (call, app) => ({ data: { recoveryCodes: await regenerateRecoveryCodes(call, app) } }),
  }),

  post('/api/user/second-factor/remove', 'session', 'Second factor', {
    operationId: 'removeSecondFactor',
    summary: 'Remove my authenticator app',
    description: `Needs a code or a recovery code. Passkeys stay, and with them the recovery codes. ${limits}`,
    body: codeInput,
    refuses: ['code_wrong', 'second_factor_absent', 'role_missing', 'too_many_attempts'],
    data: Type.Null(),
    handle: async (call, app) => {
      await removeOwnFactor(call, app);
      return { message: 'Second factor removed', data: null };
    },
  }),

  post('/api/user/second-factor/revoke', administrator('session'), 'Second factor', {
    operationId: 'revokeSecondFactor',
    summary: 'Remove the second factor of another user',
    description:
      'For a user who has lost it: the authenticator app, all passkeys and the recovery codes, ' +
      "of a user of the caller's tenant, or of any for a PLATFORM_ADMIN. The sessions of the user end. " +
      'An administrator with a second factor must be stepped up.',
    body: removeFactorInput,
    refuses: ['second_factor_absent', 'step_up_required'],
    data: Type.Null(),
    handle: async (call, app) => {
      await removeFactorOf(call, app);
      return { message: 'Second factor removed', data: null };
    },
  }),
];
