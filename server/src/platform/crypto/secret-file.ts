import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, writeFileDurably } from './durable-files.ts';

/**
 * Returns the secret in a file that only the owner can read. If there is no file, generates a secret and returns it
 * once it is on disk. When two processes do so at the same time, both return the secret of the first.
 */
export async function readOrCreateSecret(path: string, generate: () => string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFileDurably(unfinished, `${generate()}\n`);
  try {
    await link(unfinished, path); // Fails if the file exists.
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(unfinished);
  }
  await syncFolder(dirname(path));
  return (await readFile(path, 'utf8')).trim();
}
