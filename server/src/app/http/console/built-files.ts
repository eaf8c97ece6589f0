import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The output folder of `tools/packaging/build-console.mjs`. */
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
  /** Undefined: not compressed. */
  encoding: string | undefined;
  content: Buffer;
}

/**
 * The page, in which `{{nonce}}` stands for the nonce of the answer and `__BASE_PATH__` for the path of the public
 * address; undefined when the console is not built.
 */
export function findPage(folder: string): Promise<string | undefined> {
  return readFile(join(folder, 'index.html'), 'utf8').catch(unlessAbsent);
}

/**
 * A file of the console in the best encoding that the browser accepts; undefined if there is none of that name. The
 * name contains a hash of the content, and the compressed files are beside it.
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
