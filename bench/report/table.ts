import type { Line } from '../bench.ts';

/** The lines as a plain-text table, with each comment below its line. */
export function tableOf(lines: readonly Line[]): string {
  const rows = lines.map(cellsOf);
  const all = [['what', 'measured', 'against', 'figure', 'goal', ''], ...rows];
  const widths = (all[0] as string[]).map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const text = (row: string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  const [head, ...body] = all.map(text);
  const withComments = body.flatMap((row, i) => [
    row,
    ...(lines[i]?.comment === undefined ? [] : [`    ${lines[i]?.comment}`]),
  ]);
  return [head, '-'.repeat(head?.length ?? 0), ...withComments].join('\n');
}

/** The cells of a line, in the order of the columns. */
export function cellsOf(line: Line): string[] {
  return [line.what, line.ours, line.against, figureOf(line), goalOf(line), verdictOf(line)];
}

/** Whether the figure meets its goal; undefined without a goal. */
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
