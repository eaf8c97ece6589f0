import { dayMs } from '../../../core/clock.ts';
import { leastUuidAt } from '../../../core/id.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { appendAudit, systemActor } from './append.ts';
import { deleteThrough, lockChain, oldestLinks, tenantsWithExpired } from './chain-statements.ts';

const batchEntries = 10_000;

/**
 * Removes entries older than `keepMs`, whole UTC days only, so that it removes something once a day and not in every
 * run. Only the beginning of a chain is removed. In the same transaction an `audit.expire` entry records the number and
 * the hash of the last removed entry, so that the rest can still be verified.
 */
export async function expireAuditEntries(database: Database, nowMs: number, keepMs: number): Promise<void> {
  const cutoffMs = Math.floor((nowMs - keepMs) / dayMs) * dayMs;
  const cutoffId = leastUuidAt(cutoffMs);
  for (const { tenant_id } of await database.run(tenantsWithExpired, [cutoffId])) {
    let removed: number;
    do {
      removed = await database.transaction((transaction) => expireBatch(transaction, tenant_id, cutoffId));
    } while (removed === batchEntries);
  }
}

async function expireBatch(transaction: Queryable, tenantId: number, cutoffId: string): Promise<number> {
  await transaction.run(lockChain, [tenantId]);
  const oldest = await transaction.run(oldestLinks, [tenantId, batchEntries]);
  const firstKept = oldest.findIndex(({ id }) => id >= cutoffId);
  const expired = firstKept < 0 ? oldest : oldest.slice(0, firstKept);
  const last = expired.at(-1);
  if (last === undefined) return 0;
  await transaction.run(deleteThrough, [tenantId, last.seq]);
  const details = { throughSeq: last.seq, hash: last.hash.toString('hex'), entries: expired.length };
  await appendAudit(transaction, systemActor, { action: 'audit.expire', tenantId, details });
  return expired.length;
}
