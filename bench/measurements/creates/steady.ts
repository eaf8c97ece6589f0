import { type Bench, type Line, startComparisonServer } from '../../bench.ts';
import { stopProcess } from '../../processes/children.ts';
import { milliseconds, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { interleave, median } from '../../rounds.ts';
import { steadyTimeline } from './steady-timeline.ts';

const maxRatePerSecond = 8_000;
const shareOfPeak = 0.4;
const rounds = 5;
/**
 * Both sides get faster for many seconds, and a new database prepares files for its write-ahead log
 * (bench/notes/disk.md).
 */
const warmUpSeconds = 15;

/**
 * Measures the p99 latency of creates at a steady rate, from the scheduled time of each request. The bare server at the
 * same rate is the control: its latency comes from the machine and the load generator.
 */
export async function steady(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const bare = await startComparisonServer('bare-server.ts', [merchant.key]);
  const requests = createRequests(merchant.key, channelId);
  for (const { port } of [service, bare]) {
    await bench.load({ port, requests, connections: 256, seconds: warmUpSeconds });
  }
  const peak = await bench.load({ port: service.port, requests, connections: 256 });
  const ratePerSecond = bench.steadyRate ?? Math.min(maxRatePerSecond, Math.round(peak.perSecond * shareOfPeak));
  if (bench.minutes !== undefined) {
    const line = await steadyTimeline(bench, {
      service,
      barePort: bare.port,
      requests,
      ratePerSecond,
      minutes: bench.minutes,
    });
    await stopProcess(bare.process);
    return [line];
  }
  const side = (name: string, port: number) => ({
    name,
    mediansMs: [] as number[],
    async run() {
      const load = { port, requests, connections: 256, seconds: 6, ratePerSecond, isTimelineWanted: true };
      const { quietP99Ms, p99Ms, medianMs, failures } = await bench.load(load);
      if (failures > 0) throw new Error(`${failures} requests failed at ${ratePerSecond}/s.`);
      this.mediansMs.push(medianMs);
      // The rounds that count are the ones from which the host took least.
      return { value: quietP99Ms ?? p99Ms };
    },
  });
  const sides = [side('creates', service.port), side('bare Fastify POST', bare.port)] as const;
  const { series, ratios, otherCpus } = await interleave(rounds, sides);
  await stopProcess(bare.process);
  const medians = sides.map(({ mediansMs }) => milliseconds(median(mediansMs)));
  return [
    {
      measurement: 'steady',
      what: `p99 of create at ${perSecond(ratePerSecond)}`,
      ours: milliseconds(series[0]?.median as number),
      against: `bare ${milliseconds(series[1]?.median as number)}`,
      figure: series[0]?.median as number,
      comment:
        `median ${medians.join(' | ')}; peak ${perSecond(peak.perSecond)}; others used ${otherCpus.toFixed(2)} ` +
        'CPU',
    },
    {
      measurement: 'steady',
      what: `the same ÷ bare's`,
      ours: milliseconds(series[0]?.median as number),
      against: milliseconds(series[1]?.median as number),
      figure: ratios[1] as number,
      goal: { atMost: 3 },
    },
  ];
}
