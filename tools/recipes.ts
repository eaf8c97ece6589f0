import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from './usage.ts';

/**
 * `npm run recipes`: follows docs/recipes.md on a copy of the code, and checks the copy as the code itself is checked.
 * A command and not a test, because it runs the compiler, the linters and tests: two minutes of processor time.
 */
answerHelp(`Usage: npm run recipes

Applies every change that docs/recipes.md shows to a copy of the code, and runs types, lint, layers and the tests that
the changes concern. Ends with 1 when one fails.
`);

interface Change {
  path: string;
  /** The beginning of the line after which the block goes; absent: the block is the whole file. */
  after: string | undefined;
  /** After each line that begins so, not only after the first. */
  isRepeated: boolean;
  block: string;
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = readFileSync(join(root, 'docs/recipes.md'), 'utf8');
const changes = changesOf(page);
const copy = mkdtempSync(join(tmpdir(), 'florin-recipes-'));
process.once('exit', () => rmSync(copy, { recursive: true, force: true }));

copyCode();
for (const change of changes) apply(change);
const node = process.execPath;
const module = 'server/src/domains/payments/comments';
const payments = 'server/src/domains/payments/transactions';
const service = 'server/tests/service';
const contract = 'server/tests/contract';
const tests = [
  ...[module, 'server/src/core/tests/event-types.test.ts', 'tools/tests/pages.test.ts', 'tools/tests/api-page.test.ts'],
  ...[`${payments}/tests/cost-center.test.ts`, `${payments}/tests/record.test.ts`, contract],
  ...['access', 'refusals', 'wakes'].map((name) => `${service}/${name}.test.ts`),
];
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
// Some tests ask git for the files of the repository.
run('git', ['init', '--quiet']);
run('git', ['add', '--all']);
run(node, ['tools/generated-pages.ts']);
run(binary('tsc'), ['--noEmit']);
run(binary('biome'), ['check', '--error-on-warnings', module, payments, 'server/tests', 'server/src/app']);
run(node, ['tools/layers.ts']);
run(node, [vitest, 'run', contract, '--update']);
run(node, ['tools/generated-pages.ts']);
run(node, [vitest, 'run', ...tests]);
console.log(`recipes: the code with all ${changes.length} changes of docs/recipes.md passes every check`);

/** Every block under a line that says where it goes. A line that looks like one and is not understood is an error. */
function changesOf(text: string): Change[] {
  const form =
    /^\*\*`([^`]+)`\*\*(?: \((?:new|whole) file\)|, after (each )?(`+)(.+)\3:)\n\n(`{3,})\w+\n([\s\S]*?)^\5$/gm;
  const found = [...text.matchAll(form)].map(([, path = '', each, , after, , block = '']) => {
    return { path, after, isRepeated: each !== undefined, block };
  });
  const named = [...text.matchAll(/^\*\*`/gm)].length;
  if (found.length === 0 || found.length !== named) {
    fail(`docs/recipes.md names ${named} changes, of which ${found.length} say where they go.`);
  }
  return found;
}

function copyCode(): void {
  for (const name of readdirSync(root)) {
    if (['.git', 'node_modules', 'data', 'coverage', 'build'].includes(name)) continue;
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !path.endsWith('node_modules') });
  }
  const installed = join(root, 'node_modules');
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(installed)) {
    const place = join(copy, 'node_modules', name);
    // Its links lead to the packages of the copy.
    if (name === '@florin') cpSync(join(installed, name), place, { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(installed, name), place);
  }
}

function apply({ path, after, isRepeated, block }: Change): void {
  const file = join(copy, path);
  if (after === undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, block);
    return;
  }
  const lines = readFileSync(file, 'utf8').split('\n');
  const found = lines.flatMap((line, at) => (line.startsWith(after) ? [at] : []));
  if (found.length === 0) fail(`docs/recipes.md: ${path} has no line that begins with ${after}`);
  const places = isRepeated ? found : found.slice(0, 1);
  for (const at of places.toReversed()) lines.splice(at + 1, 0, block.trimEnd());
  writeFileSync(file, lines.join('\n'));
}

function run(command: string, words: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) fail(`${command} ${words.join(' ')} failed with the recipes applied.\n${stdout}\n${stderr}`);
}

function binary(name: string): string {
  return join(root, 'node_modules/.bin', name);
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}
