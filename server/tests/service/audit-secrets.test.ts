import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { allRoutes } from '../../src/app/routes.ts';
import { secretFieldsOf } from '../../src/domains/identity/audit/changes.ts';

/** Every secret that a request can carry. The audit log masks them, and the OpenAPI document marks them `writeOnly`. */
const secrets: Record<string, string[]> = {
  '/api/channel/modify': ['apiKey', 'apiSecret', 'webhookSecret'],
  '/api/console/session': ['password'],
  '/api/console/session/second-factor': ['challenge', 'code'],
  '/api/console/session/passkey': ['challenge'],
  '/api/customer/modify': ['paymentMethod'],
  '/api/inbox/create': ['secret'],
  '/api/invoice/pay': ['paymentMethod'],
  '/api/payment-method/setup': ['bankAccount', 'customerReference', 'token'],
  '/api/transaction/create': ['paymentMethod'],
  '/api/user/change-password': ['newPassword', 'oldPassword'],
  '/api/user/login': ['password'],
  '/api/user/login/passkey': ['challenge'],
  '/api/user/login/passkey/begin': ['challenge'],
  '/api/user/login/second-factor': ['challenge', 'code'],
  '/api/user/modify': ['oldPassword', 'password'],
  '/api/user/passkey/begin': ['password'],
  '/api/user/refresh': ['refreshToken'],
  '/api/user/reset-password': ['newPassword', 'token'],
  '/api/user/second-factor/begin': ['password'],
  '/api/user/second-factor/confirm': ['code'],
  '/api/user/second-factor/recovery-codes': ['code'],
  '/api/user/second-factor/remove': ['code'],
  '/api/user/step-up': ['code'],
  '/api/webhook/register': ['secret'],
  '/api/webhook/rotate': ['secret'],
};

const bodies = allRoutes.flatMap(({ path, endpoint: { body } }) => (body === undefined ? [] : [{ path, body }]));

test('the secrets that requests can carry are declared, and no others', () => {
  const declared = bodies
    .map(({ path, body }) => [path, secretFieldsOf(body).toSorted()] as const)
    .filter(([, fields]) => fields.length > 0);
  expect(Object.fromEntries(declared.toSorted(([a], [b]) => (a < b ? -1 : 1)))).toEqual(secrets);
});

test('a field whose name says that it is a secret is declared as one', () => {
  const undeclared = bodies.flatMap(({ path, body }) =>
    namesIn(body)
      .filter((name) => /password|secret|token|apiKey|paymentMethod/i.test(name))
      .filter((name) => !secretFieldsOf(body).includes(name))
      .map((name) => `${path} ${name}`),
  );
  expect(undeclared).toEqual([]);
});

function namesIn(schema: TSchema): string[] {
  const { properties = {}, anyOf = [] } = schema as { properties?: Record<string, TSchema>; anyOf?: TSchema[] };
  return [...Object.keys(properties), ...[...Object.values(properties), ...anyOf].flatMap(namesIn)];
}
