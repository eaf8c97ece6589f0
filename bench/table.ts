import type { Line } from './bench.ts';

/** The lines as a table, each remark below its line. */
export function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(cellsOf);
  const all = [['what', 'measured', 'against', 'figure', 'goal', ''], ...rows];
  const widths = (all[0] as string[]).map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const text = (row: string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  const [head, ...body] = all.map(text);
  const withRemarks = body.flatMap((row, i) => [
    row,
    ...(lines[i]?.remark === undefined ? [] : [`    ${lines[i]?.remark}`]),
  ]);
  return [head, '-'.repeat(head?.length ?? 0), ...withRemarks].join('\n');
}

/** A line as the words of its columns. */
export function cellsOf(line: Line): string[] {
  return [line.what, line.ours, line.against, figureOf(line), goalOf(line), verdictOf(line)];
}

export function isMet({ figure, goal }: Line): boolean | undefined {
  if (goal === undefined) return undefined;
  return 'atLeast' in goal ? figure >= goal.atLeast : figure <= goal.atMost;
}

function figureOf({ figure }: Line): string {
  return figure.toFixed(figure < 10 ? 2 : figure < 100 ? 1 : 0);
}

function goalOf({ goal }: Line): string {
  if (goal === undefined) return '';
  return 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;
}

function verdictOf(line: Line): string {
  const met = isMet(line);
  return met === undefined ? '' : met ? 'met' : 'MISSED';
}
