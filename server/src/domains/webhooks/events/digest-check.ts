import { dayMs } from '../../../core/clock.ts';
import { publicId, uuidTimeMs } from '../../../core/id.ts';
import { keyIdOfMac } from '../../../platform/crypto/mac.ts';
import type { KeyedCheck } from '../../../platform/keyed-check.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { digestWith, type EventKey, eventKeys } from './digests.ts';

interface DigestedRow {
  tenant_id: number;
  id: string;
  body: string;
  digest: Buffer | null;
}

const pageRows = 2_000;

/** A page in the order of the primary key. Values: the tenant and the id after which it begins. */
const readDigests = statement<DigestedRow>(
  'events.read_digests',
  `select tenant_id, id, body, digest from event
    where (tenant_id, id) > ($1::bigint, $2::uuid)
    order by tenant_id, id limit ${pageRows}`,
);

const unkeyedBytes = 8;

/** While a cluster is upgraded, nodes of the older release go on writing digests without a key. */
const upgradeMs = dayMs;

/**
 * Digests without a key, which older releases made, prove nothing against somebody who can write to the database: a
 * later event must not have one.
 */
export const digestCheck: KeyedCheck = {
  claim: 'Every event is as the service wrote it: its digest was made under a key that the database never sees',
  check: async (snapshot, { open }, atMost) => {
    const keys = await eventKeys(snapshot, open);
    const offenders: string[] = [];
    const counts = { keyed: 0, unkeyed: 0, unchecked: 0 };
    const allowedUntilMs = unkeyedUntilMs(keys.values());
    /** Of those without a key the latest. */
    let unkeyed: { id: string; ms: number }[] = [];
    for await (const page of pagesOf(snapshot)) {
      for (const { tenant_id: tenantId, id, body, digest } of page) {
        const ms = uuidTimeMs(id);
        if (digest === null || digest.length === unkeyedBytes) {
          counts.unkeyed++;
          unkeyed.push({ id, ms });
          continue;
        }
        const keyId = keyIdOfMac(digest);
        const key = keys.get(keyId);
        if (key !== undefined) {
          counts.keyed++;
          if (digestWith({ tenantId, body }, key).equals(digest)) continue;
        } else if (keys.has(keyId)) {
          counts.unchecked++;
          continue;
        }
        if (offenders.length < atMost) offenders.push(publicId('evt', id));
      }
      unkeyed = unkeyed.toSorted((a, b) => b.ms - a.ms).slice(0, atMost);
    }
    const late = unkeyed.filter(({ ms }) => ms > allowedUntilMs).map(({ id }) => publicId('evt', id));
    return {
      offenders: [...offenders, ...late].slice(0, atMost),
      note: `${counts.keyed} events, and ${counts.unkeyed} older ones without a key`,
      unchecked: counts.unchecked,
    };
  },
};

/** Until when events may have a digest without a key: the first key says since when they are made with one. */
function unkeyedUntilMs(keys: Iterable<EventKey | undefined>): number {
  const first = [...keys].filter((key) => key !== undefined).toSorted((a, b) => a.sinceMs - b.sinceMs)[0];
  if (first === undefined) return Number.POSITIVE_INFINITY;
  return first.sinceMs + (first.followsOlder ? upgradeMs : 0);
}

async function* pagesOf(snapshot: Queryable): AsyncGenerator<DigestedRow[]> {
  let after: [number, string] = [-1, '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const page = await snapshot.run(readDigests, after);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageRows) return;
    after = [last.tenant_id, last.id];
  }
}
