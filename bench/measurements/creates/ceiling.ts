import type { Bench, Line } from '../../bench.ts';
import { startComparisonServer } from '../../bench.ts';
import { stopProcess } from '../../processes/children.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave } from '../../rounds.ts';

const rounds = 4;
const connectionCounts = [64, 256];

/**
 * Until the code of the path is compiled and the heap has its size: a create takes the service 100 µs in the first ten
 * seconds, and 60 µs after forty.
 */
const warmUpSeconds = 40;

/**
 * Compares creates per second with those of a Fastify server without a database. A third side shows what a request
 * costs the bare server at the rate of the creates: a server that is not saturated wakes up for each request and finds
 * its caches used by others.
 */
export async function ceiling(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const bare = await startComparisonServer('bare-server.ts', [merchant.key]);
  const requests = createRequests(merchant.key, channelId);
  for (const { port } of [service, bare]) await bench.load({ port, requests, connections: 64, seconds: warmUpSeconds });
  const lines: Line[] = [];
  for (const connections of connectionCounts) {
    let ratePerSecond = 0;
    const { series, ratios, otherCpus } = await interleave(rounds, [
      {
        name: 'creates',
        async run() {
          const sample = await bench.rate({ port: service.port, requests, connections }, () => service.cpu());
          ratePerSecond = Math.round(sample.value);
          return sample;
        },
      },
      { name: 'bare Fastify POST', run: () => bench.rate({ port: bare.port, requests, connections }, bare.cpu) },
      {
        name: 'bare Fastify POST at the rate of creates',
        run: () =>
          bench.rate({ port: bare.port, requests, connections, ...(ratePerSecond > 0 && { ratePerSecond }) }, bare.cpu),
      },
    ]);
    const [ours, against] = series;
    lines.push({
      measurement: 'ceiling',
      what: `creates ÷ bare Fastify POST, ${connections} connections`,
      ours: perSecond(ours?.median),
      against: perSecond(against?.median),
      figure: ratios[1] as number,
      comment: `${cpuComment(series, otherCpus)}; the last at the rate of the creates`,
    });
  }
  await stopProcess(bare.process);
  return lines;
}
