import { link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { syncFolder, writeFileDurably } from '../../../platform/crypto/durable-files.ts';
import { CommandFailure } from '../../cli/failure.ts';
import { parseSegmentName, type Segment, timelineOfHistory } from './wal-names.ts';

/** Which cluster an archive belongs to, in `archive.json`. */
export interface ArchiveIdentity {
  format: 1;
  /** PostgreSQL gives each new cluster another; copies and restored ones have the same. */
  systemIdentifier: string;
  segmentBytes: number;
  /** The major version, of which restoring needs the same. */
  postgres: string;
}

/** Until when everything that was committed is in the archive. */
export interface Coverage {
  timeline: number;
  /** The next segment that is not archived. */
  nextSegment: number;
  /** ISO 8601, by the clock of the database. */
  until: string;
}

const identityFile = 'archive.json';
const coverageFile = 'covered.json';
const walFolder = 'wal';
const compressed = '.gz';
const unfinished = '.tmp';
/** Levels above 1 take several times as long for a few percent. */
const gzipOptions = { level: 1 };

/** What is in a folder that becomes an archive: of the file system, and of a base backup that begins it. */
const mayBeIn = /^(lost\+found|wal|\..*\.tmp|.*\.partial)$/;

/** A folder with the write-ahead log of one cluster, and base backups from which the log is replayed. */
export class ArchiveFolder {
  readonly path: string;
  readonly identity: ArchiveIdentity;

  private constructor(path: string, identity: ArchiveIdentity) {
    this.path = path;
    this.identity = identity;
  }

  /** @throws CommandFailure when there is no archive */
  static async open(path: string): Promise<ArchiveFolder> {
    const text = await textOrNone(join(path, identityFile));
    if (text === undefined) {
      const entries = await readdir(path).catch(refuseMissing(path));
      const state = entries.length === 0 ? 'is empty' : `has no ${identityFile}`;
      throw new CommandFailure(`${path} is no archive of the write-ahead log: it ${state}.`);
    }
    const identity = JSON.parse(text) as ArchiveIdentity;
    if (identity.format !== 1) {
      throw new CommandFailure(`${path} has a format that this version does not know; use a newer version.`);
    }
    return new ArchiveFolder(path, identity);
  }

  /**
   * Opens the archive of a cluster. An empty folder becomes one, if `mayBegin`; the folder itself must exist, because
   * the path of a disk that is not mounted would otherwise fill the disk below it.
   *
   * @throws CommandFailure when it is the archive of another cluster, or cannot be used
   */
  static async openFor(identity: ArchiveIdentity, path: string, mayBegin: boolean): Promise<ArchiveFolder> {
    const entries = await readdir(path).catch(refuseMissing(path));
    if (!entries.includes(identityFile)) {
      if (!mayBegin) {
        throw new CommandFailure(
          `${path} is not the archive that was begun: it has no ${identityFile}. Mount the disk with the archive; ` +
            `to begin a new one there, run florin backup ${path}.`,
        );
      }
      const others = entries.filter((name) => !mayBeIn.test(name));
      if (others.length > 0) {
        throw new CommandFailure(`${path} contains something else (${others[0]}): use an empty folder.`);
      }
      await mkdir(join(path, walFolder), { recursive: true, mode: 0o700 });
      await replaceDurably(path, identityFile, `${JSON.stringify(identity, null, 2)}\n`);
    }
    const archive = await ArchiveFolder.open(path);
    const { systemIdentifier } = archive.identity;
    if (systemIdentifier !== identity.systemIdentifier) {
      throw new CommandFailure(
        `${path} is the archive of another database (its system identifier is ${systemIdentifier}, ` +
          `not ${identity.systemIdentifier}): use another folder.`,
      );
    }
    return archive;
  }

  /** The segments in the archive, in no order. */
  async segments(): Promise<Segment[]> {
    return (await this.#names()).flatMap((name) => parseSegmentName(name, this.identity.segmentBytes) ?? []);
  }

  /** The timelines with a history in the archive. */
  async histories(): Promise<number[]> {
    return (await this.#names()).flatMap((name) => timelineOfHistory(name) ?? []);
  }

  async #names(): Promise<string[]> {
    const names = await readdir(join(this.path, walFolder));
    return names.filter((name) => name.endsWith(compressed)).map((name) => name.slice(0, -compressed.length));
  }

  /** Where a file of the log is, compressed by gzip. */
  fileOf(name: string): string {
    return join(this.path, walFolder, name + compressed);
  }

  /** The content of a file of the log. */
  async read(name: string): Promise<Buffer> {
    return promisify(gunzip)(await readFile(this.fileOf(name)));
  }

  /**
   * Adds a file of the log. It is on disk when this resolves. The same file may be added again.
   *
   * @throws CommandFailure when the archive has another file of this name, which stays as it is
   */
  async add(name: string, content: Buffer): Promise<void> {
    const folder = join(this.path, walFolder);
    const temporary = join(folder, `.${name}.${process.pid}${unfinished}`);
    await rm(temporary, { force: true });
    try {
      await writeBytesDurably(temporary, await promisify(gzip)(content, gzipOptions));
      if (!(await linkUnlessPresent(temporary, this.fileOf(name))) && !(await this.#has(name, content))) {
        throw new CommandFailure(
          `the archive has another ${name}, which is kept: another database, or another restored copy of this one, ` +
            'archives into the same folder. Use a folder of its own.',
        );
      }
    } finally {
      await rm(temporary, { force: true });
    }
    await syncFolder(folder);
  }

  async #has(name: string, content: Buffer): Promise<boolean> {
    return (await this.read(name)).equals(content);
  }

  async remove(name: string): Promise<void> {
    await rm(this.fileOf(name), { force: true });
  }

  /** undefined before the first minute was archived. */
  async coverage(): Promise<Coverage | undefined> {
    const text = await textOrNone(join(this.path, coverageFile));
    return text === undefined ? undefined : (JSON.parse(text) as Coverage);
  }

  async setCoverage(coverage: Coverage): Promise<void> {
    await replaceDurably(this.path, coverageFile, `${JSON.stringify(coverage)}\n`);
  }
}

/** Whether a folder is an archive, for commands that take either an archive or a backup. */
export async function isArchive(path: string): Promise<boolean> {
  return (await textOrNone(join(path, identityFile)).catch(() => undefined)) !== undefined;
}

function refuseMissing(path: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.code !== 'ENOENT') throw error;
    throw new CommandFailure(`${path} does not exist: mount its disk, or make the folder.`);
  };
}

/** File systems without hard links, such as exFAT, answer with one of these. */
const withoutLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** Unlike a rename, a link never replaces a file. Returns false when there is one. */
async function linkUnlessPresent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EEXIST') return false;
    if (!withoutLinks.includes(code)) throw error;
  }
  if ((await readFile(to).catch(() => undefined)) !== undefined) return false;
  await rename(from, to);
  return true;
}

async function writeBytesDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function replaceDurably(folder: string, name: string, text: string): Promise<void> {
  const temporary = join(folder, `.${name}.${process.pid}${unfinished}`);
  await rm(temporary, { force: true });
  await writeFileDurably(temporary, text);
  await rename(temporary, join(folder, name));
  await syncFolder(folder);
}

async function textOrNone(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
