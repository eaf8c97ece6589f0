import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `tools/packaging/build-console.mjs` puts what it builds. */
export const builtConsole = fileURLToPath(new URL('../../../../../build/console', import.meta.url));

/** In the order in which they are preferred. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

export interface BuiltFile {
  type: string;
  /** Undefined: as it is. */
  encoding: string | undefined;
  content: Buffer;
}

/** The page, in which `{{nonce}}` stands for the nonce of the answer; undefined when the console is not built. */
export function findPage(folder: string): Promise<string | undefined> {
  return readFile(join(folder, 'index.html'), 'utf8').catch(unlessAbsent);
}

/**
 * A file of the console in the best encoding that the reader accepts; undefined if there is none of that name. Its name holds
 * a hash of its content, and beside it are the same file compressed.
 */
export async function findFile(
  folder: string,
  name: string,
  acceptEncoding: string | undefined,
): Promise<BuiltFile | undefined> {
  const type = types[name.slice(name.lastIndexOf('.') + 1)];
  if (type === undefined || !/^\w[\w.-]*$/.test(name)) return undefined;
  const path = join(folder, 'assets', name);
  for (const { name: encoding, ending } of encodings) {
    const content = accepts(acceptEncoding, encoding) ? await readFile(path + ending).catch(unlessAbsent) : undefined;
    if (content !== undefined) return { type, encoding, content };
  }
  const content = await readFile(path).catch(unlessAbsent);
  return content && { type, encoding: undefined, content };
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function accepts(acceptEncoding: string | undefined, encoding: string): boolean {
  return (acceptEncoding ?? '').split(',').some((one) => {
    const [name, weight] = one.split(';').map((part) => part.trim());
    return name === encoding && weight !== 'q=0';
  });
}
