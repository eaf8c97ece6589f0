import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { syncFolder, writeFileDurably } from '../../../platform/crypto/durable-files.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { CommandContext } from '../../cli/command.ts';
import { CommandFailure } from '../../cli/failure.ts';
import { progressOf } from '../../cli/progress.ts';
import type { FileEntry } from '../manifest.ts';
import { Meter } from '../meter.ts';
import type { Session } from '../session.ts';
import { type Base, type BaseManifest, pathInBase } from './base-manifest.ts';

/** Its content is of one run of PostgreSQL, or comes from the archive (PostgreSQL's documentation, "Base backups"). */
const emptiedFolders = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
];
const omittedFiles = [
  /^postmaster\.(pid|opts)$/,
  /^pgsql_tmp/,
  /^pg_internal\.init/,
  /^backup_(label|manifest)/,
  /^tablespace_map/,
  /^recovery\.(signal|done)$/,
  /^current_logfiles/,
];
/** Last: it must not be older than what it refers to. */
const controlFile = 'global/pg_control';
const labelFile = 'backup_label';
const gzipLevel = 1;

const beginCopy = statement('archive.begin_copy', "select pg_backup_start('florin', true)");
const endCopy = statement<{ label: string; stop_lsn: string; ended_ms: number }>(
  'archive.end_copy',
  `select labelfile as label, lsn::text as stop_lsn,
          ceil(extract(epoch from clock_timestamp()) * 1000)::float8 as ended_ms
     from pg_backup_stop(wait_for_archive => false)`,
);

export type CopiedCluster = Pick<BaseManifest, 'timeline' | 'startLsn' | 'stopLsn' | 'takenAt' | 'files' | 'folders'>;

/** Copies the files of a running cluster into the folder of a base backup. Writers go on. */
export async function copyCluster(
  session: Session,
  cluster: string,
  to: string,
  { note, signal }: Pick<CommandContext, 'note' | 'signal'>,
): Promise<CopiedCluster> {
  await session.run(beginCopy);
  const { files: found, folders } = await listCluster(cluster);
  const files: FileEntry[] = [];
  const total = found.length;
  const progress = progressOf(
    note,
    () => `copying file ${files.length + 1} of ${total} …`,
    () => files.length / total,
  );
  for (const folder of ['', ...folders]) await mkdir(join(to, 'cluster', folder), { recursive: true, mode: 0o700 });
  try {
    const control = found.pop() as string;
    const copy = async (path: string) => {
      signal.throwIfAborted();
      const entry = await copyFile(join(cluster, path), to, path);
      if (entry !== undefined) files.push(entry);
    };
    await forEachOf(found, copy);
    await copy(control);
  } finally {
    progress.stop();
  }
  const [end] = await session.run(endCopy);
  if (end === undefined) throw new Error('PostgreSQL answered nothing.');
  files.push(await addLabel(to, end.label));
  for (const folder of ['', ...folders]) await syncFolder(join(to, 'cluster', folder));
  return {
    ...startOfLabel(end.label),
    stopLsn: end.stop_lsn,
    takenAt: new Date(end.ended_ms).toISOString(),
    files,
    folders,
  };
}

async function listCluster(cluster: string): Promise<{ files: string[]; folders: string[] }> {
  const files: string[] = [];
  const folders: string[] = [];
  const list = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(cluster, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory() || path === 'pg_wal';
      if (omittedFiles.some((form) => form.test(entry.name))) continue;
      if (isFolder) {
        folders.push(path);
        if (!emptiedFolders.includes(path)) await list(path);
      } else if (entry.isFile()) {
        files.push(path);
      } else {
        throw new CommandFailure(`${join(cluster, path)} is neither a file nor a folder: tablespaces are not copied.`);
      }
    }
  };
  await list('');
  folders.push(...(folders.includes('pg_wal') ? ['pg_wal/archive_status', 'pg_wal/summaries'] : []));
  return { files: [...files.filter((path) => path !== controlFile), controlFile], folders };
}

/** undefined: PostgreSQL has removed it meanwhile, and the log says so to a restore. */
async function copyFile(from: string, base: string, path: string): Promise<FileEntry | undefined> {
  const source = await open(from).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (source === undefined) return undefined;
  const meter = new Meter();
  // `flush`: the file is on disk when it is closed.
  const file = createWriteStream(join(base, pathInBase({ path })), { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(source.createReadStream(), meter, createGzip({ level: gzipLevel }), file);
  return { path, bytes: meter.bytes, sha256: meter.sha256() };
}

async function addLabel(base: string, label: string): Promise<FileEntry> {
  const temporary = join(base, labelFile);
  await writeFileDurably(temporary, label);
  const entry = await copyFile(temporary, base, labelFile);
  await rm(temporary);
  return entry as FileEntry;
}

function startOfLabel(label: string): { startLsn: string; timeline: number } {
  const startLsn = /^START WAL LOCATION: (\S+)/m.exec(label)?.[1];
  const timeline = /^START TIMELINE: (\d+)/m.exec(label)?.[1];
  if (startLsn === undefined || timeline === undefined) throw new Error(`PostgreSQL's backup label is: ${label}`);
  return { startLsn, timeline: Number(timeline) };
}

/**
 * Writes the files of a base backup into a folder that becomes a cluster.
 *
 * @throws CommandFailure that names the file which is missing or changed
 */
export async function placeCluster({ path: base, manifest }: Base, cluster: string): Promise<void> {
  for (const folder of ['', ...manifest.folders]) await mkdir(join(cluster, folder), { recursive: true, mode: 0o700 });
  await forEachOf(manifest.files, async (file) => {
    const meter = new Meter();
    const target = join(cluster, file.path);
    await pipeline(
      createReadStream(join(base, pathInBase(file))),
      createGunzip(),
      meter,
      createWriteStream(target, { flags: 'wx', mode: 0o600 }),
    ).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' && !error.code?.startsWith('Z_')) throw error;
      throw damaged(base, `${pathInBase(file)} ${error.code === 'ENOENT' ? 'is missing' : 'cannot be unpacked'}`);
    });
    if (meter.bytes !== file.bytes || meter.sha256() !== file.sha256) {
      throw damaged(base, `${pathInBase(file)} was changed: its SHA-256 is not that of base.json`);
    }
  });
}

function damaged(base: string, what: string): CommandFailure {
  return new CommandFailure(`base backup ${base} is damaged: ${what}. Nothing was restored; move it away.`);
}

/** Most files of a cluster are small: one after the other, the disk would be waited for 1,700 times. */
const concurrentFiles = 8;

async function forEachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const workers = Array.from({ length: concurrentFiles }, async () => {
    for (const item of left) await work(item);
  });
  await Promise.all(workers);
}
