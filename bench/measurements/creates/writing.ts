import { type Bench, type Line, startComparisonServer } from '../../bench.ts';
import { stopProcess } from '../../processes/children.ts';
import { cpuComment, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave } from '../../rounds.ts';

const rounds = 8;
const warmUpSeconds = 20;

/**
 * Compares creates with those of a server that writes the same payments by the same batches and does nothing else: what
 * surrounds the writing is the difference.
 */
export async function writing(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const caller = { userId: merchant.userId, tenantId: merchant.tenantId, livemode: true };
  const server = await startComparisonServer('writing-server.ts', [
    merchant.key,
    JSON.stringify(service.connection()),
    JSON.stringify(caller),
    String(channelId),
  ]);
  const requests = createRequests(merchant.key, channelId);
  for (const { port } of [service, server]) await bench.load({ port, requests, seconds: warmUpSeconds });
  const lines: Line[] = [];
  for (const connections of [64, 256]) {
    const { series, ratios, otherCpus } = await interleave(rounds, [
      { name: 'creates', run: () => bench.rate({ port: service.port, requests, connections }, () => service.cpu()) },
      {
        name: 'only writing them',
        run: () =>
          bench.rate({ port: server.port, requests, connections }, () => ({
            nodeUs: server.cpu().nodeUs,
            postgresUs: service.cpu().postgresUs,
          })),
      },
    ]);
    const [ours, against] = series;
    lines.push({
      measurement: 'writing',
      what: `creates ÷ Fastify that only writes them, ${connections} connections`,
      ours: perSecond(ours?.median),
      against: perSecond(against?.median),
      figure: ratios[1] as number,
      comment: cpuComment(series, otherCpus),
    });
  }
  await stopProcess(server.process);
  return lines;
}
