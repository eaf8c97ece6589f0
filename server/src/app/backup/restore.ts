import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { ConnectionConfig } from '../../platform/postgres/connection/connection-url.ts';
import { knownMigrations, migrate, migrateTo, migrationState } from '../../platform/postgres/migrate.ts';
import { readArguments, refuseArguments } from '../cli/arguments.ts';
import { type CommandContext, type CommandOptions, type ExitCode, runCommand } from '../cli/command.ts';
import { CommandFailure } from '../cli/failure.ts';
import { version } from '../cli/version.ts';
import type { Settings } from '../config/settings.ts';
import { configuredDatabase } from '../open-database.ts';
import { isArchive } from './archive/archive-folder.ts';
import { restoreArchive, timeOf } from './archive/restore-archive.ts';
import { hasRows, hasTable } from './catalog-statements.ts';
import { checkRestored } from './check-restored.ts';
import { copyTablesIn } from './copy-tables.ts';
import { keyFiles, requireKeys } from './keys.ts';
import { checkFiles, type Manifest, readManifest } from './manifest.ts';
import { countOf, type RestoreResult, reportRestore } from './report.ts';
import { openRestoreFolder, requireUnusedFolder } from './restore-folder.ts';
import { openScratch } from './scratch.ts';
import { openSession } from './session.ts';
import { tablesOf } from './tables.ts';

const usage = `Usage: npm run restore -- DIR [--to TIME] [--data-dir DIR | --verify] [--unproven] [--json]

Restores a backup, the folder DIR that npm run backup has printed: into the data folder, or into the PostgreSQL of
app.database.url. Either must be empty. Every file of the backup is checked before anything is written, and the restored
database is checked as by npm run verify.

DIR may also be the archive of app.backup.archive, which is restored into a data folder: to its end, or to any second
that it reaches back to. What came after that second is listed.

  --to TIME       of an archive: the state at this time, such as 2026-11-28T02:00:00Z
  --data-dir DIR  the data folder to restore into, instead of app.data-dir or app.database.url
  --verify        restores into a PostgreSQL of its own that is removed again, to see that the backup can be restored
  --unproven      accepts a copy of a database that breaks a claim (DIR ends in .unproven)
  --json          prints one JSON object

It reads the settings of npm start. Exit code 0: restored, and every claim holds. 1: refused or failed; the line says
why. 2: wrong arguments. See docs/guides/backup.md.
`;

/** `npm run restore`. */
export async function run(words: readonly string[], options: CommandOptions = {}): Promise<ExitCode> {
  const read = readArguments(words, usage, ['data-dir', 'to'], {
    flags: ['verify', 'unproven', 'json'],
    operands: ['DIR'],
  });
  if (read.exitCode !== undefined) return read.exitCode as ExitCode;
  const { given, flags, operands } = read;
  const to = given.to.at(-1);
  const toMs = to === undefined ? undefined : timeOf(to);
  if (toMs === null) return refuseArguments(usage, `--to takes a time such as 2026-11-28T02:00:00Z, not ${to}.`);
  return runCommand('restore', options, async (context) => {
    const [folder, dataDir] = [resolve(operands[0] as string), given['data-dir'].at(-1)];
    const isTrial = flags.has('verify');
    if (isTrial && dataDir !== undefined) throw new CommandFailure('--verify restores nowhere: leave out --data-dir.');
    if (await isArchive(folder)) {
      return restoreArchive(folder, { toMs, dataDir, isTrial, asJson: flags.has('json') }, context);
    }
    if (to !== undefined) throw new CommandFailure(`${folder} is no archive of app.backup.archive: leave out --to.`);
    const restored = await restore(folder, { dataDir, isTrial, acceptsUnproven: flags.has('unproven') }, context);
    reportRestore(restored, {
      asJson: flags.has('json'),
      print: context.print,
      state: `${countOf(restored.rows, 'row')} as of ${restored.takenAt}`,
      verified: 'every row is there, and every claim holds',
    });
    return restored.broken.length === 0 ? 0 : 1;
  });
}

export interface Restored extends RestoreResult {
  /** Whether `into` is a data folder. */
  isFolder: boolean;
  takenAt: string;
  rows: number;
}

/**
 * Restores the backup in `folder`; as a trial, into a database that is removed again.
 *
 * @throws CommandFailure before anything is written when a file of the backup is damaged or missing, when a newer
 *   version made it, when its keys are missing, or when the data folder or database is in use
 */
