// Builds the console into build/console, once for each state of its sources: `npm start` compares a fingerprint. Plain
// JavaScript for Node 20, like install.mjs, which calls it; the build itself runs on the bundled Node.js.
//
// An installation that only runs the service has no build tools: they are installed beside it, and removed after the
// build. If the build fails, the service starts without the console.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = join(root, 'build', 'console');
const stamp = join(built, '.built-from');
/** The sources of the console, including the SDK and the arithmetic of money in the server. */
const sources = [
  'console/index.html',
  'console/package.json',
  'console/vite.config.ts',
  'console/src',
  'sdk/src',
  'server/src/core',
];

/** Whether the console is built from the present sources. */
export function isConsoleBuilt() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprintOfSources();
}

/** Does nothing when the console is built from these sources already. */
export function buildConsole() {
  if (isConsoleBuilt()) return;
  const fingerprint = fingerprintOfSources();
  process.stderr.write('Building the console (once) …\n');
  const scratch = join(root, 'build', `console-${process.pid}`);
  try {
    const toolsRoot = existsSync(join(root, 'node_modules', 'vite')) ? root : installTools(join(scratch, 'tools'));
    const output = join(scratch, 'console');
    run(
      toolsRoot,
      'node',
      viteOf(toolsRoot),
      'build',
      'console',
      '--outDir',
      output,
      '--emptyOutDir',
      '--logLevel',
      'warn',
    );
    compress(join(output, 'assets'));
    writeFileSync(join(output, '.built-from'), fingerprint);
    rmSync(built, { recursive: true, force: true });
    renameSync(output, built);
  } catch (error) {
    process.stderr.write(`The console could not be built (${error.message}); the API is served without it.\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const fingerprintOfSources = () =>
  fingerprintOf([...sources, 'package-lock.json', 'tools/packaging/build-console.mjs']);

function fingerprintOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap((one) => filesBelow(join(root, one)))) {
    hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(path) {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true })
      .flatMap((entry) => (entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)]))
      .sort();
  } catch (error) {
    if (error.code === 'ENOTDIR') return [path];
    throw error;
  }
}

/** A copy of the sources with only the packages of the console. */
function installTools(folder) {
  for (const path of [
    ...sources,
    'package.json',
    'package-lock.json',
    '.npmrc',
    'server/package.json',
    'packages/embedded-postgres/package.json',
    'tsconfig.json',
    'console/tsconfig.json',
  ]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  run(
    folder,
    'npm',
    'ci',
    '--workspace',
    'console',
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--loglevel=error',
  );
  return folder;
}

const viteOf = (folder) => join(folder, 'node_modules', 'vite', 'bin', 'vite.js');

function run(cwd, command, ...words) {
  const path = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const { status, error } = spawnSync(command, words, {
    cwd,
    env: { ...process.env, PATH: path, NODE_ENV: 'production' },
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}, see above`);
}

function compress(folder) {
  for (const name of readdirSync(folder).filter((one) => /\.(js|css|svg)$/.test(one))) {
    const content = readFileSync(join(folder, name));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
    writeFileSync(
      join(folder, `${name}.br`),
      brotliCompressSync(content, { params: { [zlib.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    );
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) buildConsole();
