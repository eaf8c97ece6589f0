import { describe, expect, test } from 'vitest';
import {
  defaultScopes,
  keyHoldsAll,
  roleNames,
  type Scope,
  scopes,
  scopesOfKey,
  scopesOfUser,
  userTypes,
} from '../scopes.ts';

const reads: Scope[] = [
  'transaction_read',
  'user_read',
  'channel_read',
  'invoice_read',
  'subscription_read',
  'webhook_read',
];
const sorted = (held: ReadonlySet<Scope>) => [...held].toSorted();

test('the scopes are those of the interface and two of webhooks; the user types are those of the interface', () => {
  expect(scopes).toEqual([
    'transaction_write',
    'transaction_read',
    'transaction_refund',
    'user_write',
    'user_read',
    'channel_read',
    'channel_write',
    'invoice_read',
    'invoice_write',
    'subscription_read',
    'subscription_write',
    'webhook_read',
    'webhook_write',
  ]);
  expect(userTypes).toEqual(['PLATFORM_ADMIN', 'MERCHANT_ADMIN', 'MERCHANT_USER']);
  expect(defaultScopes).toEqual(['transaction_write', 'transaction_read', 'user_write', 'user_read']);
});

describe('a user', () => {
  test.each([
    ['viewer', reads],
    ['cashier', [...reads, 'transaction_write']],
    [
      'operator',
      [...reads, 'transaction_write', 'transaction_refund', 'invoice_write', 'subscription_write', 'webhook_write'],
    ],
  ] as const)('who is a %s holds what the decisions say', (role, held) => {
    expect(sorted(scopesOfUser('MERCHANT_USER', [role]))).toEqual(held.toSorted());
  });

  test('there are no other roles', () => {
    expect(roleNames).toEqual(['viewer', 'cashier', 'operator']);
  });

  test('of several roles holds what any of them grants', () => {
    expect(sorted(scopesOfUser('MERCHANT_USER', ['viewer', 'cashier']))).toEqual(
      sorted(scopesOfUser('MERCHANT_USER', ['cashier'])),
    );
  });

  test.each([[[]], [['admin']], [['toString']], [['__proto__']], [['constructor', 'VIEWER']]])(
    'with the roles %j holds nothing',
    (roles) => {
      expect(scopesOfUser('MERCHANT_USER', roles).size).toBe(0);
    },
  );

  test('an administrator holds everything, whatever the roles', () => {
    for (const type of ['PLATFORM_ADMIN', 'MERCHANT_ADMIN'] as const) {
      expect(sorted(scopesOfUser(type, []))).toEqual(scopes.toSorted());
    }
  });
});

describe('a key', () => {
  const owner = new Set<Scope>(['transaction_read', 'transaction_write']);

  test('may do what its scope names', () => {
    expect(sorted(scopesOfKey('transaction_read', owner))).toEqual(['transaction_read']);
  });

  test('never more than its owner', () => {
    expect(sorted(scopesOfKey('transaction_read,channel_write', owner))).toEqual(['transaction_read']);
    expect(sorted(scopesOfKey('channel_write', owner))).toEqual([]);
  });

  test('holds * only if it was granted * by an administrator; naming every scope is not enough', () => {
    expect(keyHoldsAll('*', true)).toBe(true);
    expect(keyHoldsAll(scopes.join(','), true)).toBe(false);
    expect(keyHoldsAll('*', false)).toBe(false);
  });

  test('for everything has the permissions of its owner', () => {
    expect(sorted(scopesOfKey('*', owner))).toEqual(sorted(owner));
    expect(sorted(scopesOfKey('transaction_read,*', owner))).toEqual(sorted(owner));
    expect(sorted(scopesOfKey('*', new Set()))).toEqual([]);
  });

  test.each(['', 'transaction', 'TRANSACTION_READ', ' transaction_read', 'transaction_*', '**'])(
    'with the scope %j may do nothing',
    (scope) => {
      expect(scopesOfKey(scope, owner).size).toBe(0);
    },
  );
});
