import type { Static } from 'typebox';
import { tenantOnWire } from '../../../core/principal.ts';
import type { userRecord } from './schema.ts';
import type { UserRow } from './statements.ts';

export type UserRecord = Static<typeof userRecord>;

export function recordOf(user: UserRow): UserRecord {
  return {
    id: user.id,
    userName: user.user_name,
    email: user.email,
    userType: user.user_type,
    tenantId: tenantOnWire(user.tenant_id),
    roles: user.roles,
    state: user.state,
    invited: !user.has_password,
    secondFactor: user.has_second_factor,
    createdTime: user.created_at,
    updatedTime: user.updated_at ?? user.created_at,
  };
}
