import type { Static } from 'typebox';
import { notFound, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import { appendAudit } from '../audit/append.ts';
import type { KeyDeps } from './generate.ts';
import { keysTopic } from './key-authenticator.ts';
import { expiryOf, fingerprintOf, generateRandomKey, masked } from './rules.ts';
import type { rotateInput } from './schema.ts';
import { insertKey, type KeyRow, lockKeyOfUser, replaceKey } from './statements.ts';

const defaultOverlapSeconds = 86_400;

/**
 * Creates a key that takes the place of one of the owner's, with its scope, name, mode and
 * allowed addresses. The former key goes
 * on working for the overlap, so that programs can be changed one after the other. Refuses with `key_inactive` a key that is
 * revoked, has expired or was replaced before.
 */
export async function rotateKey(
  { id, overlapSeconds = defaultOverlapSeconds, expiresTime }: Static<typeof rotateInput>,
  owner: Principal,
  { database, notifications, clock }: KeyDeps,
): Promise<{ key: string; row: KeyRow }> {
  requireStepUp(owner, clock(), 'Rotating a key');
  const { key, row, former } = await database.transaction(async (transaction) => {
    const [locked] = await transaction.run(lockKeyOfUser, [id, owner.userId]);
    if (locked === undefined) throw notFound('developer key', id);
    const nowMs = clock();
    requireActive(locked, nowMs);
    const replacement = generateRandomKey(locked.livemode);
    const [inserted] = await transaction.run(insertKey, [
      owner.tenantId,
      owner.userId,
      Buffer.from(fingerprintOf(replacement), 'base64'),
      masked(replacement),
      locked.scope,
      locked.name,
      new Date(nowMs),
      expiryOf(expiresTime, nowMs) ?? sameLifetime(locked, nowMs),
      locked.allowed_addresses,
      locked.livemode,
    ]);
    const successor = inserted as KeyRow;
    await transaction.run(replaceKey, [id, successor.id, new Date(nowMs + overlapSeconds * 1000), new Date(nowMs)]);
    await appendAudit(transaction, owner, {
      action: 'key.rotate',
      tenantId: owner.tenantId,
      recordId: id,
      details: { replacedBy: successor.id, overlapSeconds },
    });
    await notifications.publish(transaction, keysTopic, locked.key_hash.toString('base64'));
    return { key: replacement, row: successor, former: locked };
  });
  notifications.applied(keysTopic, former.key_hash.toString('base64'));
  return { key, row };
}

function requireActive(row: KeyRow, nowMs: number): void {
  const why =
    row.state === 0
      ? 'was revoked'
      : row.replaced_by !== null
        ? `was replaced by the key ${row.replaced_by}`
        : row.expires_at !== null && Date.parse(row.expires_at) <= nowMs
          ? 'has expired'
          : undefined;
  if (why !== undefined) throw new Refusal('key_inactive', `The key ${row.id} ${why}, so it cannot be rotated.`);
}

/** A key that was to live for 90 days is followed by one that lives for 90 days. */
function sameLifetime({ created_at, expires_at }: KeyRow, nowMs: number): Date | null {
  return expires_at === null ? null : new Date(nowMs + Date.parse(expires_at) - Date.parse(created_at));
}
