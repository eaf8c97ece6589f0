import { notFound } from '../../../core/errors.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { KeyDeps } from './generate.ts';
import { keysTopic } from './key-authenticator.ts';
import { type KeyRow, type OwnedKeyRow, revokeAdministeredKey, revokeKey } from './statements.ts';

/** Revokes one of the owner's keys, immediately and permanently. Revoking it again changes nothing and returns the same. */
export function revokeOwnKey(id: number, owner: Principal, deps: KeyDeps): Promise<KeyRow> {
  return revoke(id, deps, (transaction, now) => transaction.run(revokeKey, [id, owner.userId, now]));
}

/** Revokes a key of any user whom the administrator administers. */
export function revokeAnyKey(id: number, administrator: Principal, deps: KeyDeps): Promise<OwnedKeyRow> {
  const tenantId = seesAllTenants(administrator) ? null : administrator.tenantId;
  return revoke(id, deps, (transaction, now) => transaction.run(revokeAdministeredKey, [tenantId, id, now]));
}

async function revoke<Row extends KeyRow>(
  id: number,
  { database, notifications, clock }: KeyDeps,
  run: (transaction: Queryable, now: Date) => Promise<Row[]>,
): Promise<Row> {
  const revoked = await database.transaction(async (transaction) => {
    const [row] = await run(transaction, new Date(clock()));
    if (row === undefined) throw notFound('developer key', id);
    await notifications.publish(transaction, keysTopic, row.key_hash.toString('base64'));
    return row;
  });
  notifications.applied(keysTopic, revoked.key_hash.toString('base64'));
  return revoked;
}
