import type { Scope } from './scopes.ts';

/**
 * Everything Florin can tell other systems, with the scope that lets a caller read it: the interface's twelve event types,
 * and `refund.failed`.
 */
export const scopeOfEventType = {
  'transaction.created': 'transaction_read',
  'transaction.processing': 'transaction_read',
  'transaction.succeeded': 'transaction_read',
  'transaction.failed': 'transaction_read',
  'transaction.refunded': 'transaction_read',
  'transaction.cancelled': 'transaction_read',
  'refund.failed': 'transaction_read',
  'subscription.created': 'subscription_read',
  'subscription.updated': 'subscription_read',
  'subscription.cancelled': 'subscription_read',
  'subscription.expired': 'subscription_read',
  'invoice.paid': 'invoice_read',
  'invoice.payment_failed': 'invoice_read',
} as const;

export type EventType = keyof typeof scopeOfEventType;
export const eventTypes = Object.keys(scopeOfEventType) as EventType[];

/** What an endpoint may subscribe to: a type, all of a noun (`transaction.*`), or everything (`*`). */
export const eventPatterns: readonly string[] = [
  '*',
  ...new Set(eventTypes.map((type) => `${type.split('.')[0]}.*`)),
  ...eventTypes,
];

/** Sent by the test of an endpoint, to that endpoint alone. Nobody subscribes to it. */
export const pingType = 'webhook.ping';
export type SentType = EventType | typeof pingType;

/** The patterns under which an event of this type is delivered. */
export function patternsMatching(type: EventType): string[] {
  return ['*', `${type.split('.')[0]}.*`, type];
}

/** The types a pattern stands for. */
export function typesMatching(pattern: string): EventType[] {
  return eventTypes.filter((type) => patternsMatching(type).includes(pattern));
}

/** The types of which a caller with these scopes may read what happened. */
export function readableTypes(scopes: ReadonlySet<Scope>): EventType[] {
  return eventTypes.filter((type) => scopes.has(scopeOfEventType[type]));
}

/** What a caller with these scopes may subscribe to: everything it stands for may be read. */
export function readablePatterns(scopes: ReadonlySet<Scope>): string[] {
  return eventPatterns.filter((pattern) => typesMatching(pattern).every((type) => scopes.has(scopeOfEventType[type])));
}
