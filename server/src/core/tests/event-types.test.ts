import { expect, test } from 'vitest';
import { eventPatterns, eventTypes, patternsMatching, scopeOfEventType, typesMatching } from '../event-types.ts';

const typesOfTheInterface = [
  'transaction.created',
  'transaction.processing',
  'transaction.succeeded',
  'transaction.failed',
  'transaction.refunded',
  'transaction.cancelled',
  'subscription.created',
  'subscription.updated',
  'subscription.cancelled',
  'subscription.expired',
  'invoice.paid',
  'invoice.payment_failed',
];

test('all types of the interface are sent, in its order', () => {
  expect(eventTypes.filter((type) => typesOfTheInterface.includes(type))).toEqual(typesOfTheInterface);
});

const readAsPayments = ['refund', 'customer', 'payment_method', 'dispute', 'discrepancy'];

test('each is read with the scope of its record; what belongs to payments with that of payments', () => {
  for (const type of eventTypes) {
    const noun = type.split('.')[0] as string;
    expect(scopeOfEventType[type]).toBe(`${readAsPayments.includes(noun) ? 'transaction' : noun}_read`);
  }
});

test('a subscription names a type, all types of a noun, or everything', () => {
  const ours = ['channel', 'webhook', 'payment_method', 'discrepancy', 'dispute'];
  const nouns = ['transaction', 'refund', 'subscription', 'invoice', 'customer', ...ours];
  expect(eventPatterns).toEqual(['*', ...nouns.map((noun) => `${noun}.*`), ...eventTypes]);
});

test('a type is delivered under exactly the patterns that match it', () => {
  for (const pattern of eventPatterns) {
    for (const type of eventTypes) {
      expect(patternsMatching(type).includes(pattern)).toBe(typesMatching(pattern).includes(type));
    }
  }
  expect(typesMatching('*')).toEqual(eventTypes);
  expect(typesMatching('customer.*')).toEqual(['customer.created', 'customer.updated']);
  expect(typesMatching('transaction.created')).toEqual(['transaction.created']);
  expect(typesMatching('invoice')).toEqual([]);
});
