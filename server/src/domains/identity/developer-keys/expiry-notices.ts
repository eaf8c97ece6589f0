import { type Clock, dayMs } from '../../../core/clock.ts';
import type { Mail } from '../../../platform/mail/mailer.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { QueuedUserMail } from '../mails/statements.ts';
import { type ExpiringKeyRow, findExpiring, markExpiring } from './statements.ts';

const noticeMs = 7 * dayMs;
/** Per sweep. There is one an hour. */
const maxNotices = 200;

/**
 * Queues mails to the owners of keys that expire within 7 days, once for each key. Leaves out keys that were replaced,
 * and keys with a lifetime of 7 days or less.
 */
export async function queueExpiryNotices(database: Queryable, nowMs: number): Promise<void> {
  await database.run(markExpiring, [new Date(nowMs), new Date(nowMs + noticeMs), maxNotices, nowMs]);
}

/** Undefined if the key was replaced, revoked or has expired, or its owner was disabled. */
export async function expiryNotice(
  { record_id, user_id }: QueuedUserMail,
  { database, clock }: { database: Queryable; clock: Clock },
): Promise<Mail | undefined> {
  const [key] = await database.run(findExpiring, [record_id, user_id, new Date(clock())]);
  return key && { to: key.email, ...messageOf(key) };
}

function messageOf({ user_name, masked, name, id, expires_at }: ExpiringKeyRow): { subject: string; text: string } {
  const key = `${masked}${name === null ? '' : ` (${name})`}`;
  return {
    subject: 'A developer key is about to expire',
    text: [
      `Hello ${user_name},`,
      '',
      `your developer key ${key} stops working at ${expires_at}.`,
      '',
      `POST /api/developer/mine/rotate {"id": ${id}} creates a key that replaces it. ` +
        'Both keys work for a while, so that you can change over.',
    ].join('\n'),
  };
}
