import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The messages that a node without a mail server kept as files. Passes over what is still being written, and over what
 * the node removes meanwhile because its time is over.
 */
export async function keptMails(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter(
    (name) => name.endsWith('.eml') && !name.startsWith('.'),
  );
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => undefined)));
  return texts.filter((text) => text !== undefined);
}
