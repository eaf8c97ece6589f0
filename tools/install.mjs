// Installs the dependencies before `npm start`, `npm test` and the other scripts. When nothing has changed it only
// compares two fingerprints. Plain JavaScript for Node 20, because it runs before the bundled Node.js 24 is installed.
//
// `--production` installs what running the service needs (305 MB on disk); without it the tools for developing are
// installed as well (506 MB).
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.installed-from');
const fingerprint = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

const isProduction = process.argv.includes('--production');
const [installedFrom, installedWhat] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : [];

if (installedFrom !== fingerprint) install();
else if (installedWhat === 'production' && !isProduction) addDevelopmentTools();
requireRuntime();

function install() {
  process.stderr.write('Installing the dependencies of package-lock.json (once) …\n');
  npm('ci', isProduction ? '--omit=dev' : '--include=dev');
  finish(isProduction ? 'production' : 'development');
}

/** Adds packages without removing any: `npm ci` would empty node_modules under a service that runs from this folder. */
function addDevelopmentTools() {
  process.stderr.write('Installing the tools for development (once) …\n');
  npm('install', '--no-save', '--include=dev');
  finish('development');
}

function npm(...words) {
  // No dependency needs its install script; without them no foreign code runs during the installation.
  const { status } = spawnSync('npm', [...words, '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  process.stderr.write('The installation failed; see the messages of npm above. Nothing was started.\n');
  process.exit(1);
}

function finish(what) {
  removeHeaders();
  writeFileSync(stamp, `${fingerprint} ${what}`);
}

/** The C headers of the bundled Node.js take 67 MB; they serve to compile native modules, and nothing here is compiled. */
function removeHeaders() {
  for (const name of readdirSync(modules)) {
    if (name.startsWith('node-linux-')) rmSync(join(modules, name, 'include'), { recursive: true, force: true });
  }
}

/** On Linux the lock file contains Node.js 24; on other platforms the installed one must be recent enough. */
function requireRuntime() {
  const bundled = existsSync(join(modules, '.bin', 'node'));
  if (bundled || Number(process.versions.node.split('.')[0]) >= 24) return;
  process.stderr.write(`Florin needs Node.js 24 or newer on this platform; this is ${process.version}.\n`);
  process.exit(1);
}
