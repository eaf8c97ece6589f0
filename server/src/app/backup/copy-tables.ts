import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { from as copyFrom } from 'pg-copy-streams';
import { syncFolder } from '../../platform/crypto/durable-files.ts';
import { copyOut } from '../../platform/postgres/copy-out.ts';
import type { CommandContext } from '../cli/command.ts';
import { CommandFailure } from '../cli/failure.ts';
import { progressOf } from '../cli/progress.ts';
import {
  copyIn,
  copyOut as copyOutOf,
  createIndexes,
  dropIndexes,
  emptyTable,
  hasRows,
  listPlainIndexes,
  listSequences,
  lockTables,
  readServer,
  setSequence,
  type TableRow,
  useBuildMemory,
} from './catalog-statements.ts';
import type { FileEntry, Manifest, TableEntry } from './manifest.ts';
import { Meter, RowMeter } from './meter.ts';
import type { Session } from './session.ts';

/** Levels above 1 take several times as long for a few percent. */
const gzipLevel = 1;

export type Copied = Pick<Manifest, 'tables' | 'sequences' | 'takenAt' | 'postgres'> & { files: FileEntry[] };

/**
 * Copies tables of one snapshot into compressed files below `folder`. Writers go on; migrations wait.
 *
 * `requireUnchanged` is called on the snapshot, after migrations are excluded.
 */
export async function copyTablesOut(
  source: Session,
  tables: readonly TableRow[],
  folder: string,
  { note, signal, failPoint }: Pick<CommandContext, 'note' | 'signal' | 'failPoint'>,
  requireUnchanged: () => Promise<void>,
): Promise<Copied> {
  await mkdir(join(folder, 'tables'), { mode: 0o700 });
  const { client } = source;
  await client.query('begin isolation level repeatable read read only');
  await client.query(lockTables(tables.map(({ name }) => name)));
  const [server] = await source.run(readServer);
  await requireUnchanged();
  const entries: TableEntry[] = [];
  const files: FileEntry[] = [];
  for (const table of tables) {
    signal.throwIfAborted();
    const path = `tables/${table.name}.copy.gz`;
    const [rows, compressed] = [new RowMeter(), new Meter()];
    const progress = progressOf(
      note,
      () => `copying ${table.name}, table ${entries.length + 1} of ${tables.length}: ${rows.rows} rows …`,
      () => entries.length / tables.length,
    );
    try {
      // `flush`: the file is on disk when it is closed.
      const file = createWriteStream(join(folder, path), { flags: 'wx', mode: 0o600, flush: true });
      const copied = rows.of(copyOut(client, copyOutOf(table)));
      await pipeline(copied, createGzip({ level: gzipLevel }), compressed, file, { signal });
    } finally {
      progress.stop();
    }
    entries.push({ name: table.name, file: path, rows: rows.rows, digest: rows.digest() });
    files.push({ path, bytes: compressed.bytes, sha256: compressed.sha256() });
    failPoint('backup_copying');
  }
  // Sequences do not belong to the snapshot: read after it, they are never behind the rows.
  const sequences = await sequencesOf(source);
  await client.query('commit');
  await syncFolder(join(folder, 'tables'));
  return {
    tables: entries,
    files,
    sequences,
    takenAt: server?.taken_at as string,
    postgres: server?.version as string,
  };
}

async function sequencesOf(source: Session): Promise<Manifest['sequences']> {
  const rows = await source.run(listSequences);
  const hidden = rows.find(({ is_visible }) => !is_visible);
  if (hidden !== undefined) {
    throw new CommandFailure(
      `this account of the database may not read sequence ${hidden.name}; use the one of the service.`,
    );
  }
  return rows.map(({ name, value }) => ({ name, value }));
}

/**
 * Loads the files of a backup into a migrated database, in one transaction, and compares what it then contains with
 * what was copied: the number of rows and their digest.
 *
 * @throws CommandFailure when a table differs
 */
export async function copyTablesIn(
  target: Session,
  tables: readonly TableRow[],
  folder: string,
  manifest: Pick<Manifest, 'tables' | 'sequences' | 'files'>,
  { note, signal }: Pick<CommandContext, 'note' | 'signal'>,
): Promise<void> {
  const entryOf = new Map(manifest.tables.map((entry) => [entry.name, entry]));
  const { client } = target;
  await client.query('begin');
  // Migrations fill some tables.
  for (const { name } of tables.toReversed()) {
    const [row] = await target.run(hasRows(name));
    if (row?.exists) await target.run(emptyTable(name));
  }
  // An index that is built at the end takes a fraction of the time that one which grows row by row takes.
  const indexes = await target.run(listPlainIndexes);
  await target.run(useBuildMemory);
  if (indexes.length > 0) await client.query(dropIndexes(indexes));
  const bytesOf = new Map(manifest.files.map(({ path, bytes }) => [path, bytes]));
  for (const table of tables) {
    signal.throwIfAborted();
    const entry = entryOf.get(table.name);
    if (entry === undefined) throw new CommandFailure(`the backup has no table ${table.name}.`);
    const file = createReadStream(join(folder, entry.file));
    const share = () => file.bytesRead / (bytesOf.get(entry.file) ?? Number.POSITIVE_INFINITY);
    const progress = progressOf(
      note,
      () => `loading ${table.name}: ${Math.round(share() * entry.rows)} of ${entry.rows} rows …`,
      share,
    );
    try {
      await pipeline(file, createGunzip(), client.query(copyFrom(copyIn(table))), { signal });
    } finally {
      progress.stop();
    }
    await requireSameRows(target, table, entry, signal);
  }
  if (indexes.length > 0) {
    note('Loaded; building indexes …');
    await client.query(createIndexes(indexes));
  }
  for (const { name, value } of manifest.sequences) if (value !== null) await target.run(setSequence, [name, value]);
  await client.query('commit');
}

async function requireSameRows(
  target: Session,
  table: TableRow,
  entry: TableEntry,
  signal: AbortSignal,
): Promise<void> {
  const rows = new RowMeter();
  for await (const _ of rows.of(copyOut(target.client, copyOutOf(table)))) signal.throwIfAborted();
  if (rows.rows === entry.rows && rows.digest() === entry.digest) return;
  throw new CommandFailure(
    `table ${table.name} does not contain after the restore what was copied: ` +
      `${rows.rows} rows of ${entry.rows}, or other ones.`,
  );
}