export async function restore(
  folder: string,
  { dataDir, acceptsUnproven, isTrial }: { dataDir: string | undefined; acceptsUnproven: boolean; isTrial: boolean },
  context: CommandContext,
): Promise<Restored> {
  const begunAt = performance.now();
  const { settings, note } = context;
  const isFolder = dataDir !== undefined || settings['app.database.url'] === undefined;
  const target = resolve(dataDir ?? settings['app.data-dir']);
  if (!isTrial) await (isFolder ? requireUnusedFolder(target, folder) : requireUnusedDatabase(settings));
  const manifest = await readManifest(folder);
  if (isTrial) note('Checking the files of the backup …');
  await checkFiles(folder, manifest);
  await requireKnownVersion(folder, manifest);
  if (manifest.broken.length > 0 && !acceptsUnproven) {
    throw new CommandFailure(
      `${folder} is the copy of a database that breaks a claim (${manifest.broken[0]}); use an older backup, ` +
        'or --unproven.',
    );
  }
  const keys = await requireKeys(folder, manifest, settings);
  note('Every file of the backup is as it was written; restoring …');
  const load = (connection: ConnectionConfig) => loadAndCheck(connection, folder, manifest, keys, context);
  const done = isTrial
    ? await intoScratch(load)
    : isFolder
      ? await intoFolder(target, folder, load, context)
      : await intoDatabase(settings, load);
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const elapsedMs = Math.round(performance.now() - begunAt);
  const next = isTrial ? [] : [...done.next, ...nextSteps(manifest)];
  return { into: done.into, broken: done.broken, isFolder, takenAt: manifest.takenAt, rows, elapsedMs, next };
}

async function requireKnownVersion(folder: string, manifest: Manifest): Promise<void> {
  const known = await knownMigrations();
  const unknown = manifest.migrations.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new CommandFailure(
    `${folder} was made by Florin ${manifest.florin}, which is newer than this ${version}: ` +
      `its migration ${unknown[0]} is unknown here. Restore it with that version.`,
  );
}

async function intoFolder(
  dataDir: string,
  backup: string,
  load: (connection: ConnectionConfig) => Promise<string[]>,
  context: CommandContext,
): Promise<Pick<Restored, 'into' | 'broken' | 'next'>> {
  const target = await openRestoreFolder(dataDir, backup);
  try {
    const broken = await load(target.connection);
    context.failPoint('restore_loaded');
    await target.complete();
    context.failPoint('restore_completed');
    return { into: dataDir, broken, next: [`Start Florin with APP_DATA_DIR=${dataDir}.`] };
  } catch (error) {
    await target.discard();
    throw error;
  }
}

async function intoScratch(
  load: (connection: ConnectionConfig) => Promise<string[]>,
): Promise<Pick<Restored, 'into' | 'broken' | 'next'>> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-restore-'));
  try {
    const scratch = await openScratch(join(folder, 'postgres'));
    try {
      return { into: null, broken: await load(scratch.connection), next: [] };
    } finally {
      await scratch.discard();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireUnusedDatabase(settings: Settings): Promise<void> {
  const { direct, hosts } = configuredDatabase(settings);
  const session = await openSession(direct, 'restore check');
  try {
    // A start creates the first account. Migrations alone are what a killed restore leaves behind.
    const [table] = await session.run(hasTable, ['app_user']);
    const [account] = table?.exists ? await session.run(hasRows('app_user')) : [];
    if (account?.exists)
      throw new CommandFailure(`the database at ${hosts} is in use: it has accounts. Use an empty one.`);
  } finally {
    await session.close();
  }
}

async function intoDatabase(
  settings: Settings,
  load: (connection: ConnectionConfig) => Promise<string[]>,
): Promise<Pick<Restored, 'into' | 'broken' | 'next'>> {
  const { direct, hosts } = configuredDatabase(settings);
  const broken = await load(direct);
  const keysAt =
    `set ${keyFiles['encryption-keys']} and ${keyFiles['jwt-keys']} to the keys of the backup, ` +
    'if they are not set yet';
  return { into: hosts, broken, next: [`Before you start Florin, ${keysAt}.`] };
}

/** Returns the claims that the restored database breaks. */
async function loadAndCheck(
  connection: ConnectionConfig,
  folder: string,
  manifest: Manifest,
  keys: Keyring,
  context: CommandContext,
): Promise<string[]> {
  const { applied } = await migrationState(connection);
  const others = applied.filter((name) => !manifest.migrations.includes(name));
  if (others.length > 0) throw new CommandFailure('the database has another schema already; use an empty one.');
  await migrateTo(connection, manifest.migrations);
  const session = await openSession(connection, 'restore');
  try {
    await copyTablesIn(session, await tablesOf(session), folder, manifest, context);
  } finally {
    await session.close();
  }
  await migrate(connection, () => {});
  context.note('Restored; checking the restored database …');
  return (await checkRestored(connection, keys, manifest.auditHeads)).broken;
}

function nextSteps({ takenAt }: Manifest): string[] {
  return [
    `Payments, refunds and changes since ${takenAt} are missing: compare with the records of your providers.`,
    'Developer keys revoked and users disabled since then work again: revoke and disable them again.',
    'Webhook deliveries that were open then are sent again, under their old ids.',
    'Make a backup of the restored service, and note its audit heads.',
  ];
}
