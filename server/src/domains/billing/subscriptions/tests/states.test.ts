import { expect, test } from 'vitest';
import { eventOf, hasEnded, mayBecome, permittedTransitions, subscriptionStates } from '../states.ts';

const expected = `
  TRIALING>ACTIVE TRIALING>CANCELLED TRIALING>EXPIRED
  ACTIVE>PAST_DUE ACTIVE>PAUSED ACTIVE>CANCELLED ACTIVE>EXPIRED
  PAST_DUE>ACTIVE PAST_DUE>CANCELLED PAST_DUE>EXPIRED
  PAUSED>ACTIVE PAUSED>PAST_DUE PAUSED>CANCELLED PAUSED>EXPIRED`
  .trim()
  .split(/\s+/);

test('exactly these pairs of states are transitions', () => {
  const pairs = subscriptionStates.flatMap((from) => subscriptionStates.map((to) => [from, to] as const));
  const found = pairs.filter(([from, to]) => mayBecome(from, to)).map(([from, to]) => `${from}>${to}`);
  expect(found.toSorted()).toEqual(expected.toSorted());
  for (const [from, to] of pairs) {
    const isPermitted = from === to ? !hasEnded(from) : mayBecome(from, to);
    expect(permittedTransitions.includes(`('${from}', '${to}')`), `${from} to ${to}`).toBe(isPermitted);
  }
});

test('the end of a subscription has its own event, every other change is subscription.updated', () => {
  expect(eventOf('ACTIVE', 'CANCELLED')).toBe('subscription.cancelled');
  expect(eventOf('PAUSED', 'EXPIRED')).toBe('subscription.expired');
  expect(eventOf('ACTIVE', 'PAST_DUE')).toBe('subscription.updated');
  expect(eventOf('ACTIVE', 'ACTIVE')).toBe('subscription.updated');
});
