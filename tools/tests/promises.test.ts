import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

/**
 * A dropped promise ends the process when it rejects, which has happened while the database was unavailable. The
 * linter, with the settings of `npm run check`, must find each of these ways to drop one.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const declared =
  'declare function find(id: number): Promise<string>;\ndeclare const maybe: string | Promise<string>;\n';

const dropped: Record<string, string> = {
  'a call whose promise is not used': 'find(1);',
  'one that is only chained': 'find(1).then((found) => found.length);',
  'one with a cleanup and no handler': 'find(1).finally(() => {});',
  'one inside an async function': 'export async function look() { find(1); }',
  'one marked void': 'void find(1);',
  'one that an arrow function returns as void': 'export const look = (): void => void find(1);',
  'one in an arrow function that returns nothing': 'export const look = (): void => { find(1); };',
  'one of several': 'Promise.all([find(1), find(2)]);',
  'a list of them': '[1, 2].map(find);',
  'a value or a promise': 'maybe;',
  'an async listener': "process.on('SIGTERM', async () => { await find(1); });",
  'an async callback of a timer': 'setTimeout(async () => { await find(1); }, 1);',
  'an async callback of a loop': '[1].forEach(async (id) => { await find(id); });',
  'an async function where none is expected': 'export const part: { wake: () => void } = { wake: async () => {} };',
  'a promise taken for a condition': 'if (find(1)) console.log();',
  'a promise that is spread': 'export const all = { ...find(1) };',
};

const kept: Record<string, string> = {
  awaited: 'await find(1);',
  returned: 'export const look = () => find(1);',
  handled: 'find(1).catch(console.error);',
  'handled on both ways': 'find(1).then(console.log, console.error);',
  'waited for together': 'await Promise.all([1, 2].map(find));',
};

let dir: string;
let findings: Map<string, string[]>;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'florin-promises-'));
  const types = join(root, 'node_modules', '@types');
  const compilerOptions = { strict: true, target: 'ES2024', module: 'NodeNext', typeRoots: [types], types: ['node'] };
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  const samples = [...Object.values(dropped), ...Object.values(kept)];
  await Promise.all(samples.map((code, i) => writeFile(join(dir, `${i}.mts`), `${declared}${code}\nexport {};\n`)));
  findings = await findingsIn(samples);
});

afterAll(() => rm(dir, { recursive: true }));

test.each(Object.entries(dropped))('the linter finds %s', (_what, code) => {
  const found = findings.get(code) ?? [];
  expect(found).not.toEqual([]);
  for (const line of found) expect(line).toMatch(/no-(floating-promises|misused-promises|void)/);
});

test.each(Object.entries(kept))('a promise that is %s passes', (_what, code) => {
  expect(findings.get(code)).toEqual([]);
});

/** The findings of the linter for each sample. */
async function findingsIn(samples: readonly string[]): Promise<Map<string, string[]>> {
  const linter = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const words = [linter, '--config', join(root, '.oxlintrc.json'), '--format', 'unix', dir];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root }).catch((failed) => failed);
  const lines = String(stdout).split('\n');
  return new Map(samples.map((code, i) => [code, lines.filter((line) => line.includes(`/${i}.mts:`))]));
}
