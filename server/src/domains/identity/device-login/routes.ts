import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { IdentityApp } from '../app.ts';
import { generatedOf } from '../developer-keys/routes.ts';
import { beginDeviceLogin } from './begin.ts';
import { claimDeviceKey } from './claim.ts';
import { decideDeviceRequest, findDeviceRequest } from './decide.ts';
import {
  codeInput,
  decideInput,
  decision,
  deviceCode,
  deviceKey,
  deviceRequest,
  requestQuery,
  tokenInput,
} from './schema.ts';

export const group = 'Device login';

const { get, post } = routesFor<IdentityApp>();

export const deviceLoginRoutes: readonly Route<IdentityApp>[] = [
  post('/api/device/code', 'nothing', group, {
    operationId: 'beginDeviceLogin',
    summary: 'Begin the login of a program',
    description:
      'Returns two codes (RFC 8628). The program shows the user code and the address at which the user approves ' +
      'the login, and meanwhile polls for its key with the device code.',
    body: codeInput,
    refuses: ['too_many_attempts'],
    data: deviceCode,
    message: 'Waiting for the user',
    handle: async (call, app) => ({ data: await beginDeviceLogin(call, app) }),
  }),

  post('/api/device/token', 'nothing', group, {
    operationId: 'finishDeviceLogin',
    summary: 'Get the key of an approved login',
    description:
      'Returns the key once, after the user has approved the login. ' +
      'Until then refuses with `authorization_pending`, or with `slow_down` when the program polls too often. ' +
      'The key expires after 90 days.',
    body: tokenInput,
    refuses: [
      'authorization_pending',
      'slow_down',
      'access_denied',
      'expired_token',
      'key_limit_reached',
      'too_many_attempts',
    ],
    data: deviceKey,
    handle: async ({ body, address, requestId }, app) => {
      const { key, row, userName } = await claimDeviceKey(body.deviceCode, { address, requestId }, app);
      return {
        message: 'Logged in. Keep the key: it is not shown again',
        data: { ...generatedOf(key, row), userName },
      };
    },
  }),

  get('/api/device/request', 'session', group, {
    operationId: 'getDeviceLogin',
    summary: 'Get the pending login with a user code',
    description: 'For the page on which the user approves it. Ten wrong codes in 15 minutes are refused.',
    query: requestQuery,
    refuses: ['record_not_found', 'too_many_attempts'],
    data: deviceRequest,
    handle: async ({ query, principal, address }, app) => {
      const row = await findDeviceRequest(query.userCode, principal, app);
      return {
        data: {
          client: row.client,
          address: row.address,
          isSameAddress: row.address === address,
          scope: row.scope,
          livemode: row.livemode,
          createdTime: row.created_at,
          expiresTime: row.expires_at,
        },
      };
    },
  }),

  post('/api/device/decide', 'session', group, {
    operationId: 'decideDeviceLogin',
    summary: 'Approve or deny the login of a program',
    description: 'The program gets a developer key of the caller, which acts as the caller within its scope.',
    body: decideInput,
    refuses: ['record_not_found', 'role_missing', 'scope_missing', 'step_up_required', 'too_many_attempts'],
    data: decision,
    handle: async (call, app) => {
      const { client } = await decideDeviceRequest(call, app);
      return {
        message: call.body.approve ? 'Login approved' : 'Login denied',
        data: { client, approved: call.body.approve },
      };
    },
  }),
];
