import { plainArray, textArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** What the rows of a payment do not tell by themselves; shown in its timeline with a sentence each (docs/guides/payments.md). */
export type NoteKind =
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
  | 'not_called';

export interface Note {
  tenantId: number;
  transactionId: string;
  id: string;
  atMs: number;
  kind: NoteKind;
  /** Number of the operation that it is about. */
  operation: number | null;
  detail: Record<string, unknown>;
}

const addNotes = statement(
  'transactions.add_notes',
  `insert into transaction_note (tenant_id, transaction_id, id, at, kind, operation, detail)
   select tenant_id, transaction_id, id, to_timestamp(at_ms / 1000), kind, operation, detail::json
     from unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::float8[], $5::text[], $6::smallint[], $7::text[])
       as row (tenant_id, transaction_id, id, at_ms, kind, operation, detail)
   on conflict do nothing`,
);

/** A note that stands already is left as it is: what was interrupted may be noted again under the same id. */
export async function addNotesTo(database: Queryable, notes: readonly Note[]): Promise<void> {
  if (notes.length === 0) return;
  await database.run(addNotes, [
    plainArray(notes.map((one) => one.tenantId)),
    plainArray(notes.map((one) => one.transactionId)),
    plainArray(notes.map((one) => one.id)),
    plainArray(notes.map((one) => one.atMs)),
    textArray(notes.map((one) => one.kind)),
    plainArray(notes.map((one) => one.operation)),
    textArray(notes.map((one) => JSON.stringify(one.detail))),
  ]);
}

export function note(
  database: Queryable,
  { tenant_id, id: transactionId }: { tenant_id: number; id: string },
  id: string,
  atMs: number,
  kind: NoteKind,
  detail: Record<string, unknown>,
): Promise<void> {
  return addNotesTo(database, [{ tenantId: tenant_id, transactionId, id, atMs, kind, operation: null, detail }]);
}
