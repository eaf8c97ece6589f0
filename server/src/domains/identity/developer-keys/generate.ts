import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { IdentityApp } from '../app.ts';
import { type Actor, appendAudit } from '../audit/append.ts';
import { requireNetworks } from './allowed-addresses.ts';
import { expiryOf, fingerprintOf, generateRandomKey, grantedScope, masked } from './rules.ts';
import type { generateInput } from './schema.ts';
import { insertKey, type KeyRow, lockOwner } from './statements.ts';

/** Creates a key that acts as its owner within its scope. Only its hash is stored: the key itself is returned once. */
export async function generateKey(
  { body: input, principal: owner }: Call<Static<typeof generateInput>>,
  { database, clock, maxKeys }: IdentityApp,
): Promise<{ key: string; row: KeyRow }> {
  const nowMs = clock();
  requireStepUp(owner, nowMs, 'Generating a key');
  const scope = grantedScope(input?.scope, owner);
  const expiresAt = expiryOf(input?.expiresTime, nowMs);
  const allowedAddresses = input?.allowedAddresses ?? [];
  requireNetworks(allowedAddresses);
  const livemode = input?.livemode ?? true;
  const grant = { scope, name: input?.name ?? null, livemode, expiresAt, allowedAddresses };
  return database.transaction((transaction) => storeNewKey(transaction, owner, owner, grant, { nowMs, maxKeys }));
}

/** What a key may do. */
interface KeyGrant {
  scope: string;
  name: string | null;
  livemode: boolean;
  /** null: never. */
  expiresAt: Date | null;
  allowedAddresses: readonly string[];
}

/** Stores a new key of an owner who may grant its scope (`grantedScope`), and records it in the audit log. */
export async function storeNewKey(
  transaction: Queryable,
  owner: Pick<Principal, 'tenantId' | 'userId'>,
  actor: Actor,
  grant: KeyGrant,
  options: { nowMs: number; maxKeys: number },
): Promise<{ key: string; row: KeyRow }> {
  const { key, row } = await insertRandomKey(transaction, owner, grant, options);
  const { scope, name, livemode, allowedAddresses } = grant;
  await appendAudit(transaction, actor, {
    action: 'key.create',
    tenantId: owner.tenantId,
    recordId: row.id,
    after: { skMasked: row.masked, scope, name, livemode, expiresTime: row.expires_at, allowedAddresses },
  });
  return { key, row };
}

/** Generates a key and stores its hash. Refuses more than `maxKeys` (`key_limit_reached`). */
export async function insertRandomKey(
  transaction: Queryable,
  { tenantId, userId }: Pick<Principal, 'tenantId' | 'userId'>,
  { scope, name, livemode, expiresAt, allowedAddresses }: KeyGrant,
  { nowMs, maxKeys }: { nowMs: number; maxKeys: number },
): Promise<{ key: string; row: KeyRow }> {
  const key = generateRandomKey(livemode);
  await transaction.run(lockOwner, [userId]);
  const [row] = await transaction.run(insertKey, [
    tenantId,
    userId,
    Buffer.from(fingerprintOf(key), 'base64'),
    masked(key),
    scope,
    name,
    new Date(nowMs),
    expiresAt,
    allowedAddresses,
    livemode,
    maxKeys,
  ]);
  if (row === undefined) throw limitReached(maxKeys);
  return { key, row };
}

function limitReached(limit: number): Refusal {
  return new Refusal('key_limit_reached', rule('key_limit', { limit }));
}
