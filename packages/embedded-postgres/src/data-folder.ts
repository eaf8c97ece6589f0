import { createHash } from 'node:crypto';
import { lchownSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Account, canEnter, chooseAccount } from './account.ts';
import { EmbeddedPostgresError, errorCode, namePrefix } from './contract.ts';
import { requireFolderOrNothing, requirePlainFileOrNothing } from './places.ts';

/** The address of a Unix socket holds 107 bytes on Linux and 103 on macOS. */
const longestSocketPathBytes = 103;

export const socketPrefix = '.s.PGSQL.';
const longestSocketFile = `${socketPrefix}65535`;

/**
 * Where things are. `root` keeps its owner and mode; everything that PostgreSQL writes is in `home`:
 *
 *     root/lock/                    claims of running processes
 *     root/postgres.log             the log of PostgreSQL
 *     root/postgresql-<version>/    binaries, only when those in node_modules cannot be used
 *     root/postgres/                `home`, 0700, of the account that runs PostgreSQL
 *     root/postgres/cluster/        the data
 *     root/postgres/socket/         the socket, unless its path would be too long
 */
export interface DataFolder {
  readonly root: string;
  readonly home: string;
  readonly cluster: string;
  readonly logFile: string;
  readonly account: Account;
  /** The socket's folder as we reach it, and as PostgreSQL is told (seen from `cluster`). */
  readonly socket: { readonly folder: string; readonly setting: string; readonly temporary: boolean };
  /** Part of the command line or the title of every process that belongs to this folder, and of no other process. */
  readonly mark: string;
}

/** The folder's real path, made if it does not exist. Done before locking; everything else needs the lock. */
export function makeRoot(dataDir: string): string {
  const root = resolve(dataDir);
  try {
    requireFolderOrNothing(root);
    // Others may enter the folder but not list it, so that the unprivileged account can reach what is below.
    mkdirSync(root, { recursive: true, mode: process.geteuid?.() === 0 ? 0o711 : 0o700 });
    return realpathSync(root);
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR'].includes(errorCode(error))) throw explainFailure(root, error);
    const message = `data folder ${root} cannot be made: a file is in its path; choose another one`;
    throw new EmbeddedPostgresError('unusable_folder', message, { cause: error });
  }
}

/** Makes what is missing in the folder and settles which account owns it. Needs the folder's lock. */
export function openDataFolder(root: string): DataFolder {
  const home = join(root, 'postgres');
  const cluster = join(home, 'cluster');
  const logFile = join(root, 'postgres.log');
  requireFolderOrNothing(home);
  // PostgreSQL is started long after this, and after a database has been made.
  requirePlainFileOrNothing(logFile);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const account = settleOwner(home, cluster);
  const { dev, ino } = statSync(home, { bigint: true });
  return {
    root,
    home,
    cluster,
    account,
    logFile,
    socket: makeSocketFolder(home, account),
    // The inode, not the path: it stays when the folder is moved and differs in a copy.
    mark: `${namePrefix}-${dev.toString(36)}-${ino.toString(36)}`,
  };
}

/** What an operator does about these errors of the file system. */
const remedies: Readonly<Record<string, string>> = {
  EACCES: 'use the account it belongs to, or choose another folder',
  EPERM: 'use the account it belongs to, or choose another folder',
  EROFS: 'its file system is mounted read-only; make it writable, or choose another folder',
  ENOSPC: 'its file system is full; make room',
  EDQUOT: 'the quota of its file system is used up; make room',
};

/**
 * Turns an error of the file system that concerns the data folder into one plain line; returns any other error as it
 * is.
 */
export function explainFailure(root: string, error: unknown): unknown {
  const code = errorCode(error);
  if (code === '' || error instanceof EmbeddedPostgresError || !concerns(error, root)) return error;
  const remedy = remedies[code];
  // Node's own message names the call and the path, in one line.
  const reason = remedy === undefined ? `: ${(error as Error).message}` : ` (${code}, ${placeOf(error)}): ${remedy}`;
  return new EmbeddedPostgresError('unusable_folder', `data folder ${root} cannot be used${reason}`, { cause: error });
}

function placeOf(error: unknown): string | undefined {
  const { path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  return dest ?? path;
}

function concerns(error: unknown, root: string): boolean {
  const { path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  return [path, dest].some((place) => place?.startsWith(root) || (place && root.startsWith(place)));
}

/** Removes the socket's folder again when it lies outside the data folder. */
export function closeDataFolder(folder: DataFolder): void {
  if (!folder.socket.temporary) return;
  try {
    rmdirSync(folder.socket.folder);
  } catch {
    // Something is left in it; the next start uses it again.
  }
}

/**
 * Run by root, the data keeps the account that created it; data that root restored from a backup is given to that
 * account.
 */
function settleOwner(home: string, cluster: string): Account {
  const chosen = chooseAccount();
  const owners = [home, cluster].map(ownerOf).filter((owner) => owner !== undefined);
  if (!chosen.switched) {
    const foreign = owners.find((owner) => owner.uid !== chosen.uid);
    if (!foreign) return chosen;
    throw new EmbeddedPostgresError(
      'unusable_folder',
      `the database in ${home} belongs to user ${foreign.uid}, not to user ${chosen.uid}; ` +
        'start it as that user or as root',
    );
  }
  const former = owners.find((owner) => owner.uid !== 0);
  const account = former ? { ...former, switched: true } : chosen;
  if (owners.some((owner) => owner.uid !== account.uid)) handOver(home, account);
  return account;
}

function ownerOf(path: string): { uid: number; gid: number } | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats && { uid: stats.uid, gid: stats.gid };
}

/** The folder itself comes last, so that a kill in between is noticed and the next start does it again. */
function handOver(path: string, account: Account): void {
  if (lstatSync(path).isDirectory()) {
    for (const name of readdirSync(path)) handOver(join(path, name), account);
  }
  lchownSync(path, account.uid, account.gid);
}

function makeSocketFolder(home: string, account: Account): DataFolder['socket'] {
  const preferred = join(home, 'socket');
  const fits = Buffer.byteLength(join(preferred, longestSocketFile)) <= longestSocketPathBytes;
  const folder = fits ? preferred : temporarySocketFolder(home, account);
  requireFolderOrNothing(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (account.switched && lstatSync(folder).uid === 0) lchownSync(folder, account.uid, account.gid);
  const stats = lstatSync(folder);
  // Everyone may write to the temporary folder, so somebody else could have made this one.
  if (!stats.isDirectory() || stats.uid !== account.uid || (stats.mode & 0o077) !== 0) {
    throw new EmbeddedPostgresError(
      'unusable_folder',
      `socket folder ${folder} must be a folder of user ${account.uid} with mode 0700; remove it`,
    );
  }
  return { folder, setting: fits ? '../socket' : folder, temporary: !fits };
}

function temporarySocketFolder(home: string, account: Account): string {
  const name = `${namePrefix}-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`;
  for (const parent of [tmpdir(), '/tmp']) {
    const folder = join(parent, name);
    if (Buffer.byteLength(join(folder, longestSocketFile)) <= longestSocketPathBytes && canEnter(account, parent))
      return folder;
  }
  const message = `the path of data folder ${home} is too long for a socket; choose a shorter one`;
  throw new EmbeddedPostgresError('unusable_folder', message);
}
