import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { discardDataFolder } from '@florin/embedded-postgres';
import { migrate } from '../../../platform/postgres/migrate.ts';
import type { CommandContext } from '../../cli/command.ts';
import { CommandFailure } from '../../cli/failure.ts';
import { version } from '../../cli/version.ts';
import { checkRestored } from '../check-restored.ts';
import { type KeyTexts, keyringFrom } from '../keys.ts';
import type { FileEntry } from '../manifest.ts';
import type { PartialFolder } from '../partial-folder.ts';
import { countOf } from '../report.ts';
import { openSession, type Session } from '../session.ts';
import type { ArchiveFolder } from './archive-folder.ts';
import { archiveWal } from './archive-wal.ts';
import { type Base, type BaseManifest, basesIn, writeBaseManifest } from './base-manifest.ts';
import { copyCluster } from './copy-cluster.ts';
import { logAfter, replay } from './replay.ts';
import { segmentName, segmentOf } from './wal-names.ts';

export interface BaseBackupOptions {
  folder: PartialFolder;
  archivePath: string;
  embedded: { superuser: Parameters<typeof openSession>[0]; cluster: string };
  keyTexts: KeyTexts;
  /** Writes the keys into the folder; undefined: they are left out. */
  writeKeys: (() => Promise<FileEntry[]>) | undefined;
}

/** @throws CommandFailure when the folder is not the archive that the service writes */
export function requireOwnArchive(dir: string, { settings }: Pick<CommandContext, 'settings'>): void {
  const own = settings['app.backup.archive'];
  if (own !== undefined && resolve(own) === dir) return;
  throw new CommandFailure(
    `${dir} is an archive, but app.backup.archive is ${own ?? 'not set'}: run this with the settings of the service.`,
  );
}

/**
 * Copies the files of the cluster into an archive, restores the copy with the log that belongs to it, and checks what
 * was restored. The manifest is written last.
 */
export async function makeBaseBackup(options: BaseBackupOptions, context: CommandContext): Promise<BaseManifest> {
  const { folder, archivePath, embedded, keyTexts, writeKeys } = options;
  const session = await openSession(embedded.superuser, 'base backup');
  try {
    await archiveWal({ session, ...embedded, folder: archivePath, completes: false, mayBegin: true });
    const copied = await copyCluster(session, embedded.cluster, folder.path, context);
    context.failPoint('backup_copied');
    const archive = await archiveUntil(session, copied.stopLsn, options);
    const manifest: BaseManifest = {
      format: 1,
      florin: version,
      postgres: archive.identity.postgres,
      ...copied,
      auditHeads: [],
      encryptionKeys: [],
      broken: [],
    };
    context.note('Copied; restoring the copy and checking it …');
    const base: Base = { path: folder.path, manifest };
    const proof = await prove(base, archive, { scratch: folder.scratch, keyTexts });
    if (writeKeys !== undefined) await writeKeys();
    const proven = { ...manifest, ...proof };
    context.failPoint('backup_proven');
    await writeBaseManifest(folder.path, proven);
    context.failPoint('backup_written');
    return proven;
  } finally {
    await session.close();
  }
}

async function archiveUntil(
  session: Session,
  stopLsn: string,
  { archivePath, embedded }: BaseBackupOptions,
): Promise<ArchiveFolder> {
  // The end of a base backup completes the segment that it needs last.
  const { archive } = await archiveWal({ session, ...embedded, folder: archivePath, completes: true });
  const { segmentBytes } = archive.identity;
  const last = segmentOf(stopLsn, segmentBytes);
  if ((await archive.segments()).some(({ number }) => number >= last - 1)) return archive;
  throw new CommandFailure(`the write-ahead log up to ${stopLsn} did not reach ${archivePath}.`);
}

type Proof = Awaited<ReturnType<typeof checkRestored>>;

async function prove(
  base: Base,
  archive: ArchiveFolder,
  { scratch, keyTexts }: { scratch: string; keyTexts: KeyTexts },
): Promise<Proof> {
  const keys = keyringFrom(keyTexts['encryption-keys'], 'the encryption keys');
  const log = await logAfter(archive, base, base.manifest.timeline);
  const postgres = await replay({ folder: scratch, archive, base, log, isDisposable: true });
  try {
    const connection = { ...postgres.connection, ssl: false } as const;
    await migrate(connection, () => {});
    return await checkRestored(connection, keys, []);
  } finally {
    await postgres.stop();
    await discardDataFolder(scratch);
  }
}

/**
 * Removes base backups but for the newest `keep` proven ones, and the log that only removed ones needed. Returns what
 * was removed, one line each.
 */
export async function removeOldBases(archive: ArchiveFolder, keep: number): Promise<string[]> {
  const bases = await basesIn(archive.path, () => {});
  const proven = bases.filter(({ manifest }) => manifest.broken.length === 0);
  const [oldestKept] = proven.slice(-Math.max(1, keep));
  if (oldestKept === undefined || keep === Number.POSITIVE_INFINITY) return [];
  const removed = bases.filter(
    ({ manifest }) => Date.parse(manifest.takenAt) < Date.parse(oldestKept.manifest.takenAt),
  );
  for (const { path } of removed) {
    // A kill in between must not leave a part that looks like a base backup: the next one removes it.
    await rename(path, `${path}.partial`);
    await rm(`${path}.partial`, { recursive: true });
  }
  const segments = await removeLogBefore(
    archive,
    bases.filter((base) => !removed.includes(base)),
  );
  const log = segments === 0 ? [] : [`${countOf(segments, 'segment')} of the write-ahead log`];
  return [...removed.map(({ path }) => path), ...log];
}

async function removeLogBefore(archive: ArchiveFolder, kept: readonly Base[]): Promise<number> {
  const { segmentBytes } = archive.identity;
  const first = Math.min(...kept.map(({ manifest }) => segmentOf(manifest.startLsn, segmentBytes)));
  const old = (await archive.segments()).filter(({ number }) => number < first);
  for (const segment of old) await archive.remove(segmentName(segment, segmentBytes));
  return old.length;
}
