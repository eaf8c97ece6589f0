import { Type } from 'typebox';
import type { EventType } from '../../../core/event-types.ts';

export const subscriptionStates = ['TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED', 'CANCELLED', 'EXPIRED'] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];
export const subscriptionState = Type.Enum([...subscriptionStates], { $id: 'SubscriptionState' });

/** All transitions of a subscription, each with its cause. Code and SQL refuse all others. */
export const transitions: Record<SubscriptionState, Partial<Record<SubscriptionState, string>>> = {
  TRIALING: {
    ACTIVE: 'the trial ends',
    CANCELLED: 'cancel, or the trial ends with `cancelAtPeriodEnd`',
    EXPIRED: '`endTime` is reached',
  },
  ACTIVE: {
    PAST_DUE: 'a payment fails',
    PAUSED: 'pause',
    CANCELLED: 'cancel, or the period ends with `cancelAtPeriodEnd`',
    EXPIRED: '`endTime` is reached',
  },
  PAST_DUE: {
    ACTIVE: 'the failed invoices are paid or void',
    CANCELLED: 'cancel, the last retry fails, or the period ends with `cancelAtPeriodEnd`',
    EXPIRED: '`endTime` is reached',
  },
  PAUSED: {
    ACTIVE: 'resume',
    PAST_DUE: 'resume with a failed payment',
    CANCELLED: 'cancel, or the last retry fails',
    EXPIRED: '`endTime` is reached',
  },
  CANCELLED: {},
  EXPIRED: {},
};

export function mayBecome(from: SubscriptionState, to: SubscriptionState): boolean {
  return transitions[from][to] !== undefined;
}

/** Whether the state is final. */
export function hasEnded(state: SubscriptionState): boolean {
  return Object.keys(transitions[state]).length === 0;
}

/**
 * States in which the worker begins new periods. A PAST_DUE subscription catches up when its failed invoices are paid.
 */
export const renewingStates = ['TRIALING', 'ACTIVE'] as const satisfies readonly SubscriptionState[];

/** Pairs of states for the SQL guard. Pairs of equal states are included: an update can change terms alone. */
export const permittedTransitions: string = subscriptionStates
  .flatMap((from) =>
    [from, ...subscriptionStates.filter((to) => mayBecome(from, to))]
      .filter((to) => to !== from || !hasEnded(from))
      .map((to) => `('${from}', '${to}')`),
  )
  .join(', ');

/** The event of a change from one state to another, or within a state. */
export function eventOf(from: SubscriptionState, to: SubscriptionState): EventType {
  if (from !== to && to === 'CANCELLED') return 'subscription.cancelled';
  if (from !== to && to === 'EXPIRED') return 'subscription.expired';
  return 'subscription.updated';
}
