import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = dirname(dirname(import.meta.dirname));
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'florin-bundle-'));
  for (const part of [
    'package.json',
    'package-lock.json',
    'tools/packaging/bundle.mjs',
    'server/package.json',
    'server/src',
  ]) {
    cpSync(join(root, part), join(copy, part), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const bundle = () =>
  execFileSync(process.execPath, [join(copy, 'tools/packaging/bundle.mjs')], { encoding: 'utf8', stdio: 'pipe' });
const entry = () => readFileSync(join(copy, 'server/dist/main.js'), 'utf8');
const start = (...words: string[]) =>
  spawnSync(process.execPath, [join(copy, 'server/dist/main.js'), ...words], { cwd: copy, encoding: 'utf8' });

test('the bundle runs, is kept while the sources stay the same, and is written again when one changes', () => {
  bundle();
  const first = entry();
  expect(first).toMatch(/^import '.\/[0-9a-f]{16}\/main.js';/);
  const { version } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as { version: string };
  expect(start('--version')).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  expect(start('--prot')).toMatchObject({ status: 2 });
  bundle();
  expect(entry()).toBe(first);
  utimesSync(join(copy, 'server/src/app/main.ts'), 1, 1);
  bundle();
  expect(entry()).not.toBe(first);
});

// A new version of these packages may have moved what the bundle changes.
test('the bundle leaves out what only delays the start', () => {
  const folder = join(copy, 'server/dist', entry().slice("import './".length, -"/main.js';\n".length));
  const text = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  expect(text).toContain('class Registry');
  expect(text).not.toMatch(/Pushgateway|WorkerRegistry/);
  expect(text).not.toContain('__require("@opentelemetry');
  expect(text).toMatch(/const http2 = \{/);
  expect(text).toMatch(/const https = \{/);
});
