import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Bench, Line } from '../../bench.ts';
import { milliseconds } from '../../report/format.ts';
import { median } from '../../rounds.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const rounds = 3;
const commandRounds = 7;

/**
 * Measures the first minute of somebody new, with the packages in npm's cache: from `npm start` in a fresh clone until
 * the service is ready, beside `npm ci` of the same packages alone; and a command of the command line, as `npx` runs
 * it.
 */
export async function freshClone(_bench: Bench): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'florin-clone-'));
  try {
    const clone = (name: string) => {
      const target = join(folder, name);
      run(folder, 'git', ['clone', '--quiet', root, target]);
      return target;
    };
    // Fills the cache of npm.
    install(clone('cache'));
    const installMs: number[] = [];
    const readyMs: number[] = [];
    let commandMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      installMs.push(timed(() => install(clone(`install-${round}`))));
      const started = await startIn(clone(`start-${round}`));
      readyMs.push(started.readyMs);
      commandMs = started.commandMs;
    }
    return [
      line('npm start in a fresh clone until the service is ready, ms', readyMs, 20_000, median(installMs)),
      line('a command of the command line, ms', commandMs, 1_000),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function line(what: string, ms: number[], atMost: number, installMs?: number): Line {
  const longest = `longest ${milliseconds(Math.max(...ms))}`;
  return {
    measurement: 'fresh-clone',
    what,
    ours: milliseconds(median(ms)),
    against: installMs === undefined ? longest : `npm ci alone ${milliseconds(installMs)}`,
    figure: median(ms),
    goal: { atMost },
    comment: longest,
  };
}

function install(folder: string): void {
  const words = ['ci', '--omit=dev', '--include=optional', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  run(folder, 'npm', words);
}

async function startIn(folder: string): Promise<{ readyMs: number; commandMs: number[] }> {
  const began = performance.now();
  const env = cleanEnvironment({ PORT: '0', XDG_CONFIG_HOME: join(folder, 'config') });
  const service = spawn('npm', ['start'], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const address = await addressOf(service.stdout);
    const readyMs = performance.now() - began;
    const florin = (words: string[], input = '') =>
      run(folder, join(folder, 'node_modules/.bin/florin'), words, { env, input });
    const password = readFileSync(join(folder, 'data/admin-password'), 'utf8');
    florin(['login', '--account', 'admin', '--url', address], password);
    const commandMs = Array.from({ length: commandRounds }, () => timed(() => florin(['payments', 'list'])));
    return { readyMs, commandMs };
  } finally {
    const ended = once(service, 'exit');
    process.kill(-(service.pid as number), 'SIGINT');
    await ended;
  }
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const text of createInterface({ input: output })) {
    const [, address] = /"msg":"Florin is ready","address":"([^"]+)"/.exec(text) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('npm start ended before the service was ready.');
}

function timed(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function run(cwd: string, program: string, words: string[], options: { env?: NodeJS.ProcessEnv; input?: string } = {}) {
  const { status, stderr } = spawnSync(program, words, { cwd, env: cleanEnvironment(), encoding: 'utf8', ...options });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}: ${stderr}`);
}

/** Without the settings and the node_modules of this repository. */
function cleanEnvironment(further: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(APP_|npm_|NODE_ENV)/.test(name));
  const path = (process.env.PATH ?? '').split(':').filter((place) => !place.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(':'), ...further };
}
