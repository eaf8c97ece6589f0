// Folders of `build/` that are made once for each state of their sources: the console and the documentation. Plain
// JavaScript for Node 20, like install.mjs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The folder `build/NAME`. `make(scratch)` fills a folder and returns its path; it replaces the former one at once.
 * `build/NAME.state` says what the service tells readers until then: `building` and the id of this process, or why it
 * failed.
 */
export function builtFolder({ name, title, sources, make }) {
  const folder = join(root, 'build', name);
  const stamp = join(folder, '.built-from');
  const state = join(root, 'build', `${name}.state`);
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprintOf(sources);

  /** Says that this process builds it, also while it still builds others. */
  const announce = () => {
    mkdirSync(join(root, 'build'), { recursive: true });
    writeFileSync(state, `building ${process.pid}`);
  };

  /** Does nothing when the folder is made from these sources already. Returns whether it is now. */
  const build = () => {
    if (isBuilt()) {
      rmSync(state, { force: true });
      return true;
    }
    const fingerprint = fingerprintOf(sources);
    const scratch = join(root, 'build', `${name}-${process.pid}`);
    process.stderr.write(`Building ${title} (once) …\n`);
    mkdirSync(scratch, { recursive: true });
    announce();
    try {
      const made = make(scratch);
      writeFileSync(join(made, '.built-from'), fingerprint);
      rmSync(folder, { recursive: true, force: true });
      renameSync(made, folder);
      rmSync(state, { force: true });
      return true;
    } catch (error) {
      writeFileSync(state, error.message);
      process.stderr.write(`Building ${title} failed (${error.message}); the next start tries again.\n`);
      return false;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  };
  return { isBuilt, announce, build };
}

function fingerprintOf(paths) {
  const hash = createHash('sha256');
  for (const path of ['tools/packaging/built-folder.mjs', ...paths].flatMap((one) => filesBelow(join(root, one)))) {
    hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
    .sort();
}

/** Runs a program to its end, in the bundled Node.js if it is `node`; throws when it fails. */
export function run(cwd, command, ...words) {
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const { status, error } = spawnSync(command, words, {
    cwd,
    env: { ...process.env, PATH: path, NODE_ENV: 'production' },
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}

/** Writes the compressed forms beside each file that is sent as it is. */
export function compress(folder, isServedAsIs = () => true) {
  for (const path of filesBelow(folder).filter((one) => /\.(js|css|svg)$/.test(one))) {
    const content = readFileSync(path);
    if (!isServedAsIs(content)) continue;
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(content, { params: { [zlib.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    );
  }
}
