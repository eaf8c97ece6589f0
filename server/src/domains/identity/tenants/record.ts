import type { Static } from 'typebox';
import type { tenantRecord } from './schema.ts';
import type { TenantRow } from './statements.ts';

export function recordOf({ id, name, state, created_at, updated_at }: TenantRow): Static<typeof tenantRecord> {
  return { id, name, state, createdTime: created_at, updatedTime: updated_at };
}
