// Makes sure that what the lock file names is installed, before `npm start`, `npm test` and the rest; the second time
// it only compares two fingerprints. Plain JavaScript for Node 20: it runs before our own runtime is there.
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
demandRuntime();

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint;
}

function install() {
  process.stderr.write('Installing what package-lock.json names (once) …\n');
  // No package needs its install script; leaving them out keeps strangers' code from running here.
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--include=dev', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write('The installation failed; what npm said stands above. Nothing was started.\n');
    process.exit(1);
  }
  writeFileSync(stamp, fingerprint);
}

/** On Linux the lock file brings Node 24 along; elsewhere the user's own must do. */
function demandRuntime() {
  const bundled = existsSync(join(root, 'node_modules', '.bin', 'node'));
  if (bundled || Number(process.versions.node.split('.')[0]) >= 24) return;
  process.stderr.write(`Florin needs Node.js 24 or newer on this platform; this is ${process.version}.\n`);
  process.exit(1);
}
