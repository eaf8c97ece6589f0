import type { Static } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import { publicId, uuidOfPublicId } from '../../../core/id.ts';
import { seesMode, visibleModes } from '../../../core/livemode.ts';
import { type CursorPagination, defaultPageSize } from '../../../core/page.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { WebhooksApp } from '../app.ts';
import { requireReadScopes } from '../endpoints/rules.ts';
import { recordOf } from './create.ts';
import type { inboxListQuery, listedInbox, message, messagesQuery } from './schema.ts';
import { findInbox, listInboxes, listMessages, type MessageRow } from './statements.ts';

type Message = Static<typeof message>;

/** The inboxes of the caller's tenant, newest first. */
export async function listInboxesOf(
  { query: { livemode }, principal }: Call<unknown, Static<typeof inboxListQuery>>,
  { database, clock }: WebhooksApp,
): Promise<Static<typeof listedInbox>[]> {
  requireReadScopes(['*'], principal);
  const rows = await database.run(listInboxes, [
    principal.tenantId,
    clock(),
    visibleModes(principal, livemode, { namesRecord: true }),
  ]);
  return rows.map((row) => ({ ...recordOf(row), messageCount: row.messages }));
}

/** A page of the messages in an inbox, newest first. */
export async function listMessagesOf(
  { query: { id, after, pageSize = defaultPageSize }, principal }: Call<unknown, Static<typeof messagesQuery>>,
  { database, clock }: WebhooksApp,
): Promise<{ data: Message[]; pagination: CursorPagination }> {
  requireReadScopes(['*'], principal);
  const [inbox] = await database.run(findInbox, [principal.tenantId, id, clock()]);
  if (inbox === undefined || !seesMode(principal, inbox.livemode)) throw notFound('inbox', id);
  const afterId = after === undefined ? null : uuidOfPublicId('msg', after);
  if (afterId === undefined) throw invalid('after', rule('message_id'));
  const rows = await database.run(listMessages, [id, afterId, pageSize + 1]);
  const data = rows.slice(0, pageSize).map(messageOf);
  return { data, pagination: { pageSize, next: rows.length > pageSize ? (data.at(-1) as Message).id : null } };
}

function messageOf(row: MessageRow): Message {
  return {
    id: publicId('msg', row.id),
    receivedTime: row.received_at,
    serviceSignature: row.service_signature,
    standardSignature: row.standard_signature,
    headers: row.headers,
    body: row.body.toString('utf8'),
  };
}
