import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};
const installing = Object.entries(scripts).filter(([, words]) => words.includes('tools/install.mjs'));

test('every script that installs packages runs `hash -r`, because the installation includes another node', () => {
  expect(installing.length).toBeGreaterThan(5);
  for (const [name, words] of installing) expect(words, name).toMatch(/^node tools\/install\.mjs && hash -r && /);
});
