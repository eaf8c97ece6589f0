import { columns } from '../../../platform/postgres/columns.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** Facts in a payment's timeline that its rows do not show; docs/guides/payments.md has the message of each. */
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
  /** The number of the operation that it is about. */
  operation: number | null;
  detail: Record<string, unknown>;
}

const messageColumns = columns<TimelineMessage>([
  ['tenant_id', 'bigint', (note) => note.tenantId],
  ['transaction_id', 'uuid', (note) => note.transactionId],
  ['id', 'uuid', (note) => note.id],
  ['at_ms', 'float8', (note) => note.atMs],
  ['kind', 'text', (note) => note.kind],
  ['operation', 'smallint', (note) => note.operation],
  ['detail', 'text', (note) => JSON.stringify(note.detail)],
]);

const addNotes = statement(
  'transactions.add_notes',
  `insert into transaction_note (tenant_id, transaction_id, id, at, kind, operation, detail)
   select tenant_id, transaction_id, id, to_timestamp(at_ms / 1000), kind, operation, detail::json
     from (${messageColumns.relation()}) as note
   on conflict do nothing`,
);

/** Writes timeline messages. One whose id exists is left as it is, so that work after a crash can write it again. */
export async function addTimelineMessages(database: Queryable, notes: readonly TimelineMessage[]): Promise<void> {
  if (notes.length === 0) return;
  await database.run(addNotes, messageColumns.parametersOf(notes));
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
