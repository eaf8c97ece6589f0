/**
 * `npm run bench` measures what docs and design promise as ratios; `npm run bench -- NAME…` only those named, and
 * `--large` with ten times the rows. What it found is printed as a table and added to results.jsonl; a whole run also
 * writes its table into README.md.
 */
import { Bench, type Line } from './bench.ts';
import { measurements } from './measurements/all.ts';
import { cleanUp } from './processes/owned.ts';
import { writeFigures } from './readme.ts';
import { keepResults, thisMachine } from './results.ts';
import { isMet, tableOf } from './table.ts';

/** Left out of a whole run, for which ten minutes are promised: 100,000 renewals with their payments take longer. */
const onlyByName = ['renewals'];
const ordinaryRows = 1_000_000;
const largeRows = 10_000_000;

const words = process.argv.slice(2);
const large = words.includes('--large');
const names = words.filter((word) => word !== '--large');
const unknown = names.find((name) => !(name in measurements));
if (unknown !== undefined) {
  process.stderr.write(`There is no measurement ${unknown}; there are ${Object.keys(measurements).join(', ')}.\n`);
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  const leave = () => process.exit(130);
  process.once(signal, () => {
    cleanUp().then(leave, leave);
  });
}

const log = (line: string) => process.stderr.write(`${line}\n`);
const bench = new Bench({ rows: large ? largeRows : ordinaryRows, log });
const lines: Line[] = [];
let whole = false;
try {
  for (const name of names.length > 0
    ? names
    : Object.keys(measurements).filter((name) => !onlyByName.includes(name))) {
    const startedAt = performance.now();
    lines.push(...((await measurements[name]?.(bench)) ?? []));
    log(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }
  whole = names.length === 0;
} finally {
  if (lines.length > 0) {
    process.stdout.write(`${tableOf(lines)}\n`);
    const machine = thisMachine();
    keepResults(lines, machine, bench.rows);
    if (whole) writeFigures(lines, machine, large ? 'large' : 'ordinary');
  }
  await cleanUp();
}
process.exit(lines.some((line) => isMet(line) === false) ? 1 : 0);
