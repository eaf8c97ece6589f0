import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { printableJson } from '../../../../sdk/src/printable.ts';
import { dayMs } from '../../core/clock.ts';
import { Database } from '../../platform/postgres/database.ts';
import { migrate, migrationState } from '../../platform/postgres/migrate.ts';
import { statement } from '../../platform/postgres/statement.ts';
import { openLog } from '../../platform/process/log.ts';
import { readArguments } from '../cli/arguments.ts';
import { type CommandContext, type CommandOptions, type ExitCode, runCommand } from '../cli/command.ts';
import { version } from '../cli/version.ts';
import { findDatabase } from '../open-database.ts';
import { checkRestored } from './check-restored.ts';
import { copyDatabase } from './copy-database.ts';
import { keyringFrom, requireKeyText } from './keys.ts';
import { makePartialFolder } from './partial-folder.ts';
import { recordLocks, takeLocks } from './rehearsal-statements.ts';
import { countOf } from './report.ts';
import { openScratch, type Scratch } from './scratch.ts';

const usage = `Usage: npm run rehearse [-- --in DIR] [--json]

Rehearses an upgrade to this version: copies the database into a PostgreSQL of its own, migrates the copy, and checks
it as by npm run verify. Prints for each migration how long it took and which tables it locked against writers. The
service goes on with the old version meanwhile; its database is only read. The copy is deleted.

  --in DIR  where the copy is made, default ${tmpdir()}; it needs room for the database and for its compressed copy
  --json    prints one JSON object

It reads the settings of npm start. Exit code 0: the upgrade works on this data. 1: it does not; the line says why.
2: wrong arguments. See docs/guides/backup.md.
`;

/** A lock that stops writers of a table (ACCESS EXCLUSIVE: readers as well), until the migration is committed. */
export interface HeldLock {
  table: string;
  mode: string;
  /** As estimated by PostgreSQL. */
  rows: number;
  heldMs: number;
}

export interface Rehearsal {
  version: string;
  /** `reports`: what it says of the data that it has changed. */
  migrations: { name: string; elapsedMs: number; locks: HeldLock[]; reports: string[] }[];
  broken: string[];
}

/** `npm run rehearse`. */
export async function run(words: readonly string[], options: CommandOptions = {}): Promise<ExitCode> {
  const read = readArguments(words, usage, ['in'], { flags: ['json'] });
  if (read.exitCode !== undefined) return read.exitCode as ExitCode;
  return runCommand('rehearse the upgrade', options, async (context) => {
    const rehearsal = await rehearse(resolve(read.given.in.at(-1) ?? tmpdir()), context);
    report(rehearsal, read.flags.has('json'), context.print);
    return rehearsal.broken.length === 0 ? 0 : 1;
  });
}

/**
 * Migrates a copy of the database to the schema of this version. Nothing is copied when there is nothing to migrate.
 *
 * @throws the error of a migration that fails on the data
 */
export async function rehearse(dir: string, context: CommandContext): Promise<Rehearsal> {
  const { settings, note } = context;
  const keys = keyringFrom(await requireKeyText('encryption-keys', settings), 'the encryption keys');
  const source = await findDatabase(settings, openLog('error'), { anySchema: true });
  try {
    const { pending } = await migrationState(source.direct);
    if (pending.length === 0) return { version, migrations: [], broken: [] };
    const folder = await makePartialFolder(dir, `rehearsal-${process.pid}`);
    try {
      const scratch = await openScratch(folder.scratch, { track_commit_timestamp: 'on' });
      try {
        await copyDatabase(source, scratch.connection, folder.path, context);
        note(`Copied; running ${countOf(pending.length, 'migration')} on the copy …`);
        const migrations = await migrateObserved(scratch);
        const { broken } = await checkRestored(scratch.connection, keys, []);
        return { version, migrations, broken };
      } finally {
        await scratch.discard();
      }
    } finally {
      await folder.discard();
    }
  } finally {
    await source.stop();
  }
}

/** Gives PostgreSQL its estimates of the sizes of tables. */
const analyzeAll = statement('rehearsal.analyze', 'analyze');

/** Migrates as the role of the service, as a start does, and records locks as the superuser. */
async function migrateObserved({ connection, superuser }: Scratch): Promise<Rehearsal['migrations']> {
  const database = new Database({
    connection: superuser,
    connections: 1,
    name: 'rehearsal',
    statementTimeoutMs: dayMs,
  });
  const migrations: Rehearsal['migrations'] = [];
  try {
    await database.run(analyzeAll);
    await database.run(recordLocks);
    let reports: string[] = [];
    await migrate(connection, () => {}, {
      onReport: (report) => reports.push(report),
      onMigrated: async (name, elapsedMs) => {
        const locks = (await database.run(takeLocks)).map(({ table, mode, rows, held_ms }) => {
          return { table, mode: sqlName(mode), rows, heldMs: Math.round(held_ms) };
        });
        migrations.push({ name, elapsedMs: Math.round(elapsedMs), locks, reports });
        reports = [];
      },
    });
    return migrations;
  } finally {
    await database.close();
  }
}

/** `AccessExclusiveLock` becomes `ACCESS EXCLUSIVE`. */
const sqlName = (mode: string) =>
  mode
    .replace(/Lock$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();

function report(rehearsal: Rehearsal, asJson: boolean, print: (line: string) => void): void {
  if (asJson) {
    print(printableJson(rehearsal));
    return;
  }
  const { migrations, broken } = rehearsal;
  if (migrations.length === 0) {
    print(`The schema is that of Florin ${version} already: there is nothing to migrate.`);
    return;
  }
  for (const { name, elapsedMs, locks, reports } of migrations) {
    print(`migrated  ${name} in ${elapsedMs} ms`);
    for (const line of reports) print(`report    ${line}`);
    for (const { table, mode, rows, heldMs } of locks) {
      print(`lock      ${table}: ${mode} for ${heldMs} ms (about ${countOf(rows, 'row')})`);
    }
  }
  for (const claim of broken) print(`BROKEN    ${claim}`);
  if (broken.length === 0) print('verified  every claim holds after the upgrade');
}
