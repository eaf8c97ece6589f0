import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Line } from '../bench.ts';
import type { Machine } from './results.ts';
import { cellsOf } from './table.ts';

const file = fileURLToPath(new URL('../README.md', import.meta.url));

/** Writes the results of a complete run between its two markers in README.md. */
export function writeFigures(
  lines: readonly Line[],
  { at, cpu, cores, memoryGb, node, postgres }: Machine,
  name: string,
) {
  const [begin, end] = [`<!-- ${name} run: written by npm run bench -->`, `<!-- ${name} run: end -->`];
  const page = readFileSync(file, 'utf8');
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`bench/README.md has no markers for the ${name} run.`);
  const machine = `${at.slice(0, 10)} · ${cores} × ${cpu}, ${memoryGb} GB · Node ${node} · PostgreSQL ${postgres}`;
  const rows = [
    ['What', 'Measured', 'Against', 'Figure', 'Goal', ''],
    ['---', '--:', '--:', '--:', '--:', '---'],
  ];
  const table = [...rows, ...lines.map(cellsOf)].map((row) => `| ${row.join(' | ')} |`).join('\n');
  writeFileSync(
    file,
    `${page.slice(0, from)}${begin}\n${machine}\n\n${table}\n\n${commentsOf(lines)}\n${page.slice(to)}`,
  );
}

function commentsOf(lines: readonly Line[]): string {
  return lines
    .filter(({ comment }) => comment !== undefined)
    .map(({ what, comment }) => `- ${what}: ${comment}\n`)
    .join('');
}
