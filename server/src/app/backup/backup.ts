import { basename, join, resolve } from 'node:path';
import { printableJson } from '../../../../sdk/src/printable.ts';
import { systemClock } from '../../core/clock.ts';
import { appendAudit, systemActor } from '../../domains/identity/audit/append.ts';
import { writeFileDurably } from '../../platform/crypto/durable-files.ts';
import { Database } from '../../platform/postgres/database.ts';
import { migrate } from '../../platform/postgres/migrate.ts';
import { openLog } from '../../platform/process/log.ts';
import { readArguments, refuseArguments } from '../cli/arguments.ts';
import { type CommandContext, type CommandOptions, type ExitCode, runCommand } from '../cli/command.ts';
import { CommandFailure } from '../cli/failure.ts';
import { version } from '../cli/version.ts';
import type { Settings } from '../config/settings.ts';
import { type FoundDatabase, findDatabase } from '../open-database.ts';
import { ArchiveFolder, isArchive } from './archive/archive-folder.ts';
import { makeBaseBackup, removeOldBases, requireOwnArchive } from './archive/base-backup.ts';
import type { BaseManifest } from './archive/base-manifest.ts';
import { checkRestored } from './check-restored.ts';
import { copyDatabase } from './copy-database.ts';
import { type KeyTexts, keyFileNames, keyringFrom, requireKeyText } from './keys.ts';
import { type FileEntry, type Manifest, sha256Of, writeManifest } from './manifest.ts';
import { makePartialFolder, type PartialFolder, removeProven } from './partial-folder.ts';
import { countOf } from './report.ts';
import { openScratch } from './scratch.ts';

const usage = `Usage: npm run backup -- DIR [--keep N] [--without-keys] [--json]

Copies the database, and the keys that open it, into a new folder in DIR, whether the service runs or not. The copy is
then restored into a PostgreSQL of its own and checked as by npm run verify. Only then the folder gets its name,
DIR/florin-DATE. A folder that ends in .partial was not completed; the next backup removes it.

DIR may be the archive of app.backup.archive. Then the files of the embedded PostgreSQL are copied into it, from which
the write-ahead log is replayed by npm run restore -- DIR --to TIME, and --keep also removes log that is too old.

  --keep N        removes proven backups in DIR afterwards, but for the newest N; it removes nothing if this one fails
  --without-keys  leaves the keys out, if you keep them elsewhere; a restore needs them
  --json          prints one JSON object

It reads the settings of npm start. Exit code 0: there is a proven backup. 1: there is none; if the database itself
breaks a claim, its copy is in DIR/florin-DATE.unproven. 2: wrong arguments. See docs/guides/backup.md.
`;

/** A copy of a database in a folder, which was restored once and checked. */
export interface Backup {
  folder: string;
  manifest: Manifest;
  elapsedMs: number;
}

/** `npm run backup`. */
export async function run(words: readonly string[], options: CommandOptions = {}): Promise<ExitCode> {
  const read = readArguments(words, usage, ['keep'], { flags: ['without-keys', 'json'], operands: ['DIR'] });
  if (read.exitCode !== undefined) return read.exitCode as ExitCode;
  const [dir = ''] = read.operands;
  const given = read.given.keep.at(-1);
  const keep = given === undefined ? Number.POSITIVE_INFINITY : Number(given);
  if (given !== undefined && !/^[1-9]\d{0,5}$/.test(given))
    return refuseArguments(usage, `--keep takes a number from 1, not ${given}.`);
  return runCommand('back up', options, async (context) => {
    if (await isArchiveOf(resolve(dir), context.settings)) {
      return backUpBase(
        resolve(dir),
        { withKeys: !read.flags.has('without-keys'), keep },
        context,
        read.flags.has('json'),
      );
    }
    const backup = await backUp(resolve(dir), { withKeys: !read.flags.has('without-keys') }, context);
    if (backup.manifest.broken.length === 0) {
      for (const folder of await removeProven(resolve(dir), keep)) context.note(`Removed ${folder}`);
    }
    report(backup, read.flags.has('json'), context.print);
    return backup.manifest.broken.length === 0 ? 0 : 1;
  });
}

