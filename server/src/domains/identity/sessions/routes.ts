import { Type } from 'typebox';
import { defaultPageSize, paginationOf } from '../../../core/page.ts';
import { networkOf } from '../../../platform/http/limits/network-of.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../app.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { loginOriginOf, signLoginResult } from './open-session.ts';
import { refresh } from './refresh.ts';
import { revokeSessions } from './revoke.ts';
import {
  loginInput,
  loginResult,
  logoutInput,
  refreshed,
  refreshInput,
  revokeSessionInput,
  sessionListQuery,
  sessionRecord,
} from './schema.ts';
import { idleSince } from './session-authenticator.ts';
import { countSessionsOfUser, listSessionsOfUser, type SessionRow } from './statements.ts';

const { get, post } = routesFor<IdentityApp>();

export const sessionRoutes: readonly Route<IdentityApp>[] = [
  post('/api/user/login', 'nothing', 'Users', {
    operationId: 'login',
    summary: 'Log in',
    description:
      'A wrong password, an unknown account and a disabled account get the same refusal (401). ' +
      'After 10 failures in 15 minutes, further logins to that account from that address are refused (429, ' +
      'with Retry-After), and after `app.rate-limit.failures-per-address` failures those to any account that has ' +
      'not logged in from there before. An account with a second factor gets `second_factor_challenge` (401), ' +
      'whose `error.details.challenge` goes to `/api/user/login/second-factor` with a code.',
    body: loginInput,
    refuses: ['login_refused', 'second_factor_challenge', 'too_many_attempts'],
    data: loginResult,
    message: 'Login successful',
    handle: async (call, app) => ({
      data: await signLoginResult(await login({ ...call.body, ...loginOriginOf(call) }, app), app),
    }),
  }),

  post('/api/user/refresh', 'nothing', 'Users', {
    operationId: 'refreshAccessToken',
    summary: 'Get a new access token',
    description:
      'The refresh token does not change and stays valid until the session ends. ' +
      'With `app.security.profile=strict` both tokens are replaced, and a refresh token that was replaced before ' +
      'ends the session. Failures are limited for each address (`app.rate-limit.failures-per-address`).',
    body: refreshInput,
    refuses: ['credentials_invalid', 'too_many_attempts'],
    data: refreshed,
    handle: async ({ body, address, requestId }, app) => {
      const token = await app.refreshFailures.attempt(networkOf(address), () =>
        refresh(body.refreshToken, { address, requestId }, app),
      );
      // Clients may look for the token object in `data` itself, or in `data.token` as in the answer to login.
      return { message: 'Token refreshed', data: { ...token, token } };
    },
  }),

  post('/api/user/logout', 'token', 'Users', {
    operationId: 'logout',
    summary: 'Log out',
    description:
      'Needs a Bearer access token. Ends the session, so that both of its tokens stop working immediately; ' +
      'with `all`, ends every session of the user. Logging out twice is not an error. The body is optional. ' +
      'With `app.security.profile=strict`, `all` needs a fresh login or step-up.',
    body: logoutInput,
    refuses: ['step_up_required'],
    data: Type.Null(),
    handle: async ({ body, headers, address, requestId }, app) => {
      await logout(headers.authorization, body?.all === true, { address, requestId }, app);
      return { message: 'Logged out', data: null };
    },
  }),

  get('/api/session/list', 'session', 'Users', {
    summary: 'List my sessions',
    description: 'Newest first: the device and address of each, and when it was last used.',
    query: sessionListQuery,
    data: Type.Array(sessionRecord),
    paged: true,
    handle: async ({ query: { page = 1, pageSize = defaultPageSize }, principal: { userId, sessionId } }, app) => {
      const usable = [userId, new Date(app.clock()), idleSince(app.clock(), app.lifetimes.idleMs)];
      const [rows, [count]] = await Promise.all([
        app.database.run(listSessionsOfUser, [...usable, (page - 1) * pageSize, pageSize]),
        app.database.run(countSessionsOfUser, usable),
      ]);
      const data = rows.map((row) => recordOf(row, sessionId));
      return { data, pagination: paginationOf({ page, pageSize }, count?.total ?? 0) };
    },
  }),

  post('/api/session/revoke', 'session', 'Users', {
    summary: 'End one or all of my sessions',
    description:
      'Takes effect immediately. Ending a session again is not an error. ' +
      'With `app.security.profile=strict` it needs a fresh login or step-up.',
    body: revokeSessionInput,
    refuses: ['step_up_required'],
    data: Type.Null(),
    handle: async (call, app) => {
      await revokeSessions(call, app);
      return { message: call.body.all === true ? 'Sessions ended' : 'Session ended', data: null };
    },
  }),
];

function recordOf(row: SessionRow, currentId: string | undefined) {
  return {
    id: row.id,
    device: row.user_agent,
    address: row.address,
    current: row.id === currentId,
    createdTime: row.created_at,
    lastUsedTime: row.last_used_at,
    expiresTime: row.expires_at,
  };
}
