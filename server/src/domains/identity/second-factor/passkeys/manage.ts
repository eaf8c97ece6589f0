import type { Static } from 'typebox';
import { notFound } from '../../../../core/errors.ts';
import type { Principal } from '../../../../core/principal.ts';
import { requireStepUp } from '../../../../core/step-up.ts';
import { appendAudit } from '../../audit/append.ts';
import { isActive } from '../rules.ts';
import { lockSecondFactor } from '../statements.ts';
import { withdrawSecondFactor } from '../withdraw.ts';
import { recordOf } from './record.ts';
import type { passkeyRecord, renamePasskeyInput } from './schema.ts';
import { deletePasskey, listPasskeysOfUser, renamePasskey } from './statements.ts';
import type { PasskeyDeps } from './verify.ts';

type Passkey = Static<typeof passkeyRecord>;

export interface ManagePasskeysDeps extends PasskeyDeps {}

/** The caller's passkeys, oldest first. */
export async function listPasskeys({ userId }: Principal, { database }: PasskeyDeps): Promise<Passkey[]> {
  return (await database.run(listPasskeysOfUser, [userId])).map(recordOf);
}

export function modifyPasskey(
  { id, name }: Static<typeof renamePasskeyInput>,
  principal: Principal,
  { database }: PasskeyDeps,
): Promise<Passkey> {
  const { userId, tenantId } = principal;
  return database.transaction(async (transaction) => {
    const [row] = await transaction.run(renamePasskey, [userId, id, name]);
    if (row === undefined) throw notFound('passkey', id);
    const after = recordOf(row);
    const before = { ...after, name: row.former_name };
    const change = { action: 'user.update_passkey', tenantId, recordId: userId, before, after } as const;
    await appendAudit(transaction, principal, change);
    return after;
  });
}

/** Removes a passkey of the caller. After the last second factor of a user, logins need only the password. */
export async function removePasskey(id: string, principal: Principal, deps: ManagePasskeysDeps): Promise<void> {
  const { userId, tenantId } = principal;
  await deps.database.transaction(async (transaction) => {
    await transaction.run(lockSecondFactor, [userId]);
    const [row] = await transaction.run(deletePasskey, [userId, id]);
    if (row === undefined) throw notFound('passkey', id);
    requireStepUp(principal, deps.clock(), 'Removing a passkey');
    const [left] = await transaction.run(lockSecondFactor, [userId]);
    if (!isActive(left)) await withdrawSecondFactor(transaction, userId);
    const before = recordOf(row);
    const change = { action: 'user.remove_passkey', tenantId, recordId: userId, before, after: {} } as const;
    await appendAudit(transaction, principal, change);
  });
}
