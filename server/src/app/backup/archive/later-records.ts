import { escapeIdentifier } from 'pg';
import { publicId } from '../../../core/id.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { Session } from '../session.ts';

/** What is listed, by its table: as the interface calls it, and with the prefix of its ids there. */
export const listedKinds = {
  transaction: { kind: 'payment', prefix: 'txn' },
  refund: { kind: 'refund', prefix: 'ref' },
  capture: { kind: 'capture', prefix: 'cap' },
  dispute: { kind: 'dispute', prefix: 'dsp' },
  invoice: { kind: 'invoice' },
  subscription: { kind: 'subscription' },
  payment_method: { kind: 'payment method', prefix: 'mtd' },
  customer: { kind: 'customer' },
  plan: { kind: 'plan' },
  channel: { kind: 'channel' },
  webhook_endpoint: { kind: 'webhook endpoint' },
  developer_key: { kind: 'developer key' },
  app_user: { kind: 'user' },
} as const satisfies Record<string, { kind: string; prefix?: string }>;

/** A record that is not in the restored database as it was at the end of the archive. */
export interface LaterRecord {
  kind: (typeof listedKinds)[keyof typeof listedKinds]['kind'];
  /** `deleted`: the restored database has it again. */
  change: 'created' | 'changed' | 'deleted';
  tenantId: string;
  id: string;
  /** As it was at the end of the archive. */
  status: string | undefined;
  amount: string | undefined;
  currency: string | undefined;
  createdAt: string | undefined;
}

interface KeyColumn {
  name: string;
  type: string;
}

const listKeyColumns = statement<KeyColumn>(
  'archive.list_key_columns',
  `select a.attname as name, format_type(a.atttypid, null) as type
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
    where i.indrelid = to_regclass($1) and i.indisprimary
    order by array_position(i.indkey::int2[], a.attnum)`,
);
const readNextTransaction = statement<{ id: string }>(
  'archive.read_next_transaction',
  'select pg_snapshot_xmax(pg_current_snapshot())::text as id',
);

/**
 * Transactions that were open at the restored time have smaller numbers than it and may have been committed later.
 * Rows of so many transactions before it are compared as well.
 */
const openTransactions = 100_000n;
const batchRows = 5_000;

interface LaterRow {
  key: string[];
  row_version: string;
  record: Record<string, unknown>;
}

/**
 * Compares two databases that were restored from the same archive, one to a time and one to the end, and calls `found`
 * with every record of the latter that the former does not have or has differently, and the reverse. Both were made by
 * the same log: a row that is the same in both was written by the same transaction.
 */
export async function compareRestored(
  restored: Session,
  end: Session,
  found: (record: LaterRecord) => Promise<void>,
): Promise<void> {
  const [atTime, atEnd] = [await nextTransaction(restored), await nextTransaction(end)];
  const age = atEnd - atTime + openTransactions;
  for (const [table, listed] of Object.entries(listedKinds)) {
    const { kind } = listed;
    const prefix = 'prefix' in listed ? listed.prefix : undefined;
    const keys = await restored.run(listKeyColumns, [table]);
    // An earlier version of Florin did not have this table.
    if (keys.length === 0) continue;
    const created = await compareTable({ restored, end, table, keys, age }, (row, change) =>
      found({ kind, change, ...described(row, prefix) }),
    );
    const deleted = (await count(restored, table)) - ((await count(end, table)) - created);
    if (deleted > 0) {
      await findDeleted({ restored, end, table, keys }, deleted, (row) =>
        found({ kind, change: 'deleted', ...described(row, prefix) }),
      );
    }
  }
}

const nextTransaction = async (session: Session): Promise<bigint> =>
  BigInt((await session.run(readNextTransaction))[0]?.id ?? 0);

interface Compared {
  restored: Session;
  end: Session;
  table: string;
  keys: KeyColumn[];
}

/** Returns how many were created. */
async function compareTable(
  { restored, end, table, keys, age }: Compared & { age: bigint },
  found: (row: LaterRow, change: 'created' | 'changed') => Promise<void>,
): Promise<number> {
  let created = 0;
  for await (const rows of batches(end, selectRows(table, keys, `where age(t.xmin) <= ${age}`))) {
    const present = await versionsOf(restored, table, keys, rows);
    for (const row of rows) {
      const version = present.get(row.key.join());
      if (version === row.row_version) continue;
      if (version === undefined) created++;
      await found(row, version === undefined ? 'created' : 'changed');
    }
  }
  return created;
}

async function findDeleted(
  { restored, end, table, keys }: Compared,
  expected: number,
  found: (row: LaterRow) => Promise<void>,
): Promise<void> {
  let left = expected;
  for await (const rows of batches(restored, selectRows(table, keys, ''))) {
    const present = await versionsOf(end, table, keys, rows);
    for (const row of rows.filter(({ key }) => !present.has(key.join()))) {
      await found(row);
      left--;
    }
    if (left <= 0) return;
  }
}

/** The versions of those of `rows` that a database has, by key. */
async function versionsOf(
  session: Session,
  table: string,
  keys: KeyColumn[],
  rows: readonly LaterRow[],
): Promise<Map<string, string>> {
  const names = keys.map((_, i) => `k${i}`);
  const join = keys.map(({ name, type }, i) => `t.${escapeIdentifier(name)} = given.k${i}::${type}`).join(' and ');
  const text = `select ${keyArray(keys)} as key, t.xmin::text as row_version
                  from unnest(${names.map((_, i) => `$${i + 1}::text[]`).join(', ')}) as given(${names.join(', ')})
                  join ${escapeIdentifier(table)} t on ${join}`;
  const values = keys.map((_, i) => rows.map(({ key }) => key[i]));
  const found = await session.run<{ key: string[]; row_version: string }>({ name: '', text }, values);
  return new Map(found.map(({ key, row_version }) => [key.join(), row_version]));
}

const keyArray = (keys: KeyColumn[]) =>
  `array[${keys.map(({ name }) => `t.${escapeIdentifier(name)}::text`).join(', ')}]`;

const selectRows = (table: string, keys: KeyColumn[], where: string) =>
  `select ${keyArray(keys)} as key, t.xmin::text as row_version, to_jsonb(t) as record
     from ${escapeIdentifier(table)} t ${where}`;

async function* batches(session: Session, query: string): AsyncGenerator<LaterRow[]> {
  await session.client.query('begin read only');
  try {
    await session.client.query(`declare found no scroll cursor for ${query}`);
    for (;;) {
      const { rows } = await session.client.query<LaterRow>(`fetch ${batchRows} from found`);
      if (rows.length === 0) return;
      yield rows;
    }
  } finally {
    await session.client.query('rollback');
  }
}

async function count(session: Session, table: string): Promise<number> {
  const [row] = await session.run<{ rows: number }>({
    name: '',
    text: `select count(*)::float8 as rows from ${escapeIdentifier(table)}`,
  });
  return row?.rows ?? 0;
}

function described({ record }: LaterRow, prefix: string | undefined): Omit<LaterRecord, 'kind' | 'change'> {
  const textOf = (name: string) => (record[name] == null ? undefined : String(record[name]));
  const id = textOf('id') ?? '';
  return {
    tenantId: textOf('tenant_id') ?? '',
    id: prefix === undefined ? id : publicId(prefix, id),
    status: textOf('status') ?? textOf('state'),
    amount: textOf('amount'),
    currency: textOf('currency'),
    createdAt: textOf('created_at'),
  };
}
