import type { Static } from 'typebox';
import { notFound } from '../../../../core/errors.ts';
import { requireStepUp } from '../../../../core/step-up.ts';
import type { Call } from '../../../../platform/http/route.ts';
import type { IdentityApp } from '../../app.ts';
import { appendAudit } from '../../audit/append.ts';
import { isActive } from '../rules.ts';
import { lockSecondFactor } from '../statements.ts';
import { withdrawSecondFactor } from '../withdraw.ts';
import { recordOf } from './record.ts';
import type { passkeyRecord, renamePasskeyInput } from './schema.ts';
import { deletePasskey, listPasskeysOfUser, renamePasskey } from './statements.ts';

type Passkey = Static<typeof passkeyRecord>;

/** The caller's passkeys, oldest first. */
export async function listPasskeys({ principal: { userId } }: Call, { database }: IdentityApp): Promise<Passkey[]> {
  return (await database.run(listPasskeysOfUser, [userId])).map(recordOf);
}

export function modifyPasskey(
  { body: { id, name }, principal }: Call<Static<typeof renamePasskeyInput>>,
  { database }: IdentityApp,
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
export async function removePasskey(
  { body: { id }, principal }: Call<{ id: string }>,
  app: IdentityApp,
): Promise<void> {
  const { userId, tenantId } = principal;
  await app.database.transaction(async (transaction) => {
    await transaction.run(lockSecondFactor, [userId]);
    const [row] = await transaction.run(deletePasskey, [userId, id]);
    if (row === undefined) throw notFound('passkey', id);
    requireStepUp(principal, app.clock(), 'Removing a passkey');
    const [left] = await transaction.run(lockSecondFactor, [userId]);
    if (!isActive(left)) await withdrawSecondFactor(transaction, userId);
    const before = recordOf(row);
    const change = { action: 'user.remove_passkey', tenantId, recordId: userId, before, after: {} } as const;
    await appendAudit(transaction, principal, change);
  });
}
