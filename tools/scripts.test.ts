import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};
const installing = Object.entries(scripts).filter(([, command]) => command.includes('tools/install.mjs'));

test('every script that installs first makes the shell look for node again, because the installation adds another one', () => {
  expect(installing.length).toBeGreaterThan(5);
  for (const [name, command] of installing) {
    expect(command, name).toMatch(/^node tools\/install\.mjs( --\w+)* && hash -r && /);
  }
});

test('the commands of operators install only what running needs; every other script installs the tools as well', () => {
  const production = installing.filter(([, command]) => command.includes('--production')).map(([name]) => name);
  expect(production.sort()).toEqual(['backup', 'doctor', 'rehearse', 'reseal', 'restore', 'start', 'verify']);
});
