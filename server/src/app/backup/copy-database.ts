import type { ConnectionConfig } from '../../platform/postgres/connection/connection-url.ts';
import { migrateTo, migrationState } from '../../platform/postgres/migrate.ts';
import type { CommandContext } from '../cli/command.ts';
import { CommandFailure } from '../cli/failure.ts';
import type { FoundDatabase } from '../open-database.ts';
import { type Copied, copyTablesIn, copyTablesOut } from './copy-tables.ts';
import type { Manifest } from './manifest.ts';
import { openSession } from './session.ts';
import { requireTables, tablesOf } from './tables.ts';

export type DatabaseCopy = Copied & Pick<Manifest, 'migrations'>;

/**
 * Copies a database into the files of a folder, and loads these into an empty database with the same schema.
 *
 * @throws CommandFailure when the schema is not that of its migrations, or what was loaded differs
 */
export async function copyDatabase(
  source: FoundDatabase,
  target: ConnectionConfig,
  folder: string,
  context: CommandContext,
): Promise<DatabaseCopy> {
  const migrations = await migrationsToCopy(source);
  await migrateTo(target, migrations);
  const [from, into] = [await openSession(source.direct, 'backup'), await openSession(target, 'restore')];
  try {
    const tables = await tablesOf(into);
    const unknownTables = await requireTables(from, tables);
    if (unknownTables.length > 0)
      context.note(`Not copied, because Florin does not know them: ${unknownTables.join(', ')}.`);
    const copied = await copyTablesOut(from, tables, folder, context, async () => {
      const now = await migrationsToCopy(source);
      if (now.join() !== migrations.join()) throw new CommandFailure('a node migrated the schema just now; try again.');
    });
    context.failPoint('backup_copied');
    await copyTablesIn(into, tables, folder, copied, context);
    context.failPoint('backup_loaded');
    return { ...copied, migrations };
  } finally {
    await from.close();
    await into.close();
  }
}

async function migrationsToCopy(source: FoundDatabase): Promise<string[]> {
  const { applied, unknown } = await migrationState(source.direct);
  if (applied.length === 0) throw new CommandFailure('the database is empty: Florin has never been started on it.');
  if (unknown.length > 0) {
    throw new CommandFailure(`the database was migrated by a newer Florin (${unknown.join(', ')}); use that version.`);
  }
  return applied;
}
