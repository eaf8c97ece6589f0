import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runProgram } from '../src/program.ts';

export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
  /** The lines of standard output as JSON. */
  json: () => never[];
}

export interface RunOptions {
  env?: Record<string, string>;
  input?: string;
  /** Instead of `input`. */
  stdin?: Readable;
  isTerminal?: boolean;
  signal?: AbortSignal;
  /** Replaces waiting. */
  pause?: (ms: number) => Promise<void>;
  /** Replaces opening an address in a browser. */
  open?: (address: string) => void;
  /** Called with everything printed so far. */
  onOutput?: (stdout: string, stderr: string) => void;
}

/** Runs command lines in this process, with their own home directory. */
export class TestShell {
  readonly home = mkdtempSync(join(tmpdir(), 'florin-cli-'));
  private readonly env: Record<string, string>;

  constructor(env: Record<string, string> = {}) {
    this.env = env;
  }

  async run(line: string | readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { env = {}, input = '', isTerminal = false, onOutput } = options;
    let stdout = '';
    let stderr = '';
    const collecting = (add: (text: string) => void) =>
      new Writable({
        write: (chunk, _encoding, done) => {
          add(String(chunk));
          onOutput?.(stdout, stderr);
          done();
        },
      });
    const words = typeof line === 'string' ? line.split(' ') : line;
    const exitCode = await runProgram(words, {
      env: { HOME: this.home, ...this.env, ...env },
      stdin: options.stdin ?? Readable.from([input]),
      stdout: collecting((text) => {
        stdout += text;
      }),
      stderr: collecting((text) => {
        stderr += text;
      }),
      isTerminal,
      signal: options.signal ?? new AbortController().signal,
      ...(options.pause && { pause: options.pause }),
      ...(options.open && { open: options.open }),
    });
    const json = () =>
      stdout
        .trim()
        .split('\n')
        .filter(Boolean)
        .map((text) => JSON.parse(text) as never);
    return { exitCode, stdout, stderr, json };
  }

  remove(): void {
    rmSync(this.home, { recursive: true });
  }
}

/** Runs a login, and calls `decide` with its code before it polls for its key. */
export function loginDecidedBy(
  shell: TestShell,
  decide: (userCode: string) => Promise<unknown>,
  line = 'login',
): Promise<Ran> {
  let printed = '';
  let pauses = 0;
  return shell.run(line, {
    onOutput: (stdout, stderr) => {
      printed = stdout + stderr;
    },
    pause: async () => {
      const [userCode] = /[A-Z]{4}-[A-Z]{4}/.exec(printed) ?? [];
      // The first poll is before the decision, and the second one is too early.
      if (++pauses === 3) await decide(userCode as string);
    },
  });
}
