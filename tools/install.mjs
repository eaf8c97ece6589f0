// Installs the packages of the lock file before `npm start`, `npm test` and the other scripts. Later runs only compare two
// fingerprints. Plain JavaScript for Node 20: it runs before the runtime of the lock file is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.installed-from');
const fingerprint = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex');

if (!isInstalled()) install();
requireRuntime();

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint;
}

function install() {
  process.stderr.write('Installing the packages of package-lock.json (once) …\n');
  // No package needs its install script, and skipping them keeps third-party code from running here.
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--include=dev', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write('The installation failed; see the output of npm above. Nothing was started.\n');
    process.exit(1);
  }
  writeFileSync(stamp, fingerprint);
}

/** On Linux the lock file includes Node 24; on other platforms the installed Node.js is used. */
function requireRuntime() {
  const bundled = existsSync(join(root, 'node_modules', '.bin', 'node'));
  if (bundled || Number(process.versions.node.split('.')[0]) >= 24) return;
  process.stderr.write(`Florin needs Node.js 24 or newer on this platform; this is ${process.version}.\n`);
  process.exit(1);
}
