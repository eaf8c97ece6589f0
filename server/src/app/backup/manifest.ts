import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeFileDurably } from '../../platform/crypto/durable-files.ts';
import { CommandFailure } from '../cli/failure.ts';

export interface FileEntry {
  /** Below the folder of the backup, with slashes. */
  path: string;
  bytes: number;
  sha256: string;
}

export interface TableEntry {
  name: string;
  file: string;
  rows: number;
  /** The digest of the rows (`RowMeter`), with which a restored table is compared. */
  digest: string;
}

/** What a backup contains, in `manifest.json`. */
export interface Manifest {
  format: 1;
  /** The version of Florin that made the backup. */
  florin: string;
  postgres: string;
  /** When the copied snapshot was taken. */
  takenAt: string;
  /** The migrations of the copied schema, in order. */
  migrations: string[];
  /** In the order in which they are loaded. */
  tables: TableEntry[];
  sequences: { name: string; value: string | null }[];
  files: FileEntry[];
  /** The ids of the encryption keys that open what is stored, and what each is needed for. */
  encryptionKeys: { id: string; neededFor: string }[];
  /** The last entry of each audit log, as `npm run verify` prints it. */
  auditHeads: string[];
  /** Claims that the copied database breaks. A proven backup has none. */
  broken: string[];
}

const manifestFile = 'manifest.json';
/** The checksum of the manifest, in the format of `sha256sum`. The manifest has those of all other files. */
const checksumFile = 'manifest.sha256';

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  await writeFileDurably(join(folder, manifestFile), text);
  await writeFileDurably(join(folder, checksumFile), `${sha256}  ${manifestFile}\n`);
}

/**
 * Compares every file of a backup with its checksum.
 *
 * @throws CommandFailure that names the file which is missing, changed or not part of the backup
 */
export async function checkFiles(folder: string, manifest: Manifest): Promise<void> {
  const found = new Set(await filesIn(folder));
  for (const name of [manifestFile, checksumFile]) found.delete(name);
  for (const file of manifest.files) {
    if (!found.delete(file.path)) throw damaged(folder, `${file.path} is missing`);
    const { size } = await stat(join(folder, file.path));
    if (size !== file.bytes) throw damaged(folder, `${file.path} has ${size} bytes instead of ${file.bytes}`);
    if ((await sha256Of(join(folder, file.path))) !== file.sha256) {
      throw damaged(folder, `${file.path} was changed: its SHA-256 is not that of the manifest`);
    }
  }
  const [unknown] = found;
  if (unknown !== undefined) throw damaged(folder, `${unknown} is not part of it`);
}

/** @throws CommandFailure when the folder is no backup, or its manifest was changed */
export async function readManifest(folder: string): Promise<Manifest> {
  if (folder.replace(/\/+$/, '').endsWith('.partial')) {
    throw new CommandFailure(`${folder} is a backup that was not completed; take another one.`);
  }
  const text = await readOrFail(folder, manifestFile);
  const [expected] = (await readOrFail(folder, checksumFile)).split(' ');
  if (createHash('sha256').update(text).digest('hex') !== expected) {
    throw damaged(folder, `${manifestFile} was changed: its SHA-256 is not that of ${checksumFile}`);
  }
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== 1) {
    throw new CommandFailure(
      `${folder} was made by Florin ${manifest.florin} in a format that this version does not know; ` +
        'restore it with that version.',
    );
  }
  return manifest;
}

async function readOrFail(folder: string, name: string): Promise<string> {
  try {
    return await readFile(join(folder, name), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    throw new CommandFailure(`${folder} is no backup, or not a whole one: ${name} is missing in it.`);
  }
}

/** The files below a folder, by their paths in it. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries
    .filter(({ name }) => !isOfTheSystem(name))
    .map(async (entry) => {
      if (!entry.isDirectory()) return [entry.name];
      return (await filesIn(join(folder, entry.name))).map((path) => join(entry.name, path));
    });
  return (await Promise.all(found)).flat();
}

/**
 * Whether an operating system puts entries with this name into folders: the root of a volume, and folders that were
 * looked at.
 */
export function isOfTheSystem(name: string): boolean {
  return ['lost+found', '.DS_Store', 'Thumbs.db', 'desktop.ini'].includes(name) || name.startsWith('._');
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function damaged(folder: string, what: string): CommandFailure {
  return new CommandFailure(`backup ${folder} is damaged: ${what}. Nothing was restored; use another backup.`);
}
