import { Bench, type Line } from './bench.ts';
import { ceiling } from './measurements/ceiling.ts';
import { deliveries } from './measurements/deliveries.ts';
import { detail } from './measurements/detail.ts';
import { steady } from './measurements/steady.ts';
import { subscribed } from './measurements/subscribed.ts';
import { usualWay } from './measurements/usual-way.ts';
import { cleanUp } from './processes/owned.ts';
import { tableOf } from './table.ts';

const measurements: Record<string, (bench: Bench) => Promise<Line[]>> = {
  ceiling,
  'usual-way': usualWay,
  subscribed,
  steady,
  detail,
  deliveries,
};
const bench = new Bench({ rows: 1e6, log: console.log });
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await cleanUp();
    process.exit(130);
  });
const lines: Line[] = [];
try {
  for (const name of process.argv.slice(2)) {
    const t = performance.now();
    lines.push(...(await (measurements[name] as any)(bench)));
    console.log(name, ((performance.now() - t) / 1000).toFixed(1));
  }
} finally {
  console.log(tableOf(lines));
  await cleanUp();
}
process.exit();
