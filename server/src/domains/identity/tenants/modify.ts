import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { notFound } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { type IdempotentAnswer, onceFor } from '../../../platform/postgres/idempotency-records.ts';
import type { Notifications } from '../../../platform/postgres/notifications/notifications.ts';
import { appendAudit } from '../audit/append.ts';
import { principalsTopic } from './notifications.ts';
import { recordOf, type TenantRecord } from './record.ts';
import type { tenantInput } from './schema.ts';
import { insertTenant, lockTenant, type TenantRow, updateTenant } from './statements.ts';

export interface ModifyTenantDeps {
  database: Database;
  notifications: Notifications;
  clock: Clock;
}

type TenantInput = Static<typeof tenantInput>;

/**
 * Creates a tenant, or updates the tenant named by `id`, which keeps what is left out. Disabling a tenant refuses its logins, sessions and keys
 * immediately; enabling it again makes its keys and its unexpired sessions work again.
 */
export async function modifyTenant(
  input: TenantInput,
  principal: Principal,
  deps: ModifyTenantDeps,
  idempotencyKey?: string,
): Promise<IdempotentAnswer<TenantRecord>> {
  const { id, name, state, secondFactorRequired } = input;
  const now = new Date(deps.clock());
  const { tenantId } = principal;
  const once = onceFor(deps.database, {
    ...{ tenantId, path: '/api/tenant/modify', key: idempotencyKey, input },
    nowMs: now.getTime(),
  });
  if (id === undefined) {
    return once(async (transaction) => {
      const [created] = (await transaction.run(insertTenant, [name, state, now, secondFactorRequired ?? null])) as [
        TenantRow,
      ];
      const after = recordOf(created);
      await appendAudit(transaction, principal, {
        action: 'tenant.create',
        tenantId: created.id,
        recordId: created.id,
        after,
      });
      return after;
    });
  }
  const updated = await once(async (transaction) => {
    const [existing] = await transaction.run(lockTenant, [id]);
    if (existing === undefined) throw notFound('tenant', id);
    if (existing.second_factor_required && secondFactorRequired === false) {
      requireStepUp(principal, now.getTime(), 'Requiring no second factor any more');
    }
    const [row] = (await transaction.run(updateTenant, [
      id,
      name ?? existing.name,
      state ?? existing.state,
      now,
      secondFactorRequired ?? null,
    ])) as [TenantRow];
    const [before, after] = [recordOf(existing), recordOf(row)];
    await appendAudit(transaction, principal, { action: 'tenant.update', tenantId: id, recordId: id, before, after });
    await deps.notifications.publish(transaction, principalsTopic);
    return after;
  });
  deps.notifications.applied(principalsTopic);
  return updated;
}
