import type { Keyring } from '../platform/crypto/keyring.ts';
import { Sealer } from '../platform/crypto/seal.ts';
import type { Database, Queryable } from '../platform/postgres/database.ts';
import type { Resealed, SealedColumn, SealedRow } from '../platform/postgres/sealed-column-statements.ts';
import { modules } from './modules.ts';

/** The sealed columns of all modules. */
export const sealedColumns: readonly SealedColumn[] = modules.flatMap(({ sealed = [] }) => sealed);

/** Values per statement: few enough not to slow a running service down. */
const defaultBatchRows = 500;

export interface ResealProgress {
  column: SealedColumn;
  /** So far. */
  resealed: number;
  /** Values that no key of the list opens. */
  unopened: number;
  isDone: boolean;
}

/**
 * Seals again every value that is not sealed with the current key, and every value that an older version stored in
 * clear. A value that changes meanwhile is left alone: the node that changed it has sealed it, and a second run finds
 * it if that node used an old key. An interrupted run loses nothing; the next one skips what is done.
 */
export async function resealValues(
  database: Database,
  keys: Keyring,
  report: (progress: ResealProgress) => void,
): Promise<{ resealed: number; unopened: number }> {
  const sealer = new Sealer(keys);
  const total = { resealed: 0, unopened: 0 };
  for (const column of sealedColumns) {
    const { batchRows = defaultBatchRows } = column;
    const progress: ResealProgress = { column, resealed: 0, unopened: 0, isDone: false };
    for (let after: (string | number)[] | undefined = column.beforeAll; after !== undefined; ) {
      const page: SealedRow[] = await database.run(column.page, [sealer.currentKeyId, batchRows, ...after]);
      const stale = page.filter(({ sealed, plain }) => sealed !== null || plain !== null);
      const resealed = stale.map((row) => reseal(row, column, sealer)).filter((one) => one !== undefined);
      progress.unopened += stale.length - resealed.length;
      if (resealed.length > 0) {
        const [row] = await database.run(column.replace, column.valuesOf(resealed));
        progress.resealed += row?.replaced ?? 0;
      }
      const last = page.at(-1);
      after = page.length < batchRows || last === undefined ? undefined : column.keyOf(last);
      progress.isDone = after === undefined;
      report(progress);
    }
    total.resealed += progress.resealed;
    total.unopened += progress.unopened;
  }
  return total;
}

/** undefined: the value cannot be opened. */
function reseal(row: SealedRow, { associatedData }: SealedColumn, sealer: Sealer): Resealed | undefined {
  const plain = row.plain ?? plainOf(row.sealed as Buffer, associatedData(row), sealer);
  return plain === undefined ? undefined : { row, sealed: sealer.seal(plain, associatedData(row)) };
}

function plainOf(sealed: Buffer, associatedData: string, sealer: Sealer): Buffer | undefined {
  try {
    return sealer.openBytes(sealed, associatedData);
  } catch {
    // Counted: no key of the list opens it.
    return undefined;
  }
}

/** How many values each key has sealed, by kind of record. A null id counts values in clear. */
export async function countValuesByKey(
  database: Queryable,
): Promise<{ keyId: string | null; what: Map<string, number> }[]> {
  const byKey = new Map<string | null, Map<string, number>>();
  for (const { noun, count } of sealedColumns) {
    for (const { key_id, count: values } of await database.run(count)) {
      const what = byKey.get(key_id) ?? new Map<string, number>();
      byKey.set(key_id, what.set(noun, (what.get(noun) ?? 0) + values));
    }
  }
  return [...byKey].map(([keyId, what]) => ({ keyId, what }));
}

/** `key 20261122 has sealed channels: 3, inboxes: 1` */
export function describeKey({ keyId, what }: { keyId: string | null; what: Map<string, number> }): string {
  const values = [...what].map(([noun, count]) => `${noun}: ${count}`).join(', ');
  return keyId === null ? `stored in clear: ${values}` : `key ${keyId} has sealed ${values}`;
}
