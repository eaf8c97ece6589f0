import { platformTenant } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { findLinks, listHeads } from './chain-statements.ts';

/**
 * The last entry of a tenant's chain at some time. Stored elsewhere, it later proves that no entry before it was
 * changed or removed.
 */
export interface AuditHead {
  tenantId: number;
  seq: number;
  /** SHA-256 in hex. */
  hash: string;
}

const pattern = /^(\d{1,15}):(\d{1,15}):([0-9a-f]{64})$/;

/** `tenant:seq:hash`, tenant 0 being the platform; undefined when the text is not one. */
export function parseHead(text: string): AuditHead | undefined {
  const [, tenantId, seq, hash] = pattern.exec(text) ?? [];
  if (hash === undefined) return undefined;
  return { tenantId: Number(tenantId), seq: Number(seq), hash };
}

export function headText({ tenantId, seq, hash }: AuditHead): string {
  return `${tenantId}:${seq}:${hash}`;
}

/** The heads of all tenants that have entries, in the order of the tenants. */
export async function auditHeads(database: Queryable): Promise<AuditHead[]> {
  const rows = await database.run(listHeads);
  return rows.map(({ tenant_id, seq, hash }) => ({ tenantId: tenant_id, seq, hash: hash.toString('hex') }));
}

/** Why the audit log disagrees with a head that was noted earlier; undefined if it agrees. */
export async function disagreementWith(database: Queryable, head: AuditHead): Promise<string | undefined> {
  const { tenantId, seq, hash } = head;
  const [found] = await database.run(findLinks, [tenantId, seq]);
  const whose = tenantId === platformTenant ? 'the platform' : `tenant ${tenantId}`;
  if (found?.hash?.toString('hex') === hash) return undefined;
  if (found?.hash) return `entry ${seq} of ${whose} has another hash`;
  if (found !== undefined && found.first > seq) {
    return `entry ${seq} of ${whose} has expired; note a newer head at least once in app.audit.keep`;
  }
  return `entry ${seq} of ${whose} is missing: the log ends with entry ${found?.last ?? 0}`;
}
