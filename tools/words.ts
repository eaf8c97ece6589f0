import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Words of a private language that once made this repository hard to read, and the terms to use instead. Comments,
 * strings, identifiers and docs are checked; `npm run check` fails when one of them comes back.
 */
export interface BannedWord {
  /** Matches whole words, in any case, also as parts of an identifier: `lane` matches `openLane` and `LANE_SIZE`. */
  words: readonly string[];
  instead: string;
  /** Is also the name of a column, table or CTE: allowed in lower case outside comments and docs. */
  isSqlName?: boolean;
}

export const bannedWords: readonly BannedWord[] = [
  { words: ['deaf', 'deafness'], instead: 'disconnected' },
  { words: ['lookout', 'lookouts', 'look out'], instead: 'due-work poller' },
  { words: ['lane', 'lanes'], instead: 'endpoint queue' },
  { words: ['rush'], instead: 'load shedder, backpressure' },
  { words: ['aside', 'set aside'], instead: 'parked', isSqlName: true },
  { words: ['news'], instead: 'event, event draft', isSqlName: true },
  { words: ['tidings'], instead: 'events' },
  { words: ['kept answer', 'kept answers'], instead: 'idempotency record', isSqlName: true },
  { words: ['unbegun'], instead: 'not started' },
  { words: ['called off', 'call off', 'calls off', 'calling off'], instead: 'cancelled, cancel', isSqlName: true },
  { words: ['call a charge off'], instead: 'cancel a charge' },
  { words: ['whoever', 'whomever', 'who ever'], instead: 'name the actor: the caller, the worker, the client' },
  { words: ['the telling', 'tellings'], instead: 'webhook delivery' },
  { words: ['is told of', 'are told of', 'be told of', 'was told of'], instead: 'receives, is notified of' },
  { words: ['by turns'], instead: 'alternately, one after the other' },
  { words: ['anew'], instead: 'again' },
  { words: ['house', 'floors', 'rooms'], instead: 'architecture, layers, modules' },
  { words: ['the long way', 'long way'], instead: 'say what happens: runs in a transaction that …' },
  { words: ['hears', 'heard', 'unheard'], instead: 'receives, received' },
  { words: ['fold', 'folds', 'folded', 'folding'], instead: 'roll up, rollup' },
  { words: ['remark', 'remarks'], instead: 'timeline message' },
  { words: ['so be it', 'never mind'], instead: 'say why the case is harmless' },
  { words: ['one look', 'look through', 'looks through', 'looked through'], instead: 'poll, query, scan' },
  { words: ['sift', 'sifts', 'sifted', 'sifting'], instead: 'filter, filtered' },
  { words: ['gives way', 'gave way'], instead: 'yields, is refused' },
  { words: ['all the same'], instead: 'nevertheless' },
  { words: ['afresh'], instead: 'again' },
];

/** Identifiers of another form than whole words. */
const bannedIdentifiers: readonly { pattern: RegExp; instead: string }[] = [
  { pattern: /\bdemand[A-Z]\w*/g, instead: 'requireX' },
];

/** Folders and files that use none of these words. To clean another area, add it here. */
export const cleanAreas: readonly string[] = ['server/src', 'packages', 'console', 'sdk', 'cli', 'tools'];

/** Not checked. */
const exempt: readonly string[] = [
  // They name the words.
  'tools/words.ts',
  'tools/tests/words.test.ts',
];

/** Every banned word in a text, as lines that name the term to use instead. */
export function bannedWordsIn(path: string, text: string): string[] {
  const isProse = path.endsWith('.md');
  const everything = wordsOf(text);
  const withoutSqlNames = isProse ? everything : wordsOf(withoutCodeWords(text));
  const findings = [
    ...bannedWords.flatMap(({ words, instead, isSqlName = false }) =>
      matchesOf(phrases(words), isSqlName ? withoutSqlNames : everything).map((match) => ({ ...match, instead })),
    ),
    ...bannedIdentifiers.flatMap(({ pattern, instead }) =>
      matchesOf(pattern, text).map((match) => ({ ...match, instead })),
    ),
  ];
  return findings
    .toSorted((a, b) => a.line - b.line)
    .map(({ found, line, instead }) => `${path}:${line} "${found}": use ${instead}.`);
}

/** A phrase may be broken over two lines of a comment. */
const phrases = (words: readonly string[]) =>
  new RegExp(`\\b(?:${words.map((phrase) => phrase.replaceAll(' ', '[\\s*/]+')).join('|')})\\b`, 'gi');

/** Takes identifiers apart: `openLane` and `open_lane` become `open Lane` and `open lane`. Keeps the lines. */
const wordsOf = (text: string) => text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').replaceAll('_', ' ');

/** Blanks words in lower case outside comments: they may be names of columns. Identifiers in camel case remain. */
function withoutCodeWords(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const commentAt = /^\s*(?:\/?\*|\/\/)/.test(line) ? 0 : line.search(/(?<=\s)\/[/*]/);
      const code = commentAt < 0 ? line : line.slice(0, commentAt);
      return code.replaceAll(/\b[a-z_]+\b/g, '') + line.slice(code.length);
    })
    .join('\n');
}

function matchesOf(pattern: RegExp, text: string): { found: string; line: number }[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
    found: found.replaceAll(/[\s*/]+/g, ' '),
    line: text.slice(0, index).split('\n').length,
  }));
}

function filesBelow(root: string, area: string): string[] {
  const entries = readdirSync(join(root, area), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|mjs|md)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.includes('node_modules/') && !exempt.some((start) => path.startsWith(start)));
}

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  // Areas may be named to see what is left to clean there: `node tools/words.ts docs`.
  const areas = process.argv.length > 2 ? process.argv.slice(2) : cleanAreas;
  const findings = areas
    .flatMap((area) => filesBelow(root, area))
    .flatMap((path) => bannedWordsIn(path, readFileSync(join(root, path), 'utf8')));
  for (const line of findings) console.error(line);
  console.log(findings.length === 0 ? 'words: none of the banned words is used' : `words: ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
