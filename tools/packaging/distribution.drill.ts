import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What people without a clone install: the package in an empty folder. It needs the registry, so it is a drill. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'florin-distribution-'));
const installed = join(folder, 'installed');

beforeAll(() => {
  execFileSync('npm', ['run', 'package'], { cwd: root, stdio: 'inherit', env: outside() });
  mkdirSync(installed);
  writeFileSync(join(installed, 'package.json'), '{"type":"module"}');
  const packages = globSync('build/florin-*.tgz', { cwd: root }).map((file) => join(root, file));
  expect(packages).toHaveLength(2);
  const words = ['install', '--ignore-scripts', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'];
  execFileSync('npm', [...words, ...packages], { cwd: installed, stdio: 'inherit', env: outside() });
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The environment without the settings and the node_modules of this repository. */
function outside(further: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(APP_|npm_|VITEST|NODE_)/.test(name) || name.includes('CA'),
  );
  const path = (process.env.PATH ?? '').split(':').filter((place) => !place.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(':'), ...further };
}

test('bare florin starts in an empty folder, serves everything, and stops with 0', async () => {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const florin = spawn(join(installed, 'node_modules/.bin/florin'), [], {
    cwd: empty,
    env: outside({ PORT: '0', APP_LOG_LEVEL: 'warn' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const chunk of florin.stdout.setEncoding('utf8')) {
    printed += chunk;
    if (printed.includes('Florin is ready')) break;
  }
  const address = /"address":"([^"]+)"/.exec(printed)?.[1] ?? '';
  for (const path of [
    '/health/ready',
    '/',
    '/docs',
    '/docs/quickstart',
    '/docs/sdk',
    '/llms.txt',
    '/openapi.json',
    '/metrics',
  ]) {
    expect((await fetch(address + path)).status, path).toBe(200);
  }
  expect(existsSync(join(empty, 'data', 'admin-password'))).toBe(true);
  const ended = once(florin, 'exit');
  florin.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
});

test('the help and the version start nothing', () => {
  for (const words of [['--help'], ['--version'], ['start', '--help']]) {
    const { status, stdout } = spawnSync(join(installed, 'node_modules/.bin/florin'), words, {
      cwd: installed,
      env: outside(),
      encoding: 'utf8',
    });
    expect([status, stdout.length > 4], words.join(' ')).toEqual([0, true]);
  }
  expect(existsSync(join(installed, 'data'))).toBe(false);
});

test('the client library is installed by its name', () => {
  const program =
    "const { Florin } = await import('@florin/sdk'); console.log(typeof new Florin().transactions.create);";
  const words = ['--input-type=module', '-e', program];
  expect(execFileSync(process.execPath, words, { cwd: installed, encoding: 'utf8' }).trim()).toBe('function');
});
