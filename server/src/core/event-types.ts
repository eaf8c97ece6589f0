import { scopeOfEventType } from './generated/event-types.ts';
import type { Scope } from './scopes.ts';

export { scopeOfEventType };

/** Modules declare their types (`eventTypes` in `module.ts`); `npm run docs` collects them. */
export type EventType = keyof typeof scopeOfEventType;
export const eventTypes = Object.keys(scopeOfEventType) as EventType[];

/** What an endpoint may subscribe to: a type, all types of a noun (`transaction.*`), or everything (`*`). */
export const eventPatterns: readonly string[] = [
  '*',
  ...new Set(eventTypes.map((type) => `${type.split('.')[0]}.*`)),
  ...eventTypes,
];

/** Sent only when an endpoint is tested, to that endpoint. It cannot be subscribed to. */
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

/** The patterns that a caller with these scopes may subscribe to: those of which it may read every matching type. */
export function readablePatterns(scopes: ReadonlySet<Scope>): string[] {
  return eventPatterns.filter((pattern) => typesMatching(pattern).every((type) => scopes.has(scopeOfEventType[type])));
}
