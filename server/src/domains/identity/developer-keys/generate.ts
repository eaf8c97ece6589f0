import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import type { Principal } from '../../../core/principal.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications/notifications.ts';
import { appendAudit } from '../audit/append.ts';
import { requireNetworks } from './allowed-addresses.ts';
import { expiryOf, fingerprintOf, generateRandomKey, grantedScope, masked } from './rules.ts';
import type { generateInput } from './schema.ts';
import { insertKey, type KeyRow } from './statements.ts';

export interface KeyDeps {
  database: Database;
  notifications: Notifications;
  clock: Clock;
}

/** Creates a key that acts as its owner within its scope. Only its hash is stored: the key itself is returned once. */
export async function generateKey(
  input: Static<typeof generateInput>,
  owner: Principal,
  { database, clock }: KeyDeps,
): Promise<{ key: string; row: KeyRow }> {
  const nowMs = clock();
  requireStepUp(owner, nowMs, 'Generating a key');
  const scope = grantedScope(input?.scope, owner);
  const expiresAt = expiryOf(input?.expiresTime, nowMs);
  const allowedAddresses = input?.allowedAddresses ?? [];
  requireNetworks(allowedAddresses);
  const livemode = input?.livemode ?? true;
  const key = generateRandomKey(livemode);
  const values = [
    owner.tenantId,
    owner.userId,
    Buffer.from(fingerprintOf(key), 'base64'),
    masked(key),
    scope,
    input?.name ?? null,
    new Date(nowMs),
    expiresAt,
    allowedAddresses,
    livemode,
  ];
  const row = await database.transaction(async (transaction) => {
    const [created] = (await transaction.run(insertKey, values)) as [KeyRow];
    const { id, name, expires_at: expiresTime, masked: skMasked } = created;
    await appendAudit(transaction, owner, {
      action: 'key.create',
      tenantId: owner.tenantId,
      recordId: id,
      after: { skMasked, scope, name, livemode, expiresTime, allowedAddresses },
    });
    return created;
  });
  return { key, row };
}
