import type { Static } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import { refuseTestKey } from '../../../core/livemode.ts';
import { platformTenant } from '../../../core/principal.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import { type IdempotentAnswer, onceFor } from '../../../platform/postgres/idempotency-records.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit } from '../audit/append.ts';
import { recordOf, type TenantRecord } from './record.ts';
import { requireStepUpToChange, toldToPayers } from './rules.ts';
import type { tenantInput } from './schema.ts';
import type { TenantSeller } from './sellers.ts';
import { insertTenant, lockTenant, type TenantRow, updateTenant } from './statements.ts';

type TenantInput = Static<typeof tenantInput>;

/**
 * Creates a tenant, or updates the tenant named by `id`; fields that are left out keep their values. Disabling a tenant
 * refuses its logins, sessions and keys immediately; enabling it again makes its keys and its unexpired sessions work
 * again.
 */
export async function modifyTenant(
  { body: input, principal, idempotencyKey }: Call<TenantInput>,
  { database, clock, tenantSellers }: IdentityApp,
): Promise<IdempotentAnswer<TenantRecord>> {
  refuseTestKey(principal, 'change tenants');
  const { id, name, state, secondFactorRequired, address, taxId, customerMails, mailLanguage } = input;
  const seller = { address, taxId, customerMails, mailLanguage };
  const now = new Date(clock());
  const { tenantId } = principal;
  const once = onceFor(database, {
    ...{ tenantId, path: '/api/tenant/modify', key: idempotencyKey, input },
    nowMs: now.getTime(),
  });
  if (id === undefined) {
    return once(async (transaction) => {
      const values = [name, state, now, secondFactorRequired ?? null];
      const [created] = (await transaction.run(insertTenant, values)) as [TenantRow];
      const after = recordOf(created, await tenantSellers.save(transaction, created.id, seller));
      await appendAudit(transaction, principal, {
        action: 'tenant.create',
        tenantId: created.id,
        recordId: created.id,
        after,
      });
      return after;
    });
  }
  if (id === platformTenant) requireNoRestriction(input);
  return once(async (transaction) => {
    const [existing] = await transaction.run(lockTenant, [id]);
    if (existing === undefined) throw notFound('tenant', id);
    if (existing.second_factor_required && secondFactorRequired === false) {
      requireStepUp(principal, now.getTime(), 'Requiring no second factor any more');
    }
    // Its users log in again, and its keys work again.
    if (!existing.state && state === true) requireStepUp(principal, now.getTime(), 'Enabling a tenant');
    const [sellerBefore] = (await tenantSellers.find(transaction, [id])) as [TenantSeller];
    const before = recordOf(existing, sellerBefore);
    const values = [id, name ?? existing.name, state ?? existing.state, now, secondFactorRequired ?? null];
    const [row] = (await transaction.run(updateTenant, values)) as [TenantRow];
    const after = recordOf(row, await tenantSellers.save(transaction, id, seller));
    requireStepUpToChange(toldToPayers, before, after, principal, now.getTime());
    await appendAudit(transaction, principal, { action: 'tenant.update', tenantId: id, recordId: id, before, after });
    return after;
  });
}

/** The platform's own tenant cannot be disabled: nobody could enable it again. */
function requireNoRestriction({ state, secondFactorRequired }: TenantInput): void {
  if (state === false) throw invalid('state', "The platform's own tenant cannot be disabled.");
  if (secondFactorRequired !== undefined) {
    throw invalid('secondFactorRequired', "The platform's own tenant cannot require a second factor.");
  }
}
