#!/usr/bin/env node
// Plain JavaScript, so that older releases of Node.js can run it. It finds a release that can run the rest.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;
if (Number(process.versions.node.split('.')[0]) >= neededMajor) {
  // A command takes 0.15 s of processor time instead of 0.43 when its files are compiled already. A folder that cannot
  // be written is no failure.
  module.enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)));
  await import('../src/main.ts');
} else runWithBundledNode();

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
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal signals both processes, a supervisor only this one. A second signal does no harm.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
