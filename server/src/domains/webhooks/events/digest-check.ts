import { dayMs } from '../../../core/clock.ts';
import { keyIdOfMac } from '../../../platform/crypto/mac.ts';
import type { KeyedCheck } from '../../../platform/keyed-check.ts';
import { binaryRows } from '../../../platform/postgres/copy-out.ts';
import { digestWith, type EventKey, eventKeys } from './digests.ts';

/** In any order: each event is checked by itself. Binary, because a digest is made of bytes. */
const copyDigests = 'copy (select tenant_id, id, digest, body from event) to stdout (format binary)';

/** Tenant, id, digest and body. */
type DigestedRow = [Buffer, Buffer, Buffer | null, Buffer];

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
    for await (const rows of binaryRows(snapshot.copyOut(copyDigests))) {
      for (const [tenantId, id, digest, body] of rows as DigestedRow[]) {
        if (digest === null || digest.length === unkeyedBytes) {
          counts.unkeyed++;
          unkeyed.push({ id: publicIdOf(id), ms: id.readUIntBE(0, 6) });
          continue;
        }
        const keyId = keyIdOfMac(digest);
        const key = keys.get(keyId);
        if (key !== undefined) {
          counts.keyed++;
          if (digestWith(tenantId.readBigInt64BE(), body, key).equals(digest)) continue;
        } else if (keys.has(keyId)) {
          counts.unchecked++;
          continue;
        }
        if (offenders.length < atMost) offenders.push(publicIdOf(id));
      }
      unkeyed = unkeyed.toSorted((a, b) => b.ms - a.ms).slice(0, atMost);
    }
    const late = unkeyed.filter(({ ms }) => ms > allowedUntilMs).map(({ id }) => id);
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

const publicIdOf = (id: Buffer) => `evt_${id.toString('hex')}`;
