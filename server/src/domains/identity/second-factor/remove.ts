import { notFound, Refusal } from '../../../core/errors.ts';
import { seesAllTenants } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdentityApp } from '../app.ts';
import { type Actor, appendAudit, systemActor } from '../audit/append.ts';
import { normalizedAccount } from '../sessions/account.ts';
import { endSessionsOfUser, findLogin } from '../sessions/statements.ts';
import { refusePrivilegeEscalation } from '../users/rules.ts';
import { findUser } from '../users/statements.ts';
import { isActive, secondFactorAbsent } from './rules.ts';
import { clearSecret, lockSecondFactor, type SecondFactorRow } from './statements.ts';
import { withCode } from './verify.ts';
import { withdrawSecondFactor } from './withdraw.ts';

/** Removes the caller's own authenticator app, and the recovery codes unless the caller has a passkey. */
export async function removeOwnFactor(
  { body: { code }, principal, address }: Call<{ code: string }>,
  app: IdentityApp,
): Promise<void> {
  const { userId, userName, tenantId } = principal;
  await withCode(code, { userId, userName, address }, app, async (transaction, method) => {
    const [factor] = await transaction.run(lockSecondFactor, [userId]);
    if (factor?.confirmed_at == null) throw secondFactorAbsent(rule('no_app'));
    await transaction.run(clearSecret, [userId]);
    const [left] = await transaction.run(lockSecondFactor, [userId]);
    if (!isActive(left)) await withdrawSecondFactor(transaction, userId);
    const details = { secondFactor: method };
    await appendAudit(transaction, principal, {
      action: 'user.remove_second_factor',
      tenantId,
      recordId: userId,
      details,
    });
  });
}

/**
 * Removes the second factor of another user who has lost it, passkeys included, and ends that user's sessions. The
 * caller must hold every permission of that user, and be stepped up.
 */
export async function removeFactorOf(
  { body: { id: userId }, principal }: Call<{ id: number }>,
  app: IdentityApp,
): Promise<void> {
  const nowMs = app.clock();
  if (userId === principal.userId) {
    throw new Refusal('role_missing', rule('own_factor'), {
      field: 'id',
    });
  }
  requireStepUp(principal, nowMs, 'Removing the second factor of a user');
  await app.database.transaction(async (transaction) => {
    const [factor] = await transaction.run(lockSecondFactor, [userId]);
    const [user] = await transaction.run(findUser, [userId]);
    if (user === undefined || !(seesAllTenants(principal) || user.tenant_id === principal.tenantId)) {
      throw notFound('user', userId);
    }
    refusePrivilegeEscalation(principal, { tenantId: user.tenant_id, userType: user.user_type, roles: user.roles });
    await removeAll(factor, user, principal, transaction, app);
  });
}

/** Removes the second factor of the user with this name or address, for an operator who has access to the database. */
export async function removeFactorAsOperator(
  account: string,
  app: Pick<IdentityApp, 'database' | 'clock'>,
): Promise<void> {
  await app.database.transaction(async (transaction) => {
    const [login] = await transaction.run(findLogin, [normalizedAccount(account)]);
    if (login === undefined) throw notFound('user', account, 'account');
    const [factor] = await transaction.run(lockSecondFactor, [login.id]);
    await removeAll(factor, login, systemActor, transaction, app);
  });
}

async function removeAll(
  factor: SecondFactorRow | undefined,
  { id, tenant_id: tenantId }: { id: number; tenant_id: number },
  actor: Actor,
  transaction: Queryable,
  { clock }: Pick<IdentityApp, 'clock'>,
): Promise<void> {
  if (factor === undefined) throw secondFactorAbsent(rule('user_has_no_factor'));
  await withdrawSecondFactor(transaction, id);
  await transaction.run(endSessionsOfUser, [id, new Date(clock())]);
  await appendAudit(transaction, actor, { action: 'user.remove_second_factor', tenantId, recordId: id });
}
