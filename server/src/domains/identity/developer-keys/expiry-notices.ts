import { dayMs } from '../../../core/clock.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type ExpiringKeyRow, markExpiring } from './statements.ts';

const noticeMs = 7 * dayMs;
/** Per sweep. There is one an hour. */
const maxNotices = 200;

/**
 * Mails the owners of keys that expire within 7 days, once for each key. Leaves out keys that were replaced, and keys with a
 * lifetime of 7 days or less. A key is marked before its mail is sent: a mail that fails is logged and not repeated.
 */
export async function sendExpiryNotices(
  nowMs: number,
  deps: { database: Database; mailer: Pick<Mailer, 'send'>; logError: (error: unknown, message: string) => void },
): Promise<void> {
  const keys = await deps.database.run(markExpiring, [new Date(nowMs), new Date(nowMs + noticeMs), maxNotices]);
  for (const key of keys) {
    await deps.mailer
      .send({ to: key.email, ...messageOf(key) })
      .catch((error) => deps.logError(error, 'A notice about an expiring developer key could not be sent.'));
  }
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
      `POST /api/developer/mine/rotate {"id": ${id}} creates a key that replaces it. Both keys work for a while, so that you can change over.`,
    ].join('\n'),
  };
}
