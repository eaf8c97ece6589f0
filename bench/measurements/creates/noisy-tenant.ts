import type { Bench, Line } from '../../bench.ts';
import { launchFile, request, stopProcess } from '../../processes/children.ts';
import type { LoadResult } from '../../processes/load.ts';
import { milliseconds, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave, median } from '../../rounds.ts';

const rounds = 3;
const seconds = 3;
const connections = 4;
const floodConnections = 256;

/**
 * Measures the p99 latency of the creates of a tenant with four connections, alone and beside another tenant that sends
 * as many creates as the service takes over 256.
 */
export async function noisyTenant(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const noisy = await service.createMerchant('noisy');
  const flooding = launchFile('load.ts');
  const served: number[] = [];
  const floods: number[] = [];
  const alone: number[] = [];
  const measure = async () => {
    const requests = createRequests(merchant.key, channelId);
    const {
      p99Ms,
      perSecond: rate,
      failures,
    } = await bench.load({ port: service.port, requests, connections, seconds });
    if (failures > 0) throw new Error(`${failures} requests failed.`);
    return { p99Ms, rate };
  };
  const { series, ratios, otherCpus } = await interleave(rounds, [
    {
      name: 'beside a flood',
      run: async () => {
        const requests = createRequests(noisy.key, channelId);
        const job = { port: service.port, requests, connections: floodConnections, warmUpSeconds: 0 };
        const flood = request<LoadResult>(flooding, { ...job, seconds: seconds + 1.5 });
        const { p99Ms, rate } = await measure();
        served.push(rate);
        floods.push((await flood).perSecond);
        return { value: p99Ms };
      },
    },
    {
      name: 'alone',
      run: async () => {
        const { p99Ms, rate } = await measure();
        alone.push(rate);
        return { value: p99Ms };
      },
    },
  ]);
  await stopProcess(flooding);
  return [
    {
      measurement: 'noisy-tenant',
      what:
        `p99 of the creates of a tenant with ${connections} connections, beside one that floods over ` +
        `${floodConnections} ÷ alone`,
      ours: milliseconds(series[0]?.median as number),
      against: milliseconds(series[1]?.median as number),
      figure: ratios[1] as number,
      comment:
        `${perSecond(median(served))} beside ${perSecond(median(floods))} of the other, ` +
        `${perSecond(median(alone))} alone; others used ${otherCpus.toFixed(2)} CPU`,
    },
  ];
}
