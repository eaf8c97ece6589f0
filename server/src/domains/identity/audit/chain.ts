import { hash } from 'node:crypto';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import {
  advanceChains,
  chainEntries,
  type Link,
  type LockedChain,
  linkColumns,
  lockChains,
  startChains,
  type UnchainedRow,
  unchainedEntries,
} from './chain-statements.ts';

const batchEntries = 1_000;
const batchTenants = 500;

/** The hash of an entry: SHA-256 over the previous hash (32 bytes), the time of the link and the body in UTF-8. */
function linkHash(previous: Buffer, time: string, body: string): Buffer {
  return hash('sha256', Buffer.concat([previous, Buffer.from(time + body)]), 'buffer');
}

/**
 * Chains all committed entries. An entry joins the chain of its tenant when its transaction is seen to be committed, so
 * one that commits late is never skipped. Several nodes may do this at the same time: a chain is locked while it grows.
 */
export async function chainAuditEntries(database: Database): Promise<void> {
  for (;;) {
    const chained = await database.transaction(chainBatch);
    if (chained < batchEntries) return;
  }
}

async function chainBatch(transaction: Queryable): Promise<number> {
  await transaction.run(startChains);
  const chains = await transaction.run(lockChains, [batchTenants]);
  if (chains.length === 0) return 0;
  // Read after the locks are taken, so that entries that another node has just chained are not found.
  const tenants = chains.map(({ tenant_id }) => tenant_id);
  const entries = await transaction.run(unchainedEntries, [tenants, batchEntries]);
  if (entries.length === 0) return 0;
  const links = linksOf(chains, entries);
  const written = await transaction.run(chainEntries, linkColumns.parametersOf(links));
  if (written.length !== links.length) throw new Error('An audit entry was chained twice.');
  const heads = [...new Map(links.map((link) => [link.tenantId, link])).values()];
  await transaction.run(advanceChains, linkColumns.parametersOf(heads));
  return entries.length;
}

function linksOf(chains: readonly LockedChain[], entries: readonly UnchainedRow[]): Link[] {
  const heads = new Map(
    chains.map(({ tenant_id, seq, hash, link_time }) => [tenant_id, { seq, hash, time: link_time }]),
  );
  return entries.map(({ tenant_id, id, body }) => {
    const { seq, hash, time } = heads.get(tenant_id) as Pick<Link, 'seq' | 'hash' | 'time'>;
    const next = { seq: seq + 1, hash: linkHash(hash, time, body), time };
    heads.set(tenant_id, next);
    return { tenantId: tenant_id, id, ...next };
  });
}
