import type { Bench, Line } from '../bench.ts';
import { milliseconds, perSecond } from '../format.ts';
import { createRequests } from '../requests.ts';
import { median } from '../rounds.ts';

const wantedPerSecond = 8_000;
const shareOfPeak = 0.4;
const rounds = 3;

/** The 99th percentile of a create's latency at a steady rate, counted from the moment each should have been sent. */
export async function steady(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await bench.emptyShop();
  const requests = createRequests(merchant.key, channelId);
  const peak = await bench.load({ port: service.port, requests, connections: 256 });
  const ratePerSecond = Math.min(wantedPerSecond, Math.round(peak.perSecond * shareOfPeak));
  const p99s: number[] = [];
  const medians: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const load = { port: service.port, requests, connections: 256, seconds: 5, ratePerSecond };
    const { p99Ms, medianMs, failures } = await bench.load(load);
    if (failures > 0) throw new Error(`${failures} requests failed at ${ratePerSecond}/s.`);
    p99s.push(p99Ms);
    medians.push(medianMs);
  }
  return [
    {
      measurement: 'steady',
      what: `p99 of create at ${perSecond(ratePerSecond)}`,
      ours: milliseconds(median(p99s)),
      against: `peak ${perSecond(peak.perSecond)}`,
      figure: median(p99s),
      goal: { atMost: 10 },
      remark: `median ${milliseconds(median(medians))}`,
    },
  ];
}
