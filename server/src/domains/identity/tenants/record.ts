import type { Static } from 'typebox';
import type { tenantRecord } from './schema.ts';
import type { TenantSeller } from './sellers.ts';
import type { TenantRow } from './statements.ts';

export type TenantRecord = Static<typeof tenantRecord>;

export function recordOf(row: TenantRow, seller: TenantSeller): TenantRecord {
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    secondFactorRequired: row.second_factor_required,
    ...seller,
    createdTime: row.created_at,
    updatedTime: row.updated_at ?? row.created_at,
  };
}
