import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { clientOf, type FlorinClient } from './florin.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const main = join(root, 'server', 'dist', 'main.js');

let isBundled = false;

/**
 * Services that tests start run the bundle, as `npm start` does: it takes a third of the CPU time of a start from the
 * sources. The first that this process starts writes it, if the sources have changed; others wait meanwhile.
 */
export function requireBundle(): void {
  if (isBundled) return;
  execFileSync(process.execPath, [join(root, 'tools', 'packaging', 'bundle.mjs')], { stdio: 'inherit' });
  isBundled = true;
}

/** A failed test must not leave a service and its PostgreSQL running. */
const living = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of living) child.kill('SIGTERM');
});

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The service in its own process, as an operator starts it. */
export interface ServiceProcess {
  readonly pid: number;
  /** Its output so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when its standard output matches; rejects when it ends before. */
  printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Resolves when it has ended. */
  readonly ended: Promise<Ending>;
  /** Closes the ends of the pipes that its output is read from. */
  stopReading: () => void;
  /** Sends a signal and waits for the end. */
  end: (signal: NodeJS.Signals) => Promise<Ending>;
}

export type ReadyService = ServiceProcess & FlorinClient;

export interface ServiceOptions {
  /** The settings, as environment variables. Others of this process are not passed on. */
  environment?: Record<string, string>;
  /** The working directory, where florin.yaml is read. */
  cwd?: string;
  /** Where it writes its output and its log; nothing of it can then be read here. Default: pipes. */
  output?: number;
}

export function spawnService({ environment = {}, cwd, output }: ServiceOptions): ServiceProcess {
  requireBundle();
  // With the compile cache of `npm start`: half of the start is compilation.
  const { PATH = '', HOME = '/', TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['--max-semi-space-size=8', main], {
    // One process, whatever the number of cores: tests of several ask for them.
    env: {
      APP_PROCESSES: '1',
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      ...(TMPDIR !== undefined && { TMPDIR }),
      ...environment,
    },
    stdio: ['ignore', output ?? 'pipe', output ?? 'pipe'],
    ...(cwd !== undefined && { cwd }),
  });
  living.add(child);
  child.on('exit', () => living.delete(child));
  let stdout = '';
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  const ended = new Promise<Ending>((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  return {
    pid: child.pid as number,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(stdout);
          if (match !== null) resolve(match);
        };
        child.stdout?.on('data', check);
        check();
        ended.then(({ code }) => reject(new Error(`The service ended with ${code}:\n${stderr}`)), reject);
      }),
    ended,
    stopReading: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts the service and waits until it prints its address; fails if it ends before. */
export async function startService(options: ServiceOptions): Promise<ReadyService> {
  const spawned = spawnService(options);
  const [, address = ''] = await spawned.printed(/"msg":"Florin is ready","address":"([^"]+)".*\n/);
  return Object.assign(spawned, clientOf(address));
}
