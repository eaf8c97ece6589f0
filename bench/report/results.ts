import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Line } from '../bench.ts';
import { embeddedPrograms } from '../pgbench.ts';

const file = fileURLToPath(new URL('../results.jsonl', import.meta.url));

/** When and on which machine a run was made. */
export interface Machine {
  at: string;
  cpu: string;
  cores: number;
  memoryGb: number;
  node: string;
  postgres: string;
}

export function thisMachine(): Machine {
  const version = execFileSync(join(embeddedPrograms(), 'postgres'), ['--version'], { encoding: 'utf8' });
  return {
    at: new Date().toISOString(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    node: process.versions.node,
    postgres: /[\d.]+/.exec(version)?.[0] ?? 'unknown',
  };
}

/** Appends this run to results.jsonl, which is kept in git so that changes over time are visible. */
export function appendResults(lines: readonly Line[], machine: Machine, rows: number): void {
  const figures = Object.fromEntries(
    lines.map(({ what, ours, against, figure }) => [what, { figure: Number(figure.toPrecision(3)), ours, against }]),
  );
  appendFileSync(file, `${JSON.stringify({ ...machine, rows, figures })}\n`);
}
