import { expect, test } from 'vitest';
import type { Principal } from '../../../../core/principal.ts';
import type { Scope } from '../../../../core/scopes.ts';
import { requireReadScopes } from '../rules.ts';

test('a caller may subscribe to event types that it may read', () => {
  const reader = principalWith('transaction_read');
  expect(() => requireReadScopes(['transaction.*', 'transaction.created'], reader)).not.toThrow();
  expect(() =>
    requireReadScopes(
      ['*'],
      principalWith('transaction_read', 'invoice_read', 'subscription_read', 'channel_read', 'webhook_read'),
    ),
  ).not.toThrow();
});

test.each([
  [['invoice.paid'], 'invoice_read'],
  [['transaction.created', 'subscription.*'], 'subscription_read'],
  [['*'], 'subscription_read'],
])('subscribing to %j is refused without %s', (patterns, scope) => {
  const refusal = expect(() => requireReadScopes(patterns, principalWith('transaction_read')));
  refusal.toThrow(expect.objectContaining({ type: 'scope_missing', details: expect.objectContaining({ scope }) }));
});

function principalWith(...scopes: Scope[]): Principal {
  return {
    by: 'key',
    userId: 1,
    userName: 'ann',
    userType: 'MERCHANT_ADMIN',
    tenantId: 1,
    roles: [],
    scopes: new Set(scopes),
    holdsAll: false,
  };
}
