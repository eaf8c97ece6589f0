import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program until it ends, with no more of this process's environment than programs need, and this. */
export async function runProgram(
  program: string,
  words: readonly string[],
  { cwd, environment = {} }: { cwd: string; environment?: Record<string, string> },
): Promise<Ran> {
  const { PATH = '', HOME = '/', NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...environment };
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
