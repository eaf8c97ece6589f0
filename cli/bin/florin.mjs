#!/usr/bin/env node
// Plain JavaScript for older releases of Node.js: it looks for one that can run the rest.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;
if (Number(process.versions.node.split('.')[0]) >= neededMajor) await import('../src/main.ts');
else runWithBundledNode();

/** npm installs Node.js 24 beside the other packages on Linux. */
function runWithBundledNode() {
  const node = ['../../node_modules/.bin/node', '../../../.bin/node']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find(existsSync);
  if (node === undefined) {
    process.stderr.write(`florin: Node.js ${neededMajor} or newer is needed; this is ${process.version}.\n`);
    process.exitCode = 1;
    return;
  }
  // Ctrl-C reaches the other process itself, which decides when both end.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
  const { status } = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
