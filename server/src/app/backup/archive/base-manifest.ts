import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from '../../../platform/crypto/durable-files.ts';
import { CommandFailure } from '../../cli/failure.ts';
import type { FileEntry, Manifest } from '../manifest.ts';

/** What a base backup contains, in `base.json`. */
export interface BaseManifest
  extends Pick<Manifest, 'florin' | 'postgres' | 'takenAt' | 'files' | 'encryptionKeys' | 'auditHeads' | 'broken'> {
  format: 1;
  timeline: number;
  /** The log from here on is needed to restore it. */
  startLsn: string;
  /** Restored up to here it is consistent. `takenAt` is the same as a time. */
  stopLsn: string;
  /** Of the cluster, with slashes; PostgreSQL needs also the empty ones. */
  folders: string[];
}

/** A base backup in an archive. */
export interface Base {
  path: string;
  manifest: BaseManifest;
}

const manifestFile = 'base.json';
const checksumFile = 'base.sha256';

export async function writeBaseManifest(folder: string, manifest: BaseManifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFileDurably(join(folder, manifestFile), text);
  await writeFileDurably(join(folder, checksumFile), `${checksumOf(text)}  ${manifestFile}\n`);
}

/** The whole base backups in an archive, the oldest first. A damaged manifest is reported by `onDamaged`. */
export async function basesIn(archive: string, onDamaged: (path: string) => void): Promise<Base[]> {
  const names = (await readdir(archive)).filter((name) => baseName.test(name)).sort();
  const bases: Base[] = [];
  for (const name of names) {
    const path = join(archive, name);
    try {
      bases.push({ path, manifest: await readBaseManifest(path) });
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      onDamaged(path);
    }
  }
  return bases.sort((a, b) => Date.parse(a.manifest.takenAt) - Date.parse(b.manifest.takenAt));
}

/** `florin-2026-01-31T09-30-05Z`, and `.unproven` behind it. */
const baseName = /^florin-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z(\.unproven)?$/;

async function readBaseManifest(path: string): Promise<BaseManifest> {
  const [text, checksum] = await Promise.all(
    [manifestFile, checksumFile].map((name) => readFile(join(path, name), 'utf8').catch(() => '')),
  );
  if (text === undefined || checksumOf(text) !== checksum?.split(' ')[0]) {
    throw new CommandFailure(`base backup ${path} is damaged.`);
  }
  return JSON.parse(text) as BaseManifest;
}

const checksumOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** The file of a cluster in a base backup, compressed by gzip. */
export const pathInBase = ({ path }: Pick<FileEntry, 'path'>) => join('cluster', `${path}.gz`);
