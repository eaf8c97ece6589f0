import type { Static } from 'typebox';
import type { passkeyRecord } from './schema.ts';
import type { PasskeyRow } from './statements.ts';

export function recordOf(row: PasskeyRow): Static<typeof passkeyRecord> {
  return {
    id: row.id,
    name: row.name,
    backedUp: row.backed_up,
    createdTime: row.created_at,
    lastUsedTime: row.last_used_at,
  };
}
