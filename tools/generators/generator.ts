import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where the clients are generated, and what they are to do. */
export interface Stage {
  /** The OpenAPI document. */
  document: string;
  /** The arguments of the program that makes a payment: address of the service, developer key, channel. */
  payAt: readonly string[];
}

/** Generators that share what must be installed for them. */
export interface Toolchain {
  name: string;
  /** Programs that the machine must have. */
  programs: readonly string[];
  /** Installs the generators and what their clients depend on. */
  install: () => Promise<void>;
  generators: readonly Generator[];
}

export interface Generator {
  name: string;
  /**
   * Generates a client and compiles it. Returns the output of a program that makes a payment with it: the id of the
   * payment.
   */
  check: (stage: Stage) => Promise<string>;
}

/** A program that failed, with the end of its output. */
export class ProgramFailure extends Error {}

/** Runs a program to its end, and returns its standard output. */
export function run(command: string, words: readonly string[], { cwd = root, env = {} } = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = spawn(command, words, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let all = '';
  child.stdout.on('data', (text) => {
    stdout += text;
    all += text;
  });
  child.stderr.on('data', (text) => {
    all += text;
  });
  child.on('error', reject);
  child.on('close', (code) => {
    if (code === 0) resolve(stdout);
    else reject(new ProgramFailure(`${command} ${words.join(' ')}\n${all.slice(-4_000)}`));
  });
  return promise;
}

/** The PATH with another folder before it. */
export const pathWith = (folder: string) => ({ PATH: [folder, process.env.PATH].join(delimiter) });

export const built = (...names: string[]) => join(root, 'build', 'generators', ...names);
export const source = (...names: string[]) => join(root, 'tools', 'generators', ...names);
