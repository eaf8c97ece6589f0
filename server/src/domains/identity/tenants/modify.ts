import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { notFound } from '../../../core/errors.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications.ts';
import { principalsTopic } from './notifications.ts';
import type { tenantInput } from './schema.ts';
import { insertTenant, type TenantRow, updateTenant } from './statements.ts';

export interface ModifyTenantDeps {
  database: Database;
  notifications: Notifications;
  clock: Clock;
}

type TenantInput = Static<typeof tenantInput>;

/**
 * Creates a tenant, or updates the tenant named by `id`. Disabling a tenant refuses its logins, sessions and keys
 * immediately; enabling it again makes its keys and its unexpired sessions work again.
 */
export async function modifyTenant({ id, name, state }: TenantInput, deps: ModifyTenantDeps): Promise<TenantRow> {
  const now = new Date(deps.clock());
  if (id === undefined) {
    const [created] = await deps.database.run(insertTenant, [name, state, now]);
    return created as TenantRow;
  }
  const updated = await deps.database.transaction(async (transaction) => {
    const [row] = await transaction.run(updateTenant, [id, name, state, now]);
    if (row === undefined) throw notFound('tenant', id);
    await deps.notifications.publish(transaction, principalsTopic);
    return row;
  });
  deps.notifications.applied(principalsTopic);
  return updated;
}
