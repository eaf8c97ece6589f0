import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Line } from './bench.ts';
import type { Machine } from './results.ts';
import { cellsOf } from './table.ts';

const file = fileURLToPath(new URL('README.md', import.meta.url));

/** Writes what a full run found between its two markers in README.md, so that the page cannot drift from the runs. */
export function writeFigures(
  lines: readonly Line[],
  { at, cpu, cores, memoryGb, node, postgres }: Machine,
  name: string,
) {
  const [begin, end] = [`<!-- ${name} run: written by npm run bench -->`, `<!-- ${name} run: end -->`];
  const page = readFileSync(file, 'utf8');
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`bench/README.md has lost its marks for the ${name} run.`);
  const machine = `${at.slice(0, 10)} · ${cores} × ${cpu}, ${memoryGb} GB · Node ${node} · PostgreSQL ${postgres}`;
  const rows = [
    ['What', 'Measured', 'Against', 'Figure', 'Goal', ''],
    ['---', '--:', '--:', '--:', '--:', '---'],
  ];
  const table = [...rows, ...lines.map(cellsOf)].map((row) => `| ${row.join(' | ')} |`).join('\n');
  writeFileSync(
    file,
    `${page.slice(0, from)}${begin}\n${machine}\n\n${table}\n\n${remarksOf(lines)}\n${page.slice(to)}`,
  );
}

function remarksOf(lines: readonly Line[]): string {
  return lines
    .filter(({ remark }) => remark !== undefined)
    .map(({ what, remark }) => `- ${what}: ${remark}\n`)
    .join('');
}
