import { statement } from '../statement.ts';

/** The channel of LISTEN and NOTIFY on which all nodes of a database notify each other. */
export const channel = 'florin';

/** A way to all other processes that use the database. Messages may be lost, and may come back to their sender. */
export interface Carrier {
  send: (payload: string) => Promise<void>;
  listen: (receive: (payload: string) => void) => void;
}

/** What a payload is about, and the rest: a cache and its key, or a message and its text. A name has no colon. */
export function payloadOf(name: string, text: string | number): string {
  return `${name}:${text}`;
}

export function parsePayload(payload: string): { name: string; text: string } {
  const colon = payload.indexOf(':');
  return { name: payload.slice(0, colon), text: payload.slice(colon + 1) };
}

/** Sends these payloads when its transaction commits. */
export const notifyAll = statement(
  'notifications.notify_all',
  `select pg_notify('${channel}', payload) from unnest($1::text[]) as payload`,
);

/**
 * Sends one payload outside of a transaction. Does not wait for the disk: transactions that notify commit one at a
 * time, and this one writes nothing.
 */
export const notify = statement(
  'notifications.notify',
  `select set_config('synchronous_commit', 'off', true), pg_notify('${channel}', $1)`,
);