/**
 * Makes a backup in `dir`.
 *
 * @throws CommandFailure, SettingsError or EmbeddedPostgresError when the database cannot be copied or the copy
 *   differs; nothing is left behind
 */
async function backUp(dir: string, { withKeys }: { withKeys: boolean }, context: CommandContext): Promise<Backup> {
  const begunAt = performance.now();
  const keyTexts = await readKeys(context);
  const source = await findDatabase(context.settings, openLog('error'), { anySchema: true });
  try {
    const folder = await makePartialFolder(dir, timeName(systemClock()));
    try {
      context.failPoint('backup_started');
      const manifest = await fill(folder, source, keyTexts, withKeys, context);
      const path = await folder.complete(manifest.broken.length === 0 ? '' : '.unproven');
      context.failPoint('backup_renamed');
      if (manifest.broken.length === 0) await recordInAuditLog(source, path, context);
      return { folder: path, manifest, elapsedMs: Math.round(performance.now() - begunAt) };
    } catch (error) {
      await folder.discard();
      throw error;
    }
  } finally {
    await source.stop();
  }
}

/** Whether a folder is an archive, or is to become that of the settings. */
async function isArchiveOf(dir: string, settings: Settings): Promise<boolean> {
  const own = settings['app.backup.archive'];
  return (own !== undefined && resolve(own) === dir) || isArchive(dir);
}

/** Makes a base backup in the archive of the write-ahead log. */
async function backUpBase(
  dir: string,
  { withKeys, keep }: { withKeys: boolean; keep: number },
  context: CommandContext,
  asJson: boolean,
): Promise<ExitCode> {
  const begunAt = performance.now();
  requireOwnArchive(dir, context);
  const keyTexts = await readKeys(context);
  const source = await findDatabase(context.settings, openLog('error'), { anySchema: true });
  try {
    const { embedded } = source;
    if (embedded === undefined) throw new CommandFailure('an archive is for the embedded PostgreSQL.');
    const folder = await makePartialFolder(dir, timeName(systemClock()));
    try {
      context.failPoint('backup_started');
      const writeKeysInto = withKeys ? () => writeKeys(folder.path, keyTexts) : undefined;
      const base = { folder, archivePath: dir, embedded, keyTexts, writeKeys: writeKeysInto };
      const manifest = await makeBaseBackup(base, context);
      const path = await folder.complete(manifest.broken.length === 0 ? '' : '.unproven');
      if (manifest.broken.length === 0) {
        await recordInAuditLog(source, path, context);
        const removed = await removeOldBases(await ArchiveFolder.open(dir), keep);
        for (const what of removed) context.note(`Removed ${what}`);
      }
      reportBase({ folder: path, manifest, elapsedMs: Math.round(performance.now() - begunAt) }, asJson, context.print);
      return manifest.broken.length === 0 ? 0 : 1;
    } catch (error) {
      await folder.discard();
      throw error;
    }
  } finally {
    await source.stop();
  }
}

/**
 * Records the backup, so that administrators see when the last one was proven. The backup counts even if that fails,
 * as on a read-only standby.
 */
async function recordInAuditLog({ direct }: FoundDatabase, folder: string, context: CommandContext): Promise<void> {
  const database = new Database({ connection: direct, connections: 1, name: 'backup' });
  try {
    const entry = { action: 'backup.create', tenantId: 0, recordId: basename(folder) } as const;
    await appendAudit(database, systemActor, entry);
  } catch (error) {
    context.note(`The audit log does not mention the backup: ${(error as Error).message}`);
  } finally {
    await database.close();
  }
}

/** Before anything is copied: without keys there is nothing to prove. */
async function readKeys({ settings }: CommandContext): Promise<KeyTexts> {
  const texts = await Promise.all(keyFileNames.map(async (name) => [name, await requireKeyText(name, settings)]));
  return Object.fromEntries(texts) as KeyTexts;
}

