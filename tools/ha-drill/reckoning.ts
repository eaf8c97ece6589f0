import type { LoadResult } from './callers-protocol.ts';
import type { Cluster } from './cluster.ts';

export interface Reckoning {
  /** Acknowledged payments that the database does not have under that id. */
  lost: number;
  /** Payments that one Idempotency-Key created beyond the first. */
  doubled: number;
  /** Payments whose webhook has not come. */
  missing: number;
  /** Payments whose webhooks were not all equal. */
  differing: number;
}

const deliveredWithinMs = 90_000;

/** Compares what the callers were told and what they received with the database. */
export async function reckon(cluster: Cluster, { name, acknowledged }: LoadResult): Promise<Reckoning> {
  const stored = cluster.query<{ id: string; key: string }>(
    `select 'txn_' || replace(id::text, '-', '') as id, description as key
       from transaction where description like '${name}-%'`,
  );
  const keys = new Map(stored.map(({ id, key }) => [id, key]));
  const ids = await undelivered(cluster, [...keys.keys()]);
  return {
    lost: acknowledged.filter(([key, id]) => keys.get(id) !== key).length,
    doubled: stored.length - new Set(stored.map(({ key }) => key)).size,
    missing: ids.missing.length,
    differing: ids.differing,
  };
}

/** Deliveries leased by a machine that died are sent again after 30 s. */
async function undelivered(cluster: Cluster, ids: string[]): Promise<{ missing: string[]; differing: number }> {
  const end = performance.now() + deliveredWithinMs;
  for (;;) {
    const { received = [], changed = [] } = await cluster.callers({ do: 'received' });
    const came = new Set(received);
    const missing = ids.filter((id) => !came.has(id));
    const differing = ids.filter((id) => changed.includes(id)).length;
    if (missing.length === 0 || performance.now() > end) return { missing, differing };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
