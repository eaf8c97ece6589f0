import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder that the starting script fills beside the service: `tools/packaging/built-folder.mjs`. */
export const builtFolder = (name: 'console' | 'docs' | 'sdk') =>
  fileURLToPath(new URL(`../../../../build/${name}`, import.meta.url));

/** What stands for the path of the public address in built files, which no build can know. */
export const basePathMark = '__BASE_PATH__';

/** In the order in which they are preferred. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
};

export interface BuiltFile {
  type: string;
  /** Undefined: not compressed. */
  encoding: string | undefined;
  content: Buffer;
}

/**
 * A file below the folder in the best encoding that the browser accepts; undefined if there is none of that name. The
 * compressed files are beside it.
 */
export async function findFile(
  folder: string,
  name: string,
  acceptEncoding: string | undefined,
): Promise<BuiltFile | undefined> {
  const type = types[name.slice(name.lastIndexOf('.') + 1)];
  if (type === undefined || !/^(?:[\w@-][\w.@-]*\/)*[\w@-][\w.@-]*$/.test(name)) return undefined;
  const path = join(folder, name);
  for (const { name: encoding, ending } of encodings) {
    const content = accepts(acceptEncoding, encoding) ? await readIfThere(path + ending) : undefined;
    if (content !== undefined) return { type, encoding, content };
  }
  const content = await readIfThere(path);
  return content && { type, encoding: undefined, content };
}

/** Why a folder is not built, for its reader. */
export type BuildState = { state: 'absent' } | { state: 'building' } | { state: 'failed'; reason: string };

/** What the starting script says about a folder that is not built. */
export async function buildState(folder: string): Promise<BuildState> {
  const told = (await readIfThere(`${folder}.state`))?.toString();
  if (told === undefined) return { state: 'absent' };
  const [, builder] = /^building (\d+)$/.exec(told) ?? [];
  if (builder === undefined) return { state: 'failed', reason: told };
  return isRunning(Number(builder))
    ? { state: 'building' }
    : { state: 'failed', reason: 'the builder ended without a result' };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function readIfThere(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
    return undefined;
  });
}

function accepts(acceptEncoding: string | undefined, encoding: string): boolean {
  return (acceptEncoding ?? '').split(',').some((one) => {
    const [name, weight] = one.split(';').map((part) => part.trim());
    return name === encoding && weight !== 'q=0';
  });
}
