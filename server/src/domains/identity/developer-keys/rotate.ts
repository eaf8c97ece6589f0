import type { Static } from 'typebox';
import { notFound, Refusal } from '../../../core/errors.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit } from '../audit/append.ts';
import { insertRandomKey } from './generate.ts';
import { expiryOf } from './rules.ts';
import type { rotateInput } from './schema.ts';
import { type KeyRow, lockKeyOfUser, replaceKey } from './statements.ts';

const defaultOverlapSeconds = 86_400;

/**
 * Replaces one of the owner's keys by a new one with its scope, name, mode and allowed addresses. The old key keeps
 * working during the overlap, so that programs can be changed one after the other. Refuses with `key_inactive` a key
 * that is revoked, has expired or was replaced before.
 */
export async function rotateKey(
  {
    body: { id, overlapSeconds = defaultOverlapSeconds, expiresTime },
    principal: owner,
  }: Call<Static<typeof rotateInput>>,
  { database, clock, maxKeys }: IdentityApp,
): Promise<{ key: string; row: KeyRow }> {
  requireStepUp(owner, clock(), 'Rotating a key');
  return database.transaction(async (transaction) => {
    const [locked] = await transaction.run(lockKeyOfUser, [id, owner.userId]);
    if (locked === undefined) throw notFound('developer key', id);
    const nowMs = clock();
    requireActive(locked, nowMs);
    const { scope, name, livemode, allowed_addresses: allowedAddresses } = locked;
    const expiresAt = expiryOf(expiresTime, nowMs) ?? sameLifetime(locked, nowMs);
    const grant = { scope, name, livemode, expiresAt, allowedAddresses };
    const successor = await insertRandomKey(transaction, owner, grant, { nowMs, maxKeys });
    const values = [id, successor.row.id, new Date(nowMs + overlapSeconds * 1000), new Date(nowMs)];
    await transaction.run(replaceKey, values);
    await appendAudit(transaction, owner, {
      action: 'key.rotate',
      tenantId: owner.tenantId,
      recordId: id,
      details: { replacedBy: successor.row.id, overlapSeconds },
    });
    return successor;
  });
}

function requireActive(row: KeyRow, nowMs: number): void {
  const broken = ruleOfInactive(row, nowMs);
  if (broken !== undefined) throw new Refusal('key_inactive', broken);
}

function ruleOfInactive({ id, state, replaced_by, expires_at }: KeyRow, nowMs: number): BrokenRule | undefined {
  if (state === 0) return rule('key_revoked', { id });
  if (replaced_by !== null) return rule('key_replaced', { id, replacement: replaced_by });
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? rule('key_expired', { id }) : undefined;
}

/** The new key gets the whole lifetime of the old one again. */
function sameLifetime({ created_at, expires_at }: KeyRow, nowMs: number): Date | null {
  return expires_at === null ? null : new Date(nowMs + Date.parse(expires_at) - Date.parse(created_at));
}