/** Copies, restores and checks; the manifest is written last. */
async function fill(
  folder: PartialFolder,
  source: FoundDatabase,
  keyTexts: KeyTexts,
  withKeys: boolean,
  context: CommandContext,
): Promise<Manifest> {
  const keys = keyringFrom(keyTexts['encryption-keys'], 'the encryption keys');
  const scratch = await openScratch(folder.scratch);
  let manifest: Manifest;
  try {
    context.failPoint('backup_scratch');
    const { files, ...copied } = await copyDatabase(source, scratch.connection, folder.path, context);
    context.note('Copied and restored; checking the restored copy …');
    await migrate(scratch.connection, () => {});
    const proof = await checkRestored(scratch.connection, keys, []);
    if (withKeys) files.push(...(await writeKeys(folder.path, keyTexts)));
    manifest = { format: 1, florin: version, ...copied, ...proof, files };
    context.failPoint('backup_proven');
  } finally {
    await scratch.discard();
  }
  await writeManifest(folder.path, manifest);
  context.failPoint('backup_written');
  return manifest;
}

async function writeKeys(folder: string, texts: KeyTexts): Promise<FileEntry[]> {
  return Promise.all(
    keyFileNames.map(async (name) => {
      const text = `${texts[name]}\n`;
      await writeFileDurably(join(folder, name), text);
      return { path: name, bytes: Buffer.byteLength(text), sha256: await sha256Of(join(folder, name)) };
    }),
  );
}

/** `2026-01-31T09-30-05Z`: sorts by time, and is a name on every file system. */
const timeName = (nowMs: number) => new Date(nowMs).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');

function report({ folder, manifest, elapsedMs }: Backup, asJson: boolean, print: (line: string) => void): void {
  const { takenAt, florin, migrations, tables, files, auditHeads, encryptionKeys, broken } = manifest;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (asJson) {
    const facts = { folder, takenAt, florin, migration: migrations.at(-1), rows, bytes, elapsedMs };
    print(printableJson({ ...facts, auditHeads, encryptionKeys, broken }));
    return;
  }
  print(`backup  ${folder}`);
  print(
    `copied  ${countOf(rows, 'row')} of ${tables.length} tables as of ${takenAt}, ${bytes} bytes, in ${elapsedMs} ms`,
  );
  for (const head of auditHeads) print(`head    ${head}`);
  for (const { id, neededFor } of encryptionKeys) print(`key     ${id} opens ${neededFor}`);
  for (const claim of broken) print(`BROKEN  ${claim}`);
  print(
    broken.length === 0
      ? 'proven  restored into a PostgreSQL of its own: every row is there, and every claim holds'
      : 'NOT PROVEN: the copy is true to the database, but the database is wrong; florin verify names the rows',
  );
}

function reportBase(
  { folder, manifest, elapsedMs }: { folder: string; manifest: BaseManifest; elapsedMs: number },
  asJson: boolean,
  print: (line: string) => void,
): void {
  const { takenAt, florin, files, auditHeads, encryptionKeys, broken } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (asJson) {
    print(printableJson({ folder, takenAt, florin, bytes, elapsedMs, auditHeads, encryptionKeys, broken }));
    return;
  }
  print(`backup  ${folder}`);
  print(`copied  ${countOf(files.length, 'file')} as of ${takenAt}, ${bytes} bytes, in ${elapsedMs} ms`);
  for (const head of auditHeads) print(`head    ${head}`);
  for (const { id, neededFor } of encryptionKeys) print(`key     ${id} opens ${neededFor}`);
  for (const claim of broken) print(`BROKEN  ${claim}`);
  print(
    broken.length === 0
      ? 'proven  restored into a PostgreSQL of its own with the log of the archive: every claim holds'
      : 'NOT PROVEN: the copy is true to the database, but the database is wrong; florin verify names the rows',
  );
}
