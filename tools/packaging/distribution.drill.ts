import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listProcesses, type ProcessEntry } from '@florin/embedded-postgres/parts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * What people without a clone install: the package in an empty folder, and the image. It needs the registry, and
 * building an image takes minutes, so this is not an ordinary test.
 */
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

/**
 * A program that builds images without a daemon; IMAGE_BUILD_OPTIONS has further arguments for it, such as
 * `--build-arg NODE_IMAGE=localhost/node:24` where no registry of images can be reached.
 */
const builder = ['buildah', 'podman'].find((name) => spawnSync(name, ['--version']).error === undefined) as string;
const image = 'localhost/florin-drill';

test.skipIf(builder === undefined)(
  'the Containerfile builds an image with a health check that does not run as root',
  { timeout: 1_200_000 },
  () => {
    const options = (process.env.IMAGE_BUILD_OPTIONS ?? '').split(' ').filter(Boolean);
    // The format of OCI has no health checks.
    const words = ['build', '--format=docker', ...options, '-t', image, '-f', 'Containerfile', '.'];
    execFileSync(builder, words, { cwd: root, stdio: 'inherit' });
    const description = execFileSync(builder, ['inspect', '--type=image', image], { encoding: 'utf8' });
    expect(description).toContain('/health/live');
    expect(description).toMatch(/"User": "node"/);
  },
);

test.skipIf(builder !== 'buildah')(
  'the image starts as it is, answers, and stops with 0',
  { timeout: 120_000 },
  async () => {
    const container = execFileSync(builder, ['from', image], { encoding: 'utf8' }).trim();
    const settings = ['--env', 'PORT=0', '--env', 'HOST=127.0.0.1'];
    const running = spawn(builder, ['run', ...settings, '--user', 'node', container, '--', 'florin', 'start'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let address: string | undefined;
    let printed = '';
    for await (const chunk of running.stdout.setEncoding('utf8')) {
      printed += chunk;
      address = /"address":"([^"]+)"/.exec(printed)?.[1];
      if (address !== undefined) break;
    }
    expect((await fetch(`${address}/health/ready`)).status, printed).toBe(200);
    const ended = once(running, 'exit');
    // The builder would kill it instead of passing the signal on.
    const inside = descendantsOf(running.pid as number).find(({ words }) => words[0]?.endsWith('node'));
    process.kill(inside?.pid as number, 'SIGTERM');
    expect((await ended)[0]).toBe(0);
    execFileSync(builder, ['rm', container], { stdio: 'ignore' });
    execFileSync(builder, ['rmi', '--force', image], { stdio: 'ignore' });
  },
);

function descendantsOf(pid: number, all = listProcesses()): ProcessEntry[] {
  return all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...descendantsOf(child.pid, all)]);
}
