import { Bench, type Line } from './bench.ts';
import { cleanUp } from './processes/owned.ts';
import { ceiling } from './measurements/ceiling.ts';

const measurements: Record<string, (bench: Bench) => Promise<Line[]>> = { ceiling };
const bench = new Bench({ rows: 1e6, log: console.log });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, async () => { await cleanUp(); process.exit(130); });
try {
  for (const name of process.argv.slice(2)) console.log(await measurements[name]?.(bench));
} finally {
  await cleanUp();
}
process.exit();
