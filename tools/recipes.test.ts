import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = readFileSync(join(root, 'docs/recipes.md'), 'utf8');

interface Step {
  path: string;
  /** The line after which the block goes; absent: the block is the whole file. */
  after: string | undefined;
  block: string;
}

const steps: Step[] = [
  ...page.matchAll(/^\*\*`([^`]+)`\*\*(?: \((?:new|whole) file\)|, after (`+)(.+)\2:)\n\n(`{3,})\w+\n([\s\S]*?)^\4$/gm),
].map(([, path = '', , after, , block = '']) => ({ path, after, block }));

let copy: string;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'florin-recipes-'));
  for (const name of readdirSync(root)) {
    if (name.startsWith('.git') || ['node_modules', 'data', 'coverage'].includes(name)) continue;
    cpSync(join(root, name), join(copy, name), {
      recursive: true,
      filter: (source) => !source.endsWith('node_modules'),
    });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const step of steps) apply(step);
  await run(process.execPath, ['tools/generated-pages.ts']);
}, 180_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function apply({ path, after, block }: Step): void {
  const file = join(copy, path);
  if (after === undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, block);
    return;
  }
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.startsWith(after));
  if (at === -1) throw new Error(`docs/recipes.md: ${path} has no line that begins with ${after}`);
  lines.splice(at + 1, 0, block.trimEnd());
  writeFileSync(file, lines.join('\n'));
}

test('every block of the recipes says where it goes', () => {
  expect(steps).toHaveLength([...page.matchAll(/^\*\*`/gm)].length);
  expect(steps.length).toBeGreaterThan(12);
});

test('the code with all recipes applied passes the type checker, the linter and the layer check', async () => {
  const bin = (name: string) => join(root, 'node_modules/.bin', name);
  await run(bin('tsc'), ['--noEmit']);
  const changed = ['server/src/domains/payments/comments', 'server/src/app/modules.ts'];
  await run(bin('biome'), ['check', '--error-on-warnings', ...changed]);
  await run(process.execPath, ['tools/layers.ts']);
}, 180_000);

test('the tests of the module and of the documentation pass with all recipes applied', async () => {
  const tests = ['server/src/domains/payments/comments', 'server/src/core/event-types.test.ts', 'tools/pages.test.ts'];
  await run(process.execPath, [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...tests,
    'tools/api-page.test.ts',
  ]);
}, 180_000);

async function run(command: string, words: string[]): Promise<void> {
  try {
    await promisify(execFile)(command, words, { cwd: copy, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${words.join(' ')}\n${stdout}\n${stderr}`);
  }
}
