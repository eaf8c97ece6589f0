import type { EventType } from '../../../core/event-types.ts';

export const subscriptionStates = ['TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED', 'CANCELLED', 'EXPIRED'] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

/** The one table of transitions: each with what brings it about. What is not in it cannot happen, in code or in SQL. */
export const transitions: Record<SubscriptionState, Partial<Record<SubscriptionState, string>>> = {
  TRIALING: { ACTIVE: 'the trial ends', CANCELLED: 'cancel', EXPIRED: 'endTime has come' },
  ACTIVE: {
    PAST_DUE: 'a payment fails',
    PAUSED: 'pause',
    CANCELLED: 'cancel, or the period ends after cancelAtPeriodEnd',
    EXPIRED: 'endTime has come',
  },
  PAST_DUE: {
    ACTIVE: 'what failed is paid or void',
    CANCELLED: 'cancel, or the last try fails',
    EXPIRED: 'endTime has come',
  },
  PAUSED: {
    ACTIVE: 'resume',
    PAST_DUE: 'resume while a payment has failed',
    CANCELLED: 'cancel, or the last try fails',
    EXPIRED: 'endTime has come',
  },
  CANCELLED: {},
  EXPIRED: {},
};

export function mayBecome(from: SubscriptionState, to: SubscriptionState): boolean {
  return transitions[from][to] !== undefined;
}

/** A state that nothing leads out of. */
export function hasEnded(state: SubscriptionState): boolean {
  return Object.keys(transitions[state]).length === 0;
}

/** The states in which periods begin by themselves. A subscription that is PAST_DUE catches up when it has been paid. */
export const renewingStates = ['TRIALING', 'ACTIVE'] as const satisfies readonly SubscriptionState[];

/** The table as the guard in SQL wants it; a subscription that stays where it is only changes its terms. */
export const permittedTransitions: string = subscriptionStates
  .flatMap((from) =>
    [from, ...subscriptionStates.filter((to) => mayBecome(from, to))]
      .filter((to) => to !== from || !hasEnded(from))
      .map((to) => `('${from}', '${to}')`),
  )
  .join(', ');

/** What is told when a subscription has changed from one state to another, or has only changed. */
export function eventOf(from: SubscriptionState, to: SubscriptionState): EventType {
  if (from !== to && to === 'CANCELLED') return 'subscription.cancelled';
  if (from !== to && to === 'EXPIRED') return 'subscription.expired';
  return 'subscription.updated';
}
