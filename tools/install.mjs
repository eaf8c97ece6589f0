// Installs the dependencies before `npm start`, `npm test` and the other scripts. When nothing has changed it only
// compares two fingerprints. Plain JavaScript for Node 20, because it runs before the bundled Node.js 24 is installed.
//
// `--production` installs what running the service needs and removes the files of its packages that it never reads (236
// MB on disk); without it the tools for developing are installed as well (506 MB). `--pages` also builds the console,
// the package of the client library and the documentation; with `--later` that goes on beside the service, which is
// ready without them.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtConsole } from './packaging/build-console.mjs';
import { builtDocs } from './packaging/build-docs.mjs';
import { builtSdk } from './packaging/build-sdk.mjs';
import { isBundled } from './packaging/bundle.mjs';
import { whileLocked } from './packaging/lock.mjs';
import { prune, removeBundler } from './packaging/needed-to-run.mjs';
import { runtimeRefusal } from './packaging/runtime.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.installed-from');
const fingerprint = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

refuseUnless(runtimeRefusal(process));

const isProduction = process.argv.includes('--production');

if (isInstalled() && (!isProduction || isBundled())) {
  requireRuntime();
} else {
  // Another command may be installing into the same folder, or building there; what it has done need not be done again.
  whileLocked(join(root, '.installing'), () => {
    const [from, what] = installed();
    if (from !== fingerprint) install();
    else if (what === 'production' && !isProduction) add('development');
    requireRuntime();
    if (isProduction && !isBundled()) bundle();
  });
}
if (process.argv.includes('--pages')) buildPages({ isAwaited: !process.argv.includes('--later') });

function installed() {
  return existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : [];
}

function isInstalled() {
  const [from, what] = installed();
  return from === fingerprint && (what === 'development' || isProduction);
}

function install() {
  process.stderr.write('Installing the dependencies of package-lock.json (once) …\n');
  npm(root, 'ci', isProduction ? '--omit=dev' : '--include=dev');
  finish(isProduction ? 'production' : 'development');
}

/**
 * Installs beside node_modules, and moves what is missing there: packages, and files that were removed. `npm ci` in
 * place would empty node_modules under a service that runs from this folder.
 */
function add(what) {
  process.stderr.write(`Installing the tools for ${what === 'development' ? what : 'bundling the server'} (once) …\n`);
  const whole = join(modules, '.whole');
  rmSync(whole, { recursive: true, force: true });
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifests = workspaces.map((folder) => join(folder, 'package.json'));
  for (const file of ['package.json', 'package-lock.json', ...manifests]) {
    mkdirSync(dirname(join(whole, file)), { recursive: true });
    copyFileSync(join(root, file), join(whole, file));
  }
  npm(whole, 'ci', what === 'development' ? '--include=dev' : '--omit=dev');
  renameSync(join(whole, 'node_modules', '.package-lock.json'), join(modules, '.package-lock.json'));
  moveMissing(join(whole, 'node_modules'), modules);
  rmSync(whole, { recursive: true, force: true });
  finish(what);
}

/** Runs in the bundled Node.js, because the bundler needs a newer one than this program does. */
function bundle() {
  const hasBundler = () => readdirSync(join(modules, '@rolldown')).some((name) => name.startsWith('binding-'));
  const isWhole = readFileSync(stamp, 'utf8').endsWith('development');
  if (!isWhole && !hasBundler()) add('production');
  spawnSync(node(), [join(root, 'tools', 'packaging', 'bundle.mjs')], {
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (!isWhole) removeBundler(modules);
}

/**
 * In a process of its own. One that is not awaited has the lowest priority, ends with this group of processes, and
 * writes to a file: it would keep a pipe open after the service has ended.
 */
function buildPages({ isAwaited }) {
  if ([builtConsole, builtSdk, builtDocs].every((built) => built.isBuilt())) return;
  const words = [join(root, 'tools', 'packaging', 'build-pages.mjs')];
  if (isAwaited) {
    spawnSync(node(), words, { stdio: ['ignore', process.stderr, process.stderr] });
    return;
  }
  mkdirSync(join(root, 'build'), { recursive: true });
  const log = openSync(join(root, 'build', 'pages.log'), 'a');
  spawn(node(), [...words, '--beside'], { stdio: ['ignore', log, log] }).unref();
  process.stderr.write('The console and the documentation are built beside the service (build/pages.log).\n');
}

/** The bundled Node.js, if this platform has one. */
function node() {
  const bundled = join(modules, '.bin', 'node');
  return existsSync(bundled) ? bundled : process.execPath;
}

function moveMissing(from, to) {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (lstatSync(target, { throwIfNoEntry: false }) === undefined) renameSync(source, target);
    else if (entry.isDirectory()) moveMissing(source, target);
  }
}

function npm(cwd, ...words) {
  // No dependency needs its install script; without them no foreign code runs during the installation. The binaries of
  // PostgreSQL, Node.js and the bundler are optional dependencies, one for each platform: a configured `omit=optional`
  // must not drop them.
  const { status } = spawnSync('npm', [...words, '--include=optional', '--ignore-scripts', '--loglevel=error'], {
    cwd,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  process.stderr.write('The installation failed; see the messages of npm above. Nothing was started.\n');
  process.exit(1);
}

function finish(what) {
  removeHeaders();
  if (what === 'production') prune(modules);
  writeFileSync(stamp, `${fingerprint} ${what}`);
}

/**
 * The C headers of the bundled Node.js take 67 MB; they serve to compile native modules, and nothing here is compiled.
 */
function removeHeaders() {
  for (const name of readdirSync(modules)) {
    if (name.startsWith('node-linux-')) rmSync(join(modules, name, 'include'), { recursive: true, force: true });
  }
}

/** On Linux the lock file contains Node.js 24; on other platforms the installed one must be recent enough. */
function requireRuntime() {
  const hasBundledNode = existsSync(join(modules, '.bin', 'node'));
  const { platform, version } = process;
  refuseUnless(runtimeRefusal({ platform, version, hasBundledNode }));
}

function refuseUnless(refusal) {
  if (refusal === undefined) return;
  process.stderr.write(`${refusal}\n`);
  process.exit(1);
}
