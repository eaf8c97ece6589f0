import { statement } from '../statement.ts';

/** The channel of LISTEN and NOTIFY on which all nodes of a database notify each other. */
export const channel = 'florin';

/** A topic has no colon; a key may be any text. */
export function payloadOf(topic: string, key: string | number): string {
  return `${topic}:${key}`;
}

export function parsePayload(payload: string): { topic: string; key: string } {
  const colon = payload.indexOf(':');
  return { topic: payload.slice(0, colon), key: payload.slice(colon + 1) };
}

/** Sends these payloads when its transaction commits. */
export const notifyAll = statement(
  'notifications.notify_all',
  `select pg_notify('${channel}', payload) from unnest($1::text[]) as payload`,
);
