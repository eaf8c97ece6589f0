import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Line } from './bench.ts';
import { median } from './rounds.ts';

const here = fileURLToPath(new URL('..', import.meta.url));
const turns = 3;

/**
 * Runs the named measurements with the service of this checkout and with that of another one, in turns, each time with
 * a new process and data folder. Only the service is the other's: load, receivers and measurements are those of this
 * checkout. Returns a table of medians and of the ratio of each turn.
 */
export async function inTurns(args: readonly string[], other: string): Promise<string> {
  execFileSync(process.execPath, [join(other, 'tools/packaging/bundle.mjs')], { cwd: other, stdio: 'inherit' });
  const sides: [Line[][], Line[][]] = [[], []];
  for (let turn = 0; turn < turns; turn++) {
    // The order changes, because a machine drifts.
    for (const side of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      process.stderr.write(`Turn ${turn + 1} of ${turns}: ${side === 0 ? 'this checkout' : other}\n`);
      sides[side as 0 | 1].push(await measure(args, side === 0 ? here : other));
    }
  }
  const [ours, theirs] = sides;
  const rows = (ours[0] ?? []).map(({ what }) => rowOf(what, figures(ours, what), figures(theirs, what)));
  return [['what', 'this checkout', 'the other', 'ratio', 'of the turns'], ...rows]
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(70) : cell.padStart(16))).join(' '))
    .join('\n');
}

async function measure(args: readonly string[], checkout: string): Promise<Line[]> {
  const child = fork(fileURLToPath(new URL('main.ts', import.meta.url)), [...args], {
    env: { ...process.env, BENCH_CHECKOUT: checkout },
  });
  let lines: Line[] | undefined;
  child.on('message', (message) => {
    lines = message as Line[];
  });
  const [code] = await once(child, 'exit');
  if (lines === undefined) throw new Error(`The measurements with ${checkout} ended with ${code} and without figures.`);
  return lines;
}

function figures(runs: readonly Line[][], what: string): number[] {
  return runs.map((lines) => lines.find((line) => line.what === what)?.figure ?? Number.NaN);
}

function rowOf(what: string, ours: readonly number[], theirs: readonly number[]): string[] {
  const ratios = ours.map((figure, i) => figure / (theirs[i] ?? Number.NaN));
  const text = (value: number) => value.toPrecision(3);
  return [what, text(median([...ours])), text(median([...theirs])), text(median(ratios)), ratios.map(text).join(' ')];
}
