/**
 * `npm run bench` runs all measurements, `npm run bench -- NAME…` only the named ones, `--large` those on a full table
 * with ten times the rows, `--processes N` uses that many processes of the service, `--minutes N` draws the latencies
 * of a steady run of that length, `--rate N` sets its creates a second, `NAME against PATH` runs this checkout and
 * another one in turns. Each run prints a table and appends its results to results.jsonl. A run without names also
 * writes its table into README.md.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { answerHelp } from '../tools/usage.ts';
import { inTurns } from './against.ts';
import { measurements } from './all-measurements.ts';
import { Bench, type Line } from './bench.ts';
import { cleanUp } from './processes/children.ts';
import { writeFigures } from './report/readme.ts';
import { appendResults, thisMachine } from './report/results.ts';
import { isMet, tableOf } from './report/table.ts';

/**
 * 100,000 renewals with their payments take minutes, and so does making the payments of `growth`. Several processes
 * need more processors than most machines have to spare, `writing` explains `ceiling`, and `flow-at` repeats a part
 * of `flow`.
 */
const onlyByName = ['renewals', 'growth', 'processes', 'writing', 'flow-at'];
/** What a full table can make slower, and what takes many minutes. The other measurements begin with an empty table. */
const onlyLarge = ['flow-variants', 'flow-replay', 'flow-hour'];
const inLarge = [...onlyLarge, 'list', 'full-table', 'claim'];
const ordinaryRows = 1_000_000;
const largeRows = 10_000_000;

answerHelp(
  `Usage: npm run bench [-- NAME ... [against PATH]] [--large]

Runs all measurements, or those named, and prints a table. Without names it takes some twenty minutes and writes its
table into bench/README.md. --large runs those on a full table, with ten times the rows. With --minutes N, steady runs
that long and draws bench/steady.svg. With --rate N, steady sends N creates a second instead of 40 % of the peak.
With --payments N, growth makes that many. NAME
against PATH runs the
service of this checkout and of the one at PATH in turns.

Measurements: ${Object.keys(measurements).join(', ')}.
`,
  { takesWords: true },
);

const args = process.argv.slice(2);
const isLarge = args.includes('--large');
const processes = takeNumber('--processes', 64) ?? 1;
const minutes = takeNumber('--minutes', 600);
const steadyRate = takeNumber('--rate', 100_000);
const payments = takeNumber('--payments', 100_000_000);
const other = takeWord('against');
const names = args.filter((arg) => arg !== '--large');
const unknown = names.find((name) => !(name in measurements));
if (unknown !== undefined) {
  process.stderr.write(`Unknown measurement ${unknown}. Measurements: ${Object.keys(measurements).join(', ')}.\n`);
  process.exit(2);
}

/** Removes `word` and the one after it from the arguments; returns that one. */
function takeWord(word: string): string | undefined {
  const at = args.indexOf(word);
  if (at < 0) return undefined;
  const [, value] = args.splice(at, 2);
  if (value !== undefined && existsSync(join(value, 'package.json'))) return resolve(value);
  process.stderr.write(`${word} takes the folder of another checkout of Florin, with its packages installed.\n`);
  process.exit(2);
}

/** Removes an option and its value from the arguments; returns the value. */
function takeNumber(option: string, most: number): number | undefined {
  const at = args.indexOf(option);
  if (at < 0) return undefined;
  const value = Number(args[at + 1]);
  if (!(Number.isInteger(value) && value >= 1 && value <= most)) {
    process.stderr.write(`${option} takes a whole number from 1 to ${most}.\n`);
    process.exit(2);
  }
  args.splice(at, 2);
  return value;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  const exit = () => process.exit(130);
  process.once(signal, () => {
    cleanUp().then(exit, exit);
  });
}

if (other !== undefined) {
  if (names.length === 0) {
    process.stderr.write('Name the measurements to run against another checkout.\n');
    process.exit(2);
  }
  const options = process.argv.slice(2).filter((arg, i, all) => arg !== 'against' && all[i - 1] !== 'against');
  process.stdout.write(`${await inTurns(options, other)}\n`);
  process.exit(0);
}

const ordinary = Object.keys(measurements).filter((name) => ![...onlyByName, ...onlyLarge].includes(name));
const selected = names.length > 0 ? names : isLarge ? inLarge : ordinary;
const log = (line: string) => process.stderr.write(`${line}\n`);
const bench = new Bench({ rows: isLarge ? largeRows : ordinaryRows, processes, minutes, steadyRate, payments, log });
const lines: Line[] = [];
let isComplete = false;
try {
  for (const name of selected) {
    const startedAt = performance.now();
    lines.push(...((await measurements[name]?.(bench)) ?? []));
    log(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
  isComplete = names.length === 0 && processes === 1 && minutes === undefined && steadyRate === undefined;
} finally {
  if (lines.length > 0) {
    process.stdout.write(`${tableOf(lines)}\n`);
    // One of the two sides that take turns.
    process.send?.(lines);
    const machine = thisMachine();
    if (process.send === undefined) appendResults(lines, machine, bench.rows);
    if (isComplete) writeFigures(lines, machine, isLarge ? 'large' : 'ordinary');
  }
  await cleanUp();
}
process.exit(lines.some((line) => isMet(line) === false) ? 1 : 0);
