import type { Bench, Line } from '../../bench.ts';
import { memoryOf } from '../../processes/cpu.ts';
import { megabytes, perSecond } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import { median } from '../../rounds.ts';
import { openShop } from '../../shop.ts';

/** Payments created during the measurement. */
const creates = 1_000_000;
const sampleEveryMs = 200;
const secondsPerLoad = 5;

/** Measures the resident memory of the service at the maximum create rate, and its growth between the two halves. */
export async function memory(bench: Bench): Promise<Line[]> {
  const { service, merchant, channelId } = await openShop();
  const requests = createRequests(merchant.key, channelId);
  const beforeLoad = memoryOf(service.pid);
  const samplesMb: number[] = [];
  const sampling = setInterval(() => samplesMb.push(memoryOf(service.pid).residentMb), sampleEveryMs);
  let served = 0;
  const startedAt = performance.now();
  while (served < creates) {
    const load = { port: service.port, requests, seconds: secondsPerLoad, warmUpSeconds: 0 };
    const result = await bench.load(load);
    if (result.failures > 0) throw new Error(`${result.failures} of ${result.served} requests failed.`);
    served += result.served;
  }
  clearInterval(sampling);
  const seconds = (performance.now() - startedAt) / 1000;
  const half = samplesMb.length >> 1;
  const [first, second] = [median(samplesMb.slice(0, half)), median(samplesMb.slice(half))];
  const { peakMb, ofFilesMb } = memoryOf(service.pid);
  await service.stop();
  const createCount = `${(served / 1e6).toFixed(2)} × 10⁶ creates`;
  return [
    {
      measurement: 'memory',
      what: 'memory of the service under load, second half',
      ours: megabytes(second),
      against: `peak ${megabytes(peakMb)}`,
      figure: second,
      goal: { atMost: 200 },
      comment:
        `over ${createCount} at ${perSecond(served / seconds)}, 64 connections; before them ` +
        `${megabytes(beforeLoad.residentMb)}; ${megabytes(ofFilesMb)} of it is program text mapped from files`,
    },
    {
      measurement: 'memory',
      what: 'memory, second half ÷ first half of the creates',
      ours: megabytes(second),
      against: megabytes(first),
      figure: second / first,
      goal: { atMost: 1.1 },
    },
  ];
}
