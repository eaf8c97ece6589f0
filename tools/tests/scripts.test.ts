import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  scripts: Record<string, string>;
};
const installing = Object.entries(scripts).filter(([, command]) => command.includes('tools/install.mjs'));

test('every script that installs first makes the shell look for node again', () => {
  expect(installing.length).toBeGreaterThan(5);
  for (const [name, command] of installing) {
    expect(command, name).toMatch(/^node tools\/install\.mjs( --\w+)* && hash -r && /);
  }
});

test('the commands of operators install only what running needs; every other script installs the tools as well', () => {
  const production = installing.filter(([, command]) => command.includes('--production')).map(([name]) => name);
  expect(production.sort()).toEqual(['backup', 'doctor', 'rehearse', 'reseal', 'restore', 'start', 'verify']);
});

test('every script that runs a program of this repository answers --help with its own usage', () => {
  const programs = Object.entries(scripts).flatMap(([name, command]) => {
    const file = /node (\S+\.m?[jt]s)$/.exec(command)?.[1];
    return file === undefined || file.startsWith('server/dist') ? [] : [[name, file] as const];
  });
  expect(programs.length).toBeGreaterThan(12);
  for (const [name, file] of programs) {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    // Operators' commands are a line that runs a module of the same name.
    const isOperators = file.startsWith('server/src/app/');
    expect(isOperators || /answerHelp\(|--help|'help'|help: \{/.test(text), `npm run ${name} -- --help`).toBe(true);
  }
});
