import { statement } from '../../../platform/postgres/statement.ts';
import type { Verdict } from './signature-verdict.ts';

/** The number of messages that an inbox stores, and the number that it accepts per second. */
export const maxMessages = 100;
/** Per tenant. One more replaces the oldest. */
const maxInboxes = 20;

export interface InboxRow {
  id: number;
  livemode: boolean;
  has_secret: boolean;
  created_at: string;
  expires_at: string;
}

const columns = 'i.id, i.livemode, i.secret_sealed is not null as has_secret, i.created_at, i.expires_at';

export const nextInboxId = statement<{ id: number }>('inbox.next_id', `select next_id('inbox_id_seq') as id`);

/** Values: tenant, id, user, hash of the token, sealed secret or null, now in ms, expiry in ms, mode. */
export const insertInbox = statement<InboxRow>(
  'inbox.insert',
  `with deleted as (
     delete from inbox
      where tenant_id = $1
        and id <= (select id from inbox where tenant_id = $1 order by id desc offset ${maxInboxes - 1} limit 1)
   )
   insert into inbox as i (tenant_id, id, user_id, token_hash, secret_sealed, created_at, expires_at, livemode)
   values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000), $8)
   returning ${columns}`,
);

/** Newest first. Values: tenant, now in ms, modes. */
export const listInboxes = statement<InboxRow & { messages: number }>(
  'inbox.list',
  `select ${columns}, (select count(*) from inbox_message m where m.inbox_id = i.id) as messages
     from inbox i
    where i.tenant_id = $1 and i.expires_at > to_timestamp($2::float8 / 1000) and i.livemode = any ($3::boolean[])
    order by i.id desc`,
);

/** Values: tenant, id, now in ms. */
export const findInbox = statement<{ id: number; livemode: boolean }>(
  'inbox.find',
  'select id, livemode from inbox where tenant_id = $1 and id = $2 and expires_at > to_timestamp($3::float8 / 1000)',
);

/** Of a tenant that is enabled. Values: hash of the token, now in ms. */
export const findInboxByToken = statement<{ id: number; secret_sealed: Buffer | null }>(
  'inbox.find_by_token',
  `select i.id, i.secret_sealed from inbox i join tenant t on t.id = i.tenant_id
    where i.token_hash = $1 and i.expires_at > to_timestamp($2::float8 / 1000) and t.state`,
);

/**
 * Inserts a message, and deletes the oldest ones beyond the limit. Inserts nothing when the inbox has received
 * `maxMessages` within the last second. Returns no row when the inbox has been deleted since it was found. Values:
 * inbox, id, now in ms, headers, body, the two verdicts.
 */
export const insertMessage = statement<{ is_inserted: boolean }>(
  'inbox.insert_message',
  `with existing as (
     select id from inbox where id = $1 for key share
   ), oldest as (
     select id, received_at from inbox_message where inbox_id = $1 order by id desc offset ${maxMessages - 1} limit 1
   ), inserted as (
     insert into inbox_message (inbox_id, id, received_at, headers, body, service_signature, standard_signature)
     select id, $2, to_timestamp($3::float8 / 1000), $4::json, $5, $6, $7
       from existing
      where not exists (
        select from oldest where received_at > to_timestamp($3::float8 / 1000) - interval '1 second')
     returning id
   ), deleted as (
     delete from inbox_message using oldest, inserted where inbox_message.inbox_id = $1
         and inbox_message.id <= oldest.id
   )
   select exists (select from inserted) as is_inserted from existing`,
);

export interface MessageRow {
  id: string;
  received_at: string;
  headers: Record<string, string | string[]>;
  body: Buffer;
  service_signature: Verdict | null;
  standard_signature: Verdict | null;
}

/** Newest first. Values: inbox, id of the last message of the previous page (null: first page), limit. */
export const listMessages = statement<MessageRow>(
  'inbox.list_messages',
  `select id, received_at, headers, body, service_signature, standard_signature from inbox_message
    where inbox_id = $1 and ($2::uuid is null or id < $2)
    order by id desc limit $3`,
);

/** Values: now in ms, limit. */
export const deleteExpiredInboxes = statement<{ id: number }>(
  'inbox.delete_expired',
  `delete from inbox
    where id in (select id from inbox where expires_at <= to_timestamp($1::float8 / 1000) order by expires_at limit $2)
   returning id`,
);
