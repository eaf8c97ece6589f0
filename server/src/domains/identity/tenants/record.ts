import type { Static } from 'typebox';
import type { tenantRecord } from './schema.ts';
import type { TenantRow } from './statements.ts';

export type TenantRecord = Static<typeof tenantRecord>;

export function recordOf(row: TenantRow): TenantRecord {
  const { id, name, state, second_factor_required: secondFactorRequired, created_at, updated_at } = row;
  return { id, name, state, secondFactorRequired, createdTime: created_at, updatedTime: updated_at ?? created_at };
}
