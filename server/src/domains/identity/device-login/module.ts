import type { Clock } from '../../../core/clock.ts';
import { type FailureLimiter, RateLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { failureWindowMs } from '../sessions/login-failures.ts';
import { deviceLoginRoutes, group } from './routes.ts';
import { codeInput, decideInput, decision, deviceCode, deviceKey, deviceRequest, tokenInput } from './schema.ts';
import { deleteExpiredDevices } from './statements.ts';

/** Leaves room for typing errors. */
const maxWrongCodes = 10;

/** Logins of programs without a browser, which the user approves in one (RFC 8628). The program gets a developer key. */
export const deviceLogin = defineModule({
  name: 'device-login',
  tables: ['device_login'],
  auditActions: {
    'device.approve': 'A user approved the login of a program on another device, which then gets a key.',
    'device.deny': 'A user denied the login of a program on another device.',
  },
  reference: [{ name: group, description: 'Logins of programs that the user approves in a browser.' }],
  resources: { 'device request': deviceRequest },
  schemas: {
    DeviceCodeInput: codeInput,
    DeviceCode: deviceCode,
    DeviceTokenInput: tokenInput,
    DeviceKey: deviceKey,
    DeviceRequest: deviceRequest,
    DeviceDecideInput: decideInput,
    DeviceDecision: decision,
  },
  routes: (context: Node & { makeFailureLimiter: (what: string) => FailureLimiter; clock: Clock; maxKeys: number }) =>
    deviceLoginRoutes({
      ...context,
      beginLimiter: context.makeFailureLimiter('begun device logins'),
      unknownCodeLimiter: context.makeFailureLimiter('unknown device codes'),
      wrongCodeLimiter: new RateLimiter({
        max: maxWrongCodes,
        windowMs: failureWindowMs,
        clock: context.clock,
        shared: context.siblings.sharedUses('wrong device codes'),
      }),
    }),
  retention: ({ database }: Node) => [
    { name: 'device logins', sweep: (nowMs) => deleteInBatches(database, deleteExpiredDevices, [new Date(nowMs)]) },
  ],
});
