/** Everything Florin can tell other systems (interface, Event types), with the scope that lets a caller read it. */
export const scopeOfEventType = {
  'transaction.created': 'transaction_read',
  'transaction.processing': 'transaction_read',
  'transaction.succeeded': 'transaction_read',
  'transaction.failed': 'transaction_read',
  'transaction.refunded': 'transaction_read',
  'transaction.cancelled': 'transaction_read',
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

/** The patterns under which an event of this type is delivered. */
export function patternsMatching(type: EventType): string[] {
  return ['*', `${type.split('.')[0]}.*`, type];
}

/** The types a pattern stands for. */
export function typesMatching(pattern: string): EventType[] {
  return eventTypes.filter((type) => patternsMatching(type).includes(pattern));
}
