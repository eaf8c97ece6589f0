import type { Scope } from './scopes.ts';

/**
 * All event types, with the scope that a caller needs to read them: that of the record that the event is about. Beside the
 * twelve of the interface they report every change that a merchant's system may have to react to.
 */
export const scopeOfEventType = {
  'transaction.created': 'transaction_read',
  'transaction.processing': 'transaction_read',
  'transaction.succeeded': 'transaction_read',
  'transaction.failed': 'transaction_read',
  'transaction.refunded': 'transaction_read',
  'transaction.cancelled': 'transaction_read',
  'transaction.action_required': 'transaction_read',
  'refund.created': 'transaction_read',
  'refund.succeeded': 'transaction_read',
  'refund.failed': 'transaction_read',
  'subscription.created': 'subscription_read',
  'subscription.updated': 'subscription_read',
  'subscription.cancelled': 'subscription_read',
  'subscription.expired': 'subscription_read',
  'invoice.created': 'invoice_read',
  'invoice.finalized': 'invoice_read',
  'invoice.paid': 'invoice_read',
  'invoice.payment_failed': 'invoice_read',
  'invoice.overdue': 'invoice_read',
  'invoice.voided': 'invoice_read',
  'invoice.uncollectible': 'invoice_read',
  'customer.created': 'transaction_read',
  'customer.updated': 'transaction_read',
  'channel.disabled': 'channel_read',
  'webhook.disabled': 'webhook_read',
} as const;

export type EventType = keyof typeof scopeOfEventType;
export const eventTypes = Object.keys(scopeOfEventType) as EventType[];

/** What an endpoint may subscribe to: a type, all of a noun (`transaction.*`), or everything (`*`). */
export const eventPatterns: readonly string[] = [
  '*',
  ...new Set(eventTypes.map((type) => `${type.split('.')[0]}.*`)),
  ...eventTypes,
];

/** Sent only by the test of an endpoint, to that endpoint. It cannot be subscribed to. */
export const pingType = 'webhook.ping';
export type SentType = EventType | typeof pingType;

/** The patterns under which an event of this type is delivered. */
export function patternsMatching(type: EventType): string[] {
  return ['*', `${type.split('.')[0]}.*`, type];
}

/** The types that a pattern matches. */
export function typesMatching(pattern: string): EventType[] {
  return eventTypes.filter((type) => patternsMatching(type).includes(pattern));
}

/** The event types that a caller with these scopes may read. */
export function readableTypes(scopes: ReadonlySet<Scope>): EventType[] {
  return eventTypes.filter((type) => scopes.has(scopeOfEventType[type]));
}

/** Whether a caller with these scopes may subscribe to a pattern: it must be allowed to read all matching types. */
export function readablePatterns(scopes: ReadonlySet<Scope>): string[] {
  return eventPatterns.filter((pattern) => typesMatching(pattern).every((type) => scopes.has(scopeOfEventType[type])));
}
