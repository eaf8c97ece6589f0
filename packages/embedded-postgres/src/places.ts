import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { EmbeddedPostgresError } from './contract.ts';

/**
 * Refuses anything but a folder, or nothing yet, at a path where a folder belongs. A link to a folder is one.
 *
 * @throws EmbeddedPostgresError saying what is there instead
 */
export function requireFolderOrNothing(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const target = found.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : found;
  if (target === undefined) {
    throw new EmbeddedPostgresError(
      'unusable_folder',
      `${path} is a symbolic link to ${readlinkSync(path)}, which is not there; ` +
        'mount or restore what it leads to, or remove the link',
    );
  }
  if (target.isDirectory()) return;
  throw misplaced(path, target, 'a folder');
}

/**
 * Refuses anything but a plain file, or nothing yet. A link is refused too: root would write wherever the owner of the
 * folder makes it point.
 *
 * @throws EmbeddedPostgresError saying what is there instead
 */
export function requirePlainFileOrNothing(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw misplaced(path, found, 'a plain file');
}

function misplaced(path: string, found: Stats, expected: string): EmbeddedPostgresError {
  const message = `${path} is ${kindOf(found)}, but ${expected} belongs there; move it away`;
  return new EmbeddedPostgresError('unusable_folder', message);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  return stats.isFile() ? 'a file' : 'a device, a pipe or a socket';
}
