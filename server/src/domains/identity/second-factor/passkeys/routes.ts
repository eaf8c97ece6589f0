import { Type } from 'typebox';
import type { Route } from '../../../../platform/http/route.ts';
import { routesFor } from '../../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../../app.ts';
import { loginOriginOf, signLoginResult } from '../../sessions/open-session.ts';
import { loginResult } from '../../sessions/schema.ts';
import { beginInput, steppedUp } from '../schema.ts';
import { steppedUpAnswer, withNewTokens } from '../step-up.ts';
import { beginPasskeyLogin, loginWithPasskey } from './login.ts';
import { listPasskeys, modifyPasskey, removePasskey } from './manage.ts';
import { beginPasskey, registerPasskey } from './register.ts';
import {
  beginPasskeyLoginInput,
  beginPasskeyStepUpInput,
  passkeyLoginInput,
  passkeyOptions,
  passkeyRecord,
  passkeyStepUpInput,
  registeredPasskey,
  registerPasskeyInput,
  removePasskeyInput,
  renamePasskeyInput,
} from './schema.ts';
import { beginPasskeyStepUp, stepUpWithPasskey } from './step-up.ts';

const { get, post } = routesFor<IdentityApp>();

export const passkeyRoutes: readonly Route<IdentityApp>[] = [
  post('/api/user/login/passkey/begin', 'nothing', 'Passkeys', {
    operationId: 'beginPasskeyLogin',
    summary: 'Begin a login with a passkey',
    description: `With the challenge of a login whose password was right,
           the passkey is the second factor. Without one it is the only step, and the device must check a PIN, a finger
           or a face.`,
    body: beginPasskeyLoginInput,
    refuses: ['challenge_invalid', 'passkeys_unavailable'],
    data: passkeyOptions,
    message: 'Ask the browser for a passkey',
    handle: async (call, app) => ({ data: await beginPasskeyLogin(call, app) }),
  }),

  post('/api/user/login/passkey', 'nothing', 'Passkeys', {
    operationId: 'loginWithPasskey',
    summary: 'Finish a login with a passkey',
    description:
      'Answers like a login without a second factor. Whatever is wrong with the passkey, ' +
      'the refusal is the same (401), and counts as a failed login.',
    body: passkeyLoginInput,
    refuses: ['login_refused', 'challenge_invalid', 'passkeys_unavailable', 'too_many_attempts'],
    data: loginResult,
    message: 'Login successful',
    handle: async (call, app) => ({
      data: await signLoginResult(await loginWithPasskey({ ...call.body, ...loginOriginOf(call) }, app), app),
    }),
  }),

  get('/api/user/passkey/list', 'enrolment', 'Passkeys', {
    operationId: 'listPasskeys',
    summary: 'List my passkeys',
    data: Type.Array(passkeyRecord),
    handle: async (call, app) => ({ data: await listPasskeys(call, app) }),
  }),

  post('/api/user/passkey/begin', 'enrolment', 'Passkeys', {
    operationId: 'beginPasskey',
    summary: 'Begin to register a passkey',
    description: 'A caller with a second factor must be stepped up. A wrong password (400) counts as a failed login.',
    body: beginInput,
    refuses: [
      'old_password_wrong',
      'step_up_required',
      'passkey_limit_reached',
      'passkeys_unavailable',
      'too_many_attempts',
    ],
    data: passkeyOptions,
    message: 'Have the browser create a passkey',
    handle: async (call, app) => ({ data: await beginPasskey(call, app) }),
  }),

  post('/api/user/passkey/register', 'enrolment', 'Passkeys', {
    operationId: 'registerPasskey',
    summary: 'Register a passkey',
    description:
      "If it is the caller's first second factor, recovery codes are created, logins need a second step from now " +
      'on, and the other sessions of the caller end. This session is stepped up. ' +
      'With `app.security.profile=strict` the answer has new tokens, and the old ones stop working.',
    body: registerPasskeyInput,
    refuses: ['passkey_wrong', 'challenge_invalid', 'passkey_limit_reached', 'passkeys_unavailable'],
    data: registeredPasskey,
    handle: async (call, app) => {
      const { registered, steppedUp } = await registerPasskey(call, app);
      return withNewTokens({ message: 'Passkey registered', data: registered }, steppedUp, call, app);
    },
  }),

  post('/api/user/passkey/modify', 'session', 'Passkeys', {
    operationId: 'modifyPasskey',
    summary: 'Rename a passkey',
    body: renamePasskeyInput,
    data: passkeyRecord,
    message: 'Passkey renamed',
    handle: async (call, app) => ({ data: await modifyPasskey(call, app) }),
  }),

  post('/api/user/passkey/remove', 'session', 'Passkeys', {
    operationId: 'removePasskey',
    summary: 'Remove a passkey',
    description:
      'The session must be stepped up. When a user without an authenticator app removes the last passkey, ' +
      'logins need only the password.',
    body: removePasskeyInput,
    refuses: ['step_up_required'],
    data: Type.Null(),
    handle: async (call, app) => {
      await removePasskey(call, app);
      return { message: 'Passkey removed', data: null };
    },
  }),

  post('/api/user/step-up/passkey/begin', 'session', 'Passkeys', {
    operationId: 'beginPasskeyStepUp',
    summary: 'Begin to step up the session with a passkey',
    body: beginPasskeyStepUpInput,
    refuses: ['second_factor_absent', 'passkeys_unavailable'],
    data: passkeyOptions,
    message: 'Ask the browser for a passkey',
    handle: async (call, app) => ({ data: await beginPasskeyStepUp(call, app) }),
  }),

  post('/api/user/step-up/passkey', 'session', 'Passkeys', {
    operationId: 'stepUpSessionWithPasskey',
    summary: 'Step up the session with a passkey',
    description: 'As with a code: for `app.security.step-up-lifetime`.',
    body: passkeyStepUpInput,
    refuses: ['passkey_wrong', 'challenge_invalid', 'passkeys_unavailable'],
    data: steppedUp,
    handle: async (call, app) => steppedUpAnswer(await stepUpWithPasskey(call, app), call, app),
  }),
];
