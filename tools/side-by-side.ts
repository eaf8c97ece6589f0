import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A program and its arguments. */
export type Part = readonly [program: string, ...words: string[]];

/**
 * Runs programs at the same time in the root of the repository. The output of each is written whole when it ends, below
 * its name. Resolves with whether all succeeded.
 */
export async function runSideBySide(parts: Readonly<Record<string, Part>>): Promise<boolean> {
  const succeeded = await Promise.all(Object.entries(parts).map(([name, part]) => run(name, part)));
  return succeeded.every(Boolean);
}

async function run(name: string, [program, ...words]: Part): Promise<boolean> {
  const startedAt = performance.now();
  const child = spawn(program, words, { cwd: root, shell: process.platform === 'win32' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await once(child, 'close').then(
    ([exitCode]) => exitCode as number | null,
    (error: Error) => {
      output += `${error.message}\n`;
      return 1;
    },
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`== ${name}: ${code === 0 ? 'passed' : 'failed'}, ${seconds} s\n${output}`);
  return code === 0;
}
