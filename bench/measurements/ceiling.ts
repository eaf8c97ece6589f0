import type { Bench, Line } from '../bench.ts';
import { startComparisonServer } from '../bench.ts';
import { cpuComment, perSecond } from '../format.ts';
import { stopProcess } from '../processes/children.ts';
import { createRequests } from '../requests.ts';
import { interleave } from '../rounds.ts';

const rounds = 4;
const goals = [
  { connections: 64, atLeast: 0.65 },
  { connections: 256, atLeast: 0.8 },
];

/** Compares creates per second with those of a Fastify server without a database. */
export async function ceiling(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const bare = await startComparisonServer('bare-server.ts', [merchant.key]);
  const requests = createRequests(merchant.key, channelId);
  const lines: Line[] = [];
  for (const { connections, atLeast } of goals) {
    const { series, ratios, otherCpus } = await interleave(rounds, [
      {
        name: 'creates',
        run: () => bench.rate({ port: service.port, requests, connections }, () => service.cpu()),
      },
      { name: 'bare Fastify POST', run: () => bench.rate({ port: bare.port, requests, connections }, bare.cpu) },
    ]);
    const [ours, against] = series;
    lines.push({
      measurement: 'ceiling',
      what: `creates ÷ bare Fastify POST, ${connections} connections`,
      ours: perSecond(ours?.median),
      against: perSecond(against?.median),
      figure: ratios[1] as number,
      goal: { atLeast },
      comment: cpuComment(series, otherCpus),
    });
  }
  await stopProcess(bare.process);
  return lines;
}
