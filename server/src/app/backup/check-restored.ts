import { dayMs, systemClock } from '../../core/clock.ts';
import { type AuditHead, headText, parseHead } from '../../domains/identity/audit/heads.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { ConnectionConfig } from '../../platform/postgres/connection/connection-url.ts';
import { Database } from '../../platform/postgres/database.ts';
import { statement } from '../../platform/postgres/statement.ts';
import { keysInUse } from '../config/sealed-values.ts';
import { type ClaimResult, verify } from '../integrity.ts';
import { checkingConnections } from '../verify-parts.ts';
import type { Manifest } from './manifest.ts';

export type Proof = Pick<Manifest, 'auditHeads' | 'encryptionKeys' | 'broken'>;

/** Loaded tables have no statistics: the integrity checks would be planned as if they were empty. */
const analyzeAll = statement('backup.analyze', 'analyze');

/**
 * Checks a loaded database of the present schema: every integrity claim, that the audit logs contain the heads noted
 * before, and that the keys open what is stored.
 */
export async function checkRestored(
  connection: ConnectionConfig,
  keys: Keyring,
  notedHeads: readonly string[],
): Promise<Proof> {
  const database = new Database({
    connection,
    connections: checkingConnections(),
    name: 'proof',
    statementTimeoutMs: dayMs,
  });
  try {
    await database.run(analyzeAll);
    const broken: string[] = [];
    const auditHeads: string[] = [];
    await verify(database, (result) => broken.push(...brokenClaim(result)), {
      keys,
      beside: database,
      noted: notedHeads.map((text) => parseHead(text) as AuditHead),
      onHead: (head) => auditHeads.push(headText(head)),
    });
    const inUse = await keysInUse(database, keys, systemClock());
    for (const { id, what, state } of inUse) {
      if (state === 'absent') broken.push(`Key ${id} is not among the encryption keys (${what})`);
      if (state === 'other') broken.push(`Key ${id} does not open what is stored (${what})`);
    }
    const encryptionKeys = inUse
      .filter(({ state }) => state !== 'lost')
      .map(({ id, what }) => ({ id, neededFor: what }));
    return { auditHeads, encryptionKeys, broken };
  } finally {
    await database.close();
  }
}

function brokenClaim({ claim, offenders, hasMore }: ClaimResult): string[] {
  if (offenders.length === 0) return [];
  return [`${claim}: ${offenders.join(', ')}${hasMore ? ' and more' : ''}`];
}
