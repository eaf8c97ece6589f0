import type { Static } from 'typebox';
import type { Clock } from '../../../../core/clock.ts';
import type { Principal } from '../../../../core/principal.ts';
import { requirePermission } from '../../../../platform/http/permission.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import { appendAudit } from '../../../identity/audit/append.ts';
import { readCustomer } from '../../customers/read.ts';
import { hashOfToken, newToken, portalLifetimeMs } from '../rules.ts';
import type { portalInput, portalRecord } from '../schema.ts';
import { insertPortal } from './statements.ts';

export interface PortalDeps {
  database: Database;
  clock: Clock;
  /** `app.public-url`, without a slash at the end. */
  publicUrl: string;
}

/** Creates a link to the portal of a customer. The caller needs the scopes for everything that the portal allows. */
export async function createPortal(
  { customerId, returnUrl }: Static<typeof portalInput>,
  principal: Principal,
  { database, clock, publicUrl }: PortalDeps,
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
