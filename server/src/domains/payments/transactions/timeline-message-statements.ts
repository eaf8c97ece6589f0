import { columns } from '../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** Steps of a payment's timeline that no other row shows; docs/guides/payments.md has the message of each. */
export type TimelineMessageKind =
  | 'updated'
  | 'cancel_asked'
  | 'unknown'
  | 'pending'
  | 'needs_payer'
  | 'absent'
  | 'callback'
  | 'contradiction'
  | 'mismatch'
  | 'looked_up'
  | 'dispute_closed'
  | 'not_called';

export interface TimelineMessage {
  tenantId: number;
  transactionId: string;
  id: string;
  atMs: number;
  kind: TimelineMessageKind;
  /** The number of the operation that the message is about. */
  operation: number | null;
  detail: Record<string, unknown>;
}

const messageColumns = columns<TimelineMessage>([
  ['tenant_id', 'bigint', (message) => message.tenantId],
  ['transaction_id', 'uuid', (message) => message.transactionId],
  ['id', 'uuid', (message) => message.id],
  ['at_ms', 'float8', (message) => message.atMs],
  ['kind', 'text', (message) => message.kind],
  ['operation', 'smallint', (message) => message.operation],
  ['detail', 'text', (message) => JSON.stringify(message.detail)],
]);

const insertMessages = statement(
  'transactions.add_notes',
  `insert into transaction_note (tenant_id, transaction_id, id, at, kind, operation, detail)
   select tenant_id, transaction_id, id, to_timestamp(at_ms / 1000), kind, operation, detail::json
     from (${messageColumns.relation()}) as note
   on conflict do nothing`,
);

/** Writes timeline messages. Skips ids that exist, so that work that is repeated after a crash can write them again. */
export async function addTimelineMessages(database: Queryable, messages: readonly TimelineMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await database.run(insertMessages, messageColumns.parametersOf(messages));
}

/** Writes one timeline message that is not about an operation. */
export function addTimelineMessage(
  database: Queryable,
  { tenant_id, id: transactionId }: { tenant_id: number; id: string },
  id: string,
  atMs: number,
  kind: TimelineMessageKind,
  detail: Record<string, unknown>,
): Promise<void> {
  return addTimelineMessages(database, [
    { tenantId: tenant_id, transactionId, id, atMs, kind, operation: null, detail },
  ]);
}
