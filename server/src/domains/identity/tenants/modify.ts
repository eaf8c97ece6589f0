import type { Static } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import { refuseTestKey } from '../../../core/livemode.ts';
import { platformTenant } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import type { IdentityApp } from '../app.ts';
import { type SaveRequest, save } from '../audit/save.ts';
import { recordOf, type TenantRecord } from './record.ts';
import { requireStepUpToChange, toldToPayers } from './rules.ts';
import type { tenantInput } from './schema.ts';
import type { TenantSeller } from './sellers.ts';
import { insertTenant, lockTenant, type TenantRow, updateTenant } from './statements.ts';

type TenantInput = Static<typeof tenantInput>;

/** A tenant and what its invoices say about it. */
interface SavedTenant {
  id: number;
  row: TenantRow;
  seller: TenantSeller;
}

/**
 * Creates a tenant, or updates the tenant named by `id`; fields that are left out keep their values. Disabling a tenant
 * refuses its logins, sessions and keys immediately; enabling it again makes its keys and its unexpired sessions work
 * again.
 */
export async function modifyTenant(
  { body: input, principal, idempotencyKey }: Call<TenantInput>,
  app: IdentityApp,
): Promise<IdempotentAnswer<TenantRecord>> {
  refuseTestKey(principal, 'change tenants');
  const { clock, tenantSellers } = app;
  const { id, name, state, secondFactorRequired, ...seller } = input;
  const { address, taxId, customerMails, mailLanguage, reopenInvoices } = seller;
  const changes = { address, taxId, customerMails, mailLanguage, reopenInvoices };
  const now = new Date(clock());
  const shown = ({ row, seller }: SavedTenant) => recordOf(row, seller);
  const request: SaveRequest<SavedTenant, TenantRecord> = {
    type: 'tenant',
    path: '/api/tenant/modify',
    principal,
    idempotencyKey,
    input,
    recordOf: shown,
    answerOf: shown,
  };
  if (id === undefined) {
    return save(app, request, async (transaction) => {
      const values = [name, state, now, secondFactorRequired ?? null];
      const [row] = (await transaction.run(insertTenant, values)) as [TenantRow];
      const after = { id: row.id, row, seller: await tenantSellers.save(transaction, row.id, changes) };
      return { before: undefined, after };
    });
  }
  if (id === platformTenant) requireNoRestriction(input);
  return save(app, request, async (transaction) => {
    const [existing] = await transaction.run(lockTenant, [id]);
    if (existing === undefined) throw notFound('tenant', id);
    if (existing.second_factor_required && secondFactorRequired === false) {
      requireStepUp(principal, now.getTime(), 'Requiring no second factor any more');
    }
    // Its users log in again, and its keys work again.
    if (!existing.state && state === true) requireStepUp(principal, now.getTime(), 'Enabling a tenant');
    const [sellerBefore] = (await tenantSellers.find(transaction, [id])) as [TenantSeller];
    const before = { id, row: existing, seller: sellerBefore };
    const values = [id, name ?? existing.name, state ?? existing.state, now, secondFactorRequired ?? null];
    const [row] = (await transaction.run(updateTenant, values)) as [TenantRow];
    const after = { id, row, seller: await tenantSellers.save(transaction, id, changes) };
    requireStepUpToChange(toldToPayers, shown(before), shown(after), principal, now.getTime());
    return { before, after };
  });
}

/** The platform's own tenant cannot be disabled: nobody could enable it again. */
function requireNoRestriction({ state, secondFactorRequired }: TenantInput): void {
  if (state === false) throw invalid('state', rule('platform_stays_on'));
  if (secondFactorRequired !== undefined) {
    throw invalid('secondFactorRequired', rule('platform_factor'));
  }
}
