import { expect, test } from 'vitest';
import { eventPatterns, eventTypes, patternsMatching, scopeOfEventType, typesMatching } from './event-types.ts';

test("the types are the interface's, and refund.failed", () => {
  expect(eventTypes).toEqual([
    'transaction.created',
    'transaction.processing',
    'transaction.succeeded',
    'transaction.failed',
    'transaction.refunded',
    'transaction.cancelled',
    'refund.failed',
    'subscription.created',
    'subscription.updated',
    'subscription.cancelled',
    'subscription.expired',
    'invoice.paid',
    'invoice.payment_failed',
  ]);
});

test('each is read with the scope of its noun; refunds are read with that of payments', () => {
  for (const type of eventTypes) {
    const [noun] = type.split('.');
    expect(scopeOfEventType[type]).toBe(`${noun === 'refund' ? 'transaction' : noun}_read`);
  }
});

test('a subscription names a type, all of a noun, or everything', () => {
  expect(eventPatterns).toEqual(['*', 'transaction.*', 'refund.*', 'subscription.*', 'invoice.*', ...eventTypes]);
});

test('what a pattern stands for is what it is delivered under, and the other way round', () => {
  for (const pattern of eventPatterns) {
    for (const type of eventTypes) {
      expect(patternsMatching(type).includes(pattern)).toBe(typesMatching(pattern).includes(type));
    }
  }
  expect(typesMatching('*')).toEqual(eventTypes);
  expect(typesMatching('invoice.*')).toEqual(['invoice.paid', 'invoice.payment_failed']);
  expect(typesMatching('transaction.created')).toEqual(['transaction.created']);
  expect(typesMatching('invoice')).toEqual([]);
});
