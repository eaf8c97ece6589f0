import type { Static } from 'typebox';
import { requirePermission } from '../../../../platform/http/permission.ts';
import type { Call } from '../../../../platform/http/route.ts';
import { appendAudit } from '../../../identity/audit/append.ts';
import type { BillingApp } from '../../app.ts';
import { readCustomer } from '../../customers/read.ts';
import { hashOfToken, newToken, portalLifetimeMs } from '../rules.ts';
import type { portalInput, portalRecord } from '../schema.ts';
import { insertPortal } from './statements.ts';

/** Creates a link to the portal of a customer. The caller needs the scopes for everything that the portal allows. */
export async function createPortal(
  { body: { customerId, returnUrl }, principal }: Call<Static<typeof portalInput>>,
  { database, clock, publicUrl }: BillingApp,
): Promise<Static<typeof portalRecord>> {
  requirePermission('invoice_read', principal);
  requirePermission('subscription_write', principal);
  const { tenant_id: tenantId, livemode } = await readCustomer(database, customerId, principal, 'customerId');
  const token = newToken();
  const nowMs = clock();
  const expiresMs = nowMs + portalLifetimeMs;
  const expiresTime = new Date(expiresMs).toISOString();
  await database.transaction(async (transaction) => {
    const values = [hashOfToken(token), tenantId, customerId, principal.userId, returnUrl ?? null, nowMs, expiresMs];
    await transaction.run(insertPortal, values);
    await appendAudit(transaction, principal, {
      action: 'portal.create',
      tenantId,
      recordId: customerId,
      details: { returnUrl: returnUrl ?? null, expiresTime },
    });
  });
  return { customerId, livemode, url: `${publicUrl}/p/portal/${token}`, returnUrl: returnUrl ?? null, expiresTime };
}
