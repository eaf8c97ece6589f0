import { notFound } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { appendAudit } from '../audit/append.ts';
import type { KeyDeps } from './generate.ts';
import { keysTopic } from './key-authenticator.ts';
import { type KeyRow, revokeKey } from './statements.ts';

/** Revokes one of the owner's keys, immediately and permanently. Revoking it again changes nothing and returns the same. */
export async function revokeOwnKey(
  id: number,
  owner: Principal,
  { database, notifications, clock }: KeyDeps,
): Promise<KeyRow> {
  const revoked = await database.transaction(async (transaction) => {
    const [row] = await transaction.run(revokeKey, [id, owner.userId, new Date(clock())]);
    if (row === undefined) throw notFound('developer key', id);
    if (row.previous_state === 1) {
      await appendAudit(transaction, owner, { action: 'key.revoke', tenantId: owner.tenantId, recordId: id });
    }
    await notifications.publish(transaction, keysTopic, row.key_hash.toString('base64'));
    return row;
  });
  notifications.applied(keysTopic, revoked.key_hash.toString('base64'));
  return revoked;
}
