import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The messages that a node without a mail server stored as files. Skips files that are still being written, and files
 * that the node removes meanwhile because they have expired.
 */
export async function keptMails(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter(
    (name) => name.endsWith('.eml') && !name.startsWith('.'),
  );
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => undefined)));
  return texts.filter((text) => text !== undefined);
}
