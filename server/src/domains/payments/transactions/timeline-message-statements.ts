import { columns } from '../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** Steps of a payment's timeline that no other row shows; docs/guides/payments.md has the message of each. */
export type TimelineMessageKind =
  | 'updated'
  | 'cancel_asked'
  | 'hold_released'
  | 'unknown'
  | 'pending'
  | 'needs_payer'
  | 'authorized'
  | 'rate_limited'
  | 'absent'
  | 'callback'
  | 'contradiction'
  | 'mismatch'
  | 'mode_mismatch'
  | 'forgotten'
  | 'looked_up'
  | 'discrepancy_closed'
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
  'timeline.add_messages',
  `insert into timeline_message (tenant_id, transaction_id, id, at, kind, operation, detail)
   select tenant_id, transaction_id, id, to_timestamp(at_ms / 1000), kind, operation, detail::json
     from (${messageColumns.relation()}) as note
   on conflict do nothing`,
);

/** Writes timeline messages. Skips ids that exist, so that work that is repeated after a crash can write them again. */
export async function addTimelineMessages(database: Queryable, messages: readonly TimelineMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await database.run(insertMessages, messageColumns.parametersOf(messages));
}

/** Writes one timeline message about a payment, or about an operation (which has a `number`). */
export function addTimelineMessage(
  database: Queryable,
  { tenant_id: tenantId, id: transactionId, number: operation = null }: MessageSubject,
  message: Pick<TimelineMessage, 'id' | 'atMs' | 'kind' | 'detail'>,
): Promise<void> {
  return addTimelineMessages(database, [{ tenantId, transactionId, operation, ...message }]);
}

interface MessageSubject {
  tenant_id: number;
  /** The payment's UUID. */
  id: string;
  number?: number | null;
}
