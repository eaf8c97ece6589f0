import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { serverPrograms } from '../../cli/src/commands/operators.ts';
import { programFor } from '../../cli/src/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
const pages = ['*.md', 'docs/**/*.md', 'sdk/*.md', 'bench/*.md', 'Containerfile', 'deploy/*.service']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((page) => !page.startsWith('docs/decisions/') && page !== 'CHANGELOG.md')
  .map((page) => ({ page, code: codeOf(readFileSync(join(root, page), 'utf8')) }));

/** The lines of code blocks, with continued ones joined, and what stands between backticks. */
function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```[^\n`]*\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => block);
  const prose = text.replaceAll(/^ *```[^\n`]*\n[\s\S]*?^ *```/gm, '');
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [...blocks.join('\n').replaceAll('\\\n', ' ').split('\n'), ...spans];
}

test('every npm script that the pages name exists', () => {
  const named = pages.flatMap(({ page, code }) =>
    code.flatMap((line) =>
      [...line.matchAll(/npm (?:-s )?run (?:-s |--silent )?([a-z][\w-]*)(?! -w)/g)].map(([, name = '']) => ({
        page,
        name,
        line,
      })),
    ),
  );
  expect(named.length).toBeGreaterThan(50);
  const unknown = named.filter(({ name, line }) => scripts[name] === undefined && !/ -w \w+/.test(line));
  expect(unknown).toEqual([]);
});

const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
const program = programFor({
  env: {},
  stdin: Readable.from([]),
  stdout: nowhere,
  stderr: nowhere,
  isTerminal: false,
  signal: new AbortController().signal,
});

/** Names of connections in `pg_stat_activity`. */
const connections = ['main', 'writer'];

test('every florin command line in the pages names a command and its options', () => {
  const lines = pages.flatMap(({ page, code }) =>
    code.flatMap((line) => {
      const [, whole = ''] = /(?:^|npx |bin\/)florin ([a-z-].*)$/.exec(line.trim()) ?? [];
      // Up to a pipe, a redirection, a comment or the end of a substitution.
      const words = whole.split(/\s(?:[|<>;#]|&&)\s?|\)|"\$\(/)[0]?.trim() ?? '';
      return words === '' || connections.includes(words) ? [] : [{ page, words: wordsOf(words) }];
    }),
  );
  expect(lines.length).toBeGreaterThan(40);
  const wrong = lines.map(({ page, words }) => ({ page, words: words.join(' '), says: complaintAbout(words) }));
  expect(wrong.filter(({ says }) => says !== undefined)).toEqual([]);
});

/** As a shell splits them, with their quotes. */
const wordsOf = (line: string) => line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];

/** What is wrong with a command line; values are not checked. */
function complaintAbout([name = '', ...words]: string[]): string | undefined {
  if (name.startsWith('-')) return knows(program, name) ? undefined : `no option ${name}`;
  // They read their own arguments, which their tests cover.
  if (Object.hasOwn(serverPrograms, name)) return undefined;
  let command: Command | undefined = find(program, name);
  if (command === undefined) return `no command ${name}`;
  if (command.commands.length > 0 && words[0] !== undefined && !words[0].startsWith('-')) {
    for (const alternative of words[0].split('|'))
      if (find(command, alternative) === undefined) return `no command ${name} ${alternative}`;
    command = find(command, words[0].split('|')[0] as string) as Command;
  }
  const unknown = words.find(
    (word) => /^--[a-z]/.test(word) && !knows(command as Command, word.split('=')[0] as string),
  );
  if (unknown !== undefined) return `no option ${unknown}`;
  // A command that is only named gives neither.
  const given = words.slice(command.parent === program ? 0 : 1);
  return given.length === 0 ? undefined : complaintAboutValues(command, given);
}

/** Whether required options are missing, or values are given that the command does not take. */
function complaintAboutValues(command: Command, words: readonly string[]): string | undefined {
  const named = words.map((word) => word.split('=')[0]);
  const missing = command.options.find(({ mandatory, long, short }) => {
    return mandatory && !named.includes(long ?? '') && !named.includes(short ?? '');
  });
  if (missing !== undefined) return `${missing.long} is missing`;
  const takesValue = (word: string) =>
    !word.includes('=') &&
    [...command.options, ...program.options].some(
      ({ long, short, required, optional }) => (required || optional) && (word === long || word === short),
    );
  const values = words.filter((word, i) => !word.startsWith('-') && !takesValue(words[i - 1] ?? ''));
  const { registeredArguments } = command;
  if (registeredArguments.some(({ variadic }) => variadic)) return undefined;
  return values.length > registeredArguments.length ? `too many values: ${values.join(' ')}` : undefined;
}

const find = (command: Command, name: string) => command.commands.find((one) => one.name() === name);
const knows = (command: Command, option: string) =>
  option === '--help' ||
  [...command.options, ...program.options].some(({ long, short }) => long === option || short === option);
