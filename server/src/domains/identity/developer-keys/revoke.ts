import { notFound } from '../../../core/errors.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit } from '../audit/append.ts';
import { type OwnedKeyRow, revokeAdministeredKey, revokeKey } from './statements.ts';

/**
 * Revokes one of the owner's keys, immediately and permanently. Revoking it again changes nothing and returns the same.
 */
export function revokeOwnKey(
  { body: { id }, principal: owner }: Call<{ id: number }>,
  app: IdentityApp,
): Promise<OwnedKeyRow> {
  return revoke(id, owner, revokeKey, owner.userId, app);
}

/** Revokes a key of any user whom the administrator may manage. */
export function revokeAnyKey(
  { body: { id }, principal: administrator }: Call<{ id: number }>,
  app: IdentityApp,
): Promise<OwnedKeyRow> {
  const tenantId = seesAllTenants(administrator) ? null : administrator.tenantId;
  return revoke(id, administrator, revokeAdministeredKey, tenantId, app);
}

function revoke(
  id: number,
  principal: Principal,
  statement: typeof revokeKey,
  reach: number | null,
  { database, clock }: IdentityApp,
): Promise<OwnedKeyRow> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.run(statement, [id, reach, new Date(clock())]);
    if (row === undefined) throw notFound('developer key', id);
    if (row.previous_state === 1) {
      await appendAudit(transaction, principal, { action: 'key.revoke', tenantId: row.tenant_id, recordId: id });
    }
    return row;
  });
}
