import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
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
    'tools/packaging/lock.mjs',
    'server/package.json',
    'server/src',
    'packages',
    'sdk/src/printable.ts',
  ]) {
    cpSync(join(root, part), join(copy, part), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  bundle();
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

const bundle = () =>
  execFileSync(process.execPath, [join(copy, 'tools/packaging/bundle.mjs')], { encoding: 'utf8', stdio: 'pipe' });
const entry = () => readFileSync(join(copy, 'server/dist/main.js'), 'utf8');
const start = (...words: string[]) =>
  spawnSync(process.execPath, [join(copy, 'server/dist/main.js'), ...words], { cwd: copy, encoding: 'utf8' });

test('the bundle runs, and is kept while the sources stay the same', () => {
  expect(entry()).toMatch(/^import '.\/[0-9a-f]{16}\/main.js';/);
  const { version } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as { version: string };
  expect(start('--version')).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  expect(start('--prot')).toMatchObject({ status: 2 });
  const { ino, mtimeMs } = statSync(join(copy, 'server/dist/main.js'));
  bundle();
  expect(statSync(join(copy, 'server/dist/main.js'))).toMatchObject({ ino, mtimeMs });
});

test('the bundle is written again when a source changes', () => {
  // Short ones, because bundling the service takes seconds.
  writeFileSync(join(copy, 'server/src/app/main.ts'), `process.stdout.write('changed' as string);`);
  writeFileSync(join(copy, 'server/src/app/processes/child.ts'), '');
  const first = entry();
  bundle();
  expect(entry()).not.toBe(first);
  expect(start()).toMatchObject({ status: 0, stdout: 'changed', stderr: '' });
});

test('two commands that bundle at once write one bundle', async () => {
  writeFileSync(join(copy, 'server/src/app/main.ts'), `process.stdout.write('again' as string);`);
  const commands = [0, 1].map(() => spawn(process.execPath, [join(copy, 'tools/packaging/bundle.mjs')]));
  const ends = await Promise.all(commands.map((command) => once(command, 'close')));
  expect(ends.map(([code]) => code)).toEqual([0, 0]);
  expect(start()).toMatchObject({ status: 0, stdout: 'again', stderr: '' });
  expect(readdirSync(join(copy, 'server/dist')).filter((name) => name.includes('.'))).toEqual(['main.js']);
});
