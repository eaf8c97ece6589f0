import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Returns the secret in a file that only the owner can read. If there is no file, generates a secret and returns it once
 * it is on disk. Of two processes that do so at once the first wins, and both return its secret.
 */
export async function readOrCreateSecret(path: string, draw: () => string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
  await writeDurably(unfinished, `${draw()}\n`);
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

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The name of a new file is durable only after its folder is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
