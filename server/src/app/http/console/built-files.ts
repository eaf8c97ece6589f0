import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `tools/build-console.mjs` puts what it builds. */
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
  json: 'application/json; charset=utf-8',
  woff2: 'font/woff2',
};

export interface BuiltFile {
  type: string;
  /** Undefined: as it is. */
  encoding: string | undefined;
  content: Buffer;
}

/** The files of a built console: each with a hash of its content in its name, and beside it compressed. */
export class BuiltFiles {
  readonly #folder: string;
  readonly #names: ReadonlySet<string>;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#names = new Set(readdirSync(join(folder, 'assets')));
  }

  /** Undefined when the console is not built. */
  static in(folder: string): BuiltFiles | undefined {
    return existsSync(join(folder, 'index.html')) ? new BuiltFiles(folder) : undefined;
  }

  /** The page, in which `{{nonce}}` stands for the nonce of the answer. */
  page(): Promise<string> {
    return readFile(join(this.#folder, 'index.html'), 'utf8');
  }

  /** A file in the best encoding that the reader accepts; undefined if there is none of that name. */
  async find(name: string, acceptEncoding: string | undefined): Promise<BuiltFile | undefined> {
    const type = types[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined || !this.#names.has(name)) return undefined;
    const encoding = encodings.find(
      (one) => accepts(acceptEncoding, one.name) && this.#names.has(`${name}${one.ending}`),
    );
    const content = await readFile(join(this.#folder, 'assets', `${name}${encoding?.ending ?? ''}`));
    return { type, encoding: encoding?.name, content };
  }
}

function accepts(acceptEncoding: string | undefined, encoding: string): boolean {
  return (acceptEncoding ?? '').split(',').some((one) => {
    const [name, weight] = one.split(';').map((part) => part.trim());
    return name === encoding && weight !== 'q=0';
  });
}
