import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import { mailQueue, type QueuedMail } from './queue-statements.ts';
import { queueUserMailsCte } from './queue-user-mails.cte.ts';

/** Published when mails to users are queued. */
export const userMailsDue: Topic = 'user-mails';

export type UserMailKind = 'INVITATION' | 'WEBHOOK_DISABLED' | 'KEY_EXPIRING';

/** A mail to a user. */
export interface QueuedUserMail extends QueuedMail {
  user_id: number;
  kind: UserMailKind;
  /** The endpoint or the developer key; null: the mail is about the user. */
  record_id: number | null;
  /** When the change was made that it reports. */
  created_at: string;
}

export const userMails = mailQueue<QueuedUserMail>({
  table: 'user_mail',
  name: 'user_mails',
  topic: userMailsDue,
  columns: ['user_id', 'kind', 'record_id', 'created_at'],
});

/** Queues one mail. Values: kind, tenant, user, record, now in ms. */
export const insertUserMail = statement<{ id: string }>(
  'user_mails.insert',
  `with addressed as (
     select $1::text as kind, $2::bigint as tenant_id, $3::bigint as user_id, $4::bigint as record_id,
         $5::float8 as now_ms
   ), ${queueUserMailsCte('addressed')}
   select id from queued`,
  { wakes: [{ topic: userMailsDue }] },
);
