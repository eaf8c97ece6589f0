import { type Bench, type Line, startOther } from '../bench.ts';
import { milliseconds, perSecond } from '../format.ts';
import { end } from '../processes/owned.ts';
import { createRequests } from '../requests.ts';
import { interleave, median } from '../rounds.ts';

const wantedPerSecond = 8_000;
const shareOfPeak = 0.4;
const rounds = 3;

/**
 * The 99th percentile of a create's latency at a steady rate, counted from the moment each should have been sent. The
 * bare server at the same rate is the control: what it shows is the machine's and the generator's own, not the service's.
 */
export async function steady(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const bare = await startOther('bare-server.ts', [merchant.key]);
  const requests = createRequests(merchant.key, channelId);
  const peak = await bench.load({ port: service.port, requests, connections: 256 });
  const ratePerSecond = Math.min(wantedPerSecond, Math.round(peak.perSecond * shareOfPeak));
  const side = (name: string, port: number) => ({
    name,
    mediansMs: [] as number[],
    async run() {
      const load = { port, requests, connections: 256, seconds: 4, ratePerSecond };
      const { p99Ms, medianMs, failures } = await bench.load(load);
      if (failures > 0) throw new Error(`${failures} requests failed at ${ratePerSecond}/s.`);
      this.mediansMs.push(medianMs);
      return { value: p99Ms };
    },
  });
  const sides = [side('creates', service.port), side('bare Fastify POST', bare.port)] as const;
  const { series, foreignCpus } = await interleave(rounds, sides);
  await end(bare.process);
  const medians = sides.map(({ mediansMs }) => milliseconds(median(mediansMs)));
  return [
    {
      measurement: 'steady',
      what: `p99 of create at ${perSecond(ratePerSecond)}`,
      ours: milliseconds(series[0]?.median as number),
      against: `bare ${milliseconds(series[1]?.median as number)}`,
      figure: series[0]?.median as number,
      goal: { atMost: 10 },
      remark: `median ${medians.join(' | ')}; peak ${perSecond(peak.perSecond)}; others used ${foreignCpus.toFixed(2)} CPU`,
    },
  ];
}
