/**
 * `npm run bench` runs all measurements, `npm run bench -- NAME…` only the named ones; `--large` uses ten times the rows,
 * `--processes N` that many processes of the service.
 * Each run prints a table and appends its results to results.jsonl. A complete run also writes its table into README.md.
 */
import { answerHelp } from '../tools/usage.ts';
import { measurements } from './all-measurements.ts';
import { Bench, type Line } from './bench.ts';
import { cleanUp } from './processes/children.ts';
import { writeFigures } from './readme.ts';
import { appendResults, thisMachine } from './results.ts';
import { isMet, tableOf } from './table.ts';

/** Not part of a complete run, which should take ten minutes. 100,000 renewals with their payments take longer. */
const onlyByName = ['renewals', 'processes'];
const ordinaryRows = 1_000_000;
const largeRows = 10_000_000;

answerHelp(
  `Usage: npm run bench [-- NAME ...] [--large]

Runs all measurements, or those named, and prints a table. A complete run takes ten minutes and writes its table into
bench/README.md. --large uses ten times the rows.

Measurements: ${Object.keys(measurements).join(', ')}.
`,
  { takesWords: true },
);

const args = process.argv.slice(2);
const isLarge = args.includes('--large');
const at = args.indexOf('--processes');
const processes = at < 0 ? 1 : Number(args[at + 1]);
if (!(processes >= 1 && processes <= 64)) {
  process.stderr.write('--processes takes a number from 1 to 64.\n');
  process.exit(2);
}
const names = args.filter((arg, index) => arg !== '--large' && (at < 0 || (index !== at && index !== at + 1)));
const unknown = names.find((name) => !(name in measurements));
if (unknown !== undefined) {
  process.stderr.write(`Unknown measurement ${unknown}. Measurements: ${Object.keys(measurements).join(', ')}.\n`);
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  const exit = () => process.exit(130);
  process.once(signal, () => {
    cleanUp().then(exit, exit);
  });
}

const selected = names.length > 0 ? names : Object.keys(measurements).filter((name) => !onlyByName.includes(name));
const log = (line: string) => process.stderr.write(`${line}\n`);
const bench = new Bench({ rows: isLarge ? largeRows : ordinaryRows, processes, log });
const lines: Line[] = [];
let isComplete = false;
try {
  for (const name of selected) {
    const startedAt = performance.now();
    lines.push(...((await measurements[name]?.(bench)) ?? []));
    log(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
  isComplete = names.length === 0 && processes === 1;
} finally {
  if (lines.length > 0) {
    process.stdout.write(`${tableOf(lines)}\n`);
    const machine = thisMachine();
    appendResults(lines, machine, bench.rows);
    if (isComplete) writeFigures(lines, machine, isLarge ? 'large' : 'ordinary');
  }
  await cleanUp();
}
process.exit(lines.some((line) => isMet(line) === false) ? 1 : 0);
