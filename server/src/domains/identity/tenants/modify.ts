import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { notFound } from '../../../core/errors.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications.ts';
import { principalsTopic } from './notifications.ts';
import type { tenantInput } from './schema.ts';
import { insertTenant, type TenantRow, updateTenant } from './statements.ts';

export interface TenantDeps {
  database: Database;
  notifications: Notifications;
  clock: Clock;
}

type TenantInput = Static<typeof tenantInput>;

/**
 * Creates a tenant, or updates the one named by `id`. Switching one off refuses its logins, sessions and keys at once;
 * switching it on again lets its keys and what is left of its sessions live on.
 */
export async function saveTenant({ id, name, state }: TenantInput, deps: TenantDeps): Promise<TenantRow> {
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
