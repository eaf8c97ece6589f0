import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Words of a private language that once made this repository hard to read, and the terms to use instead. Comments,
 * strings, identifiers, SQL, docs and the bench are checked; `npm run check` fails when one of them comes back.
 */
export interface BannedWord {
  /** Matches whole words, in any case, also as parts of an identifier: `lane` matches `openLane` and `LANE_SIZE`. */
  words: readonly string[];
  instead: string;
}

export const bannedWords: readonly BannedWord[] = [
  { words: ['deaf', 'deafness'], instead: 'disconnected' },
  { words: ['lookout', 'lookouts', 'look out'], instead: 'due-work poller' },
  { words: ['lane', 'lanes'], instead: 'endpoint queue' },
  { words: ['rush'], instead: 'load shedder, backpressure' },
  { words: ['aside', 'set aside'], instead: 'parked' },
  { words: ['news'], instead: 'event, event draft' },
  { words: ['tidings'], instead: 'events' },
  { words: ['kept answer', 'kept answers'], instead: 'idempotency record' },
  { words: ['unbegun'], instead: 'not started' },
  { words: ['called off', 'call off', 'calls off', 'calling off'], instead: 'cancelled, cancel' },
  { words: ['call a charge off'], instead: 'cancel a charge' },
  { words: ['whoever', 'whomever', 'who ever'], instead: 'name the actor: the caller, the worker, the client' },
  { words: ['the telling', 'tellings'], instead: 'webhook delivery' },
  { words: ['is told of', 'are told of', 'be told of', 'was told of'], instead: 'receives, is notified of' },
  { words: ['by turns'], instead: 'alternately, one after the other' },
  { words: ['anew'], instead: 'again' },
  { words: ['our house', 'the house', 'floors', 'rooms'], instead: 'architecture, layers, modules' },
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
  { words: ['database is away', 'database was away', 'database that is away'], instead: 'unavailable' },
];

/** Former names of tables, statements, classes and paths, in the form that code has. */
export const formerNames: readonly { pattern: RegExp; instead: string }[] = [
  { pattern: /\bdemand[A-Z]\w*/g, instead: 'requireX' },
  { pattern: /\bkept_answers?\b/g, instead: 'idempotency_record' },
  { pattern: /\btransaction_slice\w*/g, instead: 'transaction_bucket' },
  { pattern: /\btransaction_note\b/g, instead: 'timeline_message' },
  { pattern: /\bwebhook_pace\b|\bdeliveries\.take_pace\b/g, instead: 'endpoint_rate, deliveries.take_rate' },
  { pattern: /\bsubscription_charge\b/g, instead: 'invoice_collection' },
  { pattern: /\bprovider_dispute\b|\/api\/dispute\/close\b/g, instead: 'discrepancy' },
  { pattern: /\btransactions\.move_many\b/g, instead: 'transactions.transition_many' },
  { pattern: /\btransactions\.add_notes\b/g, instead: 'timeline.add_messages' },
  {
    pattern: /\bdeliveries\.(?:sweep_done|survey)\b/g,
    instead: 'deliveries.sweep_finished, deliveries.scan_endpoints',
  },
  { pattern: /\bSurroundings\b/g, instead: 'NodeOptions' },
  { pattern: /\bSiblings\b/g, instead: 'OtherProcesses' },
  { pattern: /\bTenantTurns\b/g, instead: 'ConcurrencyLimit' },
  { pattern: /\bLoadShedder\b/g, instead: 'Admission' },
  { pattern: /\bstandStill\b|\bstand-still\b/g, instead: 'blockThread' },
];

/** Folders and files that use none of these words. */
export const cleanAreas: readonly string[] = [
  ...['server', 'packages', 'console', 'sdk', 'cli', 'tools', 'bench', 'docs', 'deploy'],
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
];

/** Not checked. */
const exempt: readonly string[] = [
  // They name the words.
  'tools/words.ts',
  'tools/tests/words.test.ts',
  // Databases of earlier releases, in the words of that time, and what they became.
  'server/tests/upgrade/',
];

/** Migrations never change once they are released. Those up to this one use the words and names of their time. */
const lastExemptMigration = 95;

/** Every banned word in a text, as lines that name the term to use instead. */
export function bannedWordsIn(path: string, text: string): string[] {
  const separated = wordsOf(text);
  const findings = [
    ...bannedWords.flatMap(({ words, instead }) =>
      matchesOf(phrases(words), separated).map((match) => ({ ...match, instead })),
    ),
    ...formerNames.flatMap(({ pattern, instead }) => matchesOf(pattern, text).map((match) => ({ ...match, instead }))),
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

function matchesOf(pattern: RegExp, text: string): { found: string; line: number }[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
    found: found.replaceAll(/\s[\s*/]*/g, ' '),
    line: text.slice(0, index).split('\n').length,
  }));
}

/** Whether a file of this path is checked. */
export function isChecked(path: string): boolean {
  const migration = Number(/^server\/migrations\/(\d+)_/.exec(path)?.[1] ?? Number.POSITIVE_INFINITY);
  const isText = /\.(ts|tsx|mjs|css|md|sql|yml|yaml)$/.test(path);
  return isText && migration > lastExemptMigration && !exempt.some((start) => path.startsWith(start));
}

/** The files that are checked, from the root. */
export function checkedFiles(areas = cleanAreas): string[] {
  const options = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', ...areas];
  const paths = execFileSync('git', options, { cwd: root, encoding: 'utf8' }).split('\0');
  return paths.filter((path) => isChecked(path) && existsSync(join(root, path)));
}

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  // Areas may be named to see what is left to clean there: `node tools/words.ts docs`.
  const areas = process.argv.length > 2 ? process.argv.slice(2) : cleanAreas;
  const findings = checkedFiles(areas).flatMap((path) => bannedWordsIn(path, readFileSync(join(root, path), 'utf8')));
  for (const line of findings) console.error(line);
  console.log(findings.length === 0 ? 'words: none of the banned words is used' : `words: ${findings.length} findings`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
