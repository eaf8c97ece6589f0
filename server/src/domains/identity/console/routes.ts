import { Type } from 'typebox';
import { type Clock, secondMs } from '../../../core/clock.ts';
import { notFound, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Answer, Call, Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { IdentityApp } from '../app.ts';
import { loginWithSecondFactor } from '../second-factor/login.ts';
import { loginWithPasskey } from '../second-factor/passkeys/login.ts';
import { passkeyLoginInput } from '../second-factor/passkeys/schema.ts';
import { secondLoginInput } from '../second-factor/schema.ts';
import { login } from '../sessions/login.ts';
import { logoutSession } from '../sessions/logout.ts';
import { loginOriginOf, type OpenedLogin } from '../sessions/open-session.ts';
import { signedCookie } from '../sessions/token-pair.ts';
import { findTenant } from '../tenants/statements.ts';
import { filteredTenant } from '../tenants/visible-tenants.ts';
import { recordOf } from '../users/record.ts';
import { findUser } from '../users/statements.ts';
import { profile, signInInput, signOutInput } from './schema.ts';
import { readLiveSetup } from './statements.ts';

const group = 'Console sessions';
const ownOriginOnly =
  'Only for pages of this origin, which send the header `X-Florin-Console`; others are refused (403, ' +
  '`origin_not_allowed`).';

const { get, post } = routesFor<IdentityApp>();

export const consoleRoutes: readonly Route<IdentityApp>[] = [
  post('/api/console/session', 'nothing', group, {
    operationId: 'beginConsoleSession',
    summary: 'Sign in to the console',
    description:
      'Like a login, but the session is kept in a cookie that no script can read, and no token is returned. ' +
      `The session of a previous cookie ends. ${ownOriginOnly}`,
    body: signInInput,
    refuses: ['origin_not_allowed', 'login_refused', 'second_factor_challenge', 'too_many_attempts'],
    data: Type.Null(),
    handle: async (call, app) => {
      app.sessionCookie.requireConsole({ method: 'POST', ...call });
      return signedIn(await login({ ...call.body, ...loginOriginOf(call) }, app), call, app);
    },
  }),

  post('/api/console/session/second-factor', 'nothing', group, {
    operationId: 'confirmConsoleSession',
    summary: 'Finish signing in with a code',
    description: `Takes the challenge of the refused sign-in. ${ownOriginOnly}`,
    body: secondLoginInput,
    refuses: ['origin_not_allowed', 'code_wrong', 'challenge_invalid', 'too_many_attempts'],
    data: Type.Null(),
    handle: async (call, app) => {
      app.sessionCookie.requireConsole({ method: 'POST', ...call });
      return signedIn(await loginWithSecondFactor({ ...call.body, ...loginOriginOf(call) }, app), call, app);
    },
  }),

  post('/api/console/session/passkey', 'nothing', group, {
    operationId: 'confirmConsoleSessionWithPasskey',
    summary: 'Sign in to the console with a passkey',
    description:
      'After a password, with the challenge of the refused sign-in, or alone. ' +
      '`POST /api/user/login/passkey/begin` has the ' +
      `options. ${ownOriginOnly}`,
    body: passkeyLoginInput,
    refuses: ['origin_not_allowed', 'login_refused', 'challenge_invalid', 'passkeys_unavailable', 'too_many_attempts'],
    data: Type.Null(),
    handle: async (call, app) => {
      app.sessionCookie.requireConsole({ method: 'POST', ...call });
      return signedIn(await loginWithPasskey({ ...call.body, ...loginOriginOf(call) }, app), call, app);
    },
  }),

  post('/api/console/session/end', 'nothing', group, {
    summary: 'Sign out of the console',
    description:
      'Ends the session and removes the cookie; with `all`, ends every session of the user. ' +
      'Signing out twice is not an ' +
      `error. The body is optional. ${ownOriginOnly}`,
    body: signOutInput,
    refuses: ['origin_not_allowed', 'step_up_required'],
    data: Type.Null(),
    handle: async (call, app) => {
      app.sessionCookie.requireConsole({ method: 'POST', ...call });
      await endSession(call.headers.cookie, call.body?.all === true, loginOriginOf(call), app);
      return { message: 'Signed out', data: null, headers: { 'set-cookie': app.sessionCookie.clear() } };
    },
  }),

  get('/api/console/session', 'visitor', group, {
    summary: 'Get who is signed in',
    description: 'Null without credentials. The credentials of a session that has ended are refused.',
    data: profile,
    handle: async ({ principal }: { principal: Principal | undefined }, app) => ({
      data: principal === undefined ? null : await profileOf(principal, app),
    }),
  }),
];

/** Also ends the session of the cookie that is replaced. */
async function signedIn(opened: OpenedLogin, call: Call<unknown, unknown>, app: IdentityApp): Promise<Answer<null>> {
  await endSession(call.headers.cookie, false, loginOriginOf(call), app);
  const cookie = await signedCookie(opened.user, opened.session, app);
  return { message: 'Signed in', data: null, headers: { 'set-cookie': cookie } };
}

async function endSession(
  cookies: string | undefined,
  everywhere: boolean,
  origin: { address: string; requestId: string },
  app: IdentityApp,
): Promise<void> {
  const cookie = app.sessionCookie.read(cookies);
  if (cookie === undefined) return;
  try {
    const verified = await app.tokens.verify('cookie', cookie);
    await logoutSession(verified, everywhere, { address: origin.address, requestId: origin.requestId }, app);
  } catch (error) {
    // An expired or replaced cookie has no session to end.
    if (!(error instanceof Refusal && error.type === 'credentials_invalid')) throw error;
  }
}

async function profileOf(
  principal: Principal,
  {
    database,
    mailer,
    deploymentMode,
    sandboxEnabled,
    publicUrl,
    certificate,
    backupExpectedMs,
    keys,
  }: IdentityApp & { database: Database; clock: Clock },
) {
  const [[user], [tenant], [live]] = await Promise.all([
    database.run(findUser, [principal.userId]),
    database.run(findTenant, [principal.tenantId]),
    database.run(readLiveSetup, [filteredTenant(principal, undefined)]),
  ]);
  if (user === undefined) throw notFound('user', principal.userId);
  const { id, state, invited, updatedTime, ...shown } = recordOf(user);
  const isPlatform = principal.userType === 'PLATFORM_ADMIN';
  return {
    userId: id,
    ...shown,
    scopes: [...principal.scopes],
    tenantName: shown.tenantId === null ? null : (tenant?.name ?? null),
    holdsAll: principal.holdsAll,
    mustEnrol: principal.mayOnlyEnrol === true,
    deploymentMode,
    sandboxEnabled,
    hasLiveChannel: live?.has_channel === true,
    hasLiveKey: live?.has_key === true,
    channelsWithoutCallback: principal.scopes.has('channel_read') ? (live?.channels_without_callback ?? []) : [],
    sendsMail: mailer.hasServer,
    certificateEndTime: isPlatform ? certificate.endTime : null,
    backupExpectedSeconds: isPlatform && backupExpectedMs > 0 ? backupExpectedMs / secondMs : null,
    unknownKeyRequests: isPlatform ? keys.unknown : null,
    publicUrl,
  };
}
