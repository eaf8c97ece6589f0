import type { Bench, Line } from '../../bench.ts';
import { machineBusyUs, memoryOf, timesOfTree } from '../../processes/cpu.ts';
import { megabytes, milliseconds } from '../../report/format.ts';
import { median } from '../../rounds.ts';
import { Service } from '../../service.ts';

const coldRounds = 3;
const warmRoundsEach = 2;
/** The garbage of the start is collected after a second of rest. */
const restMs = 3_000;

/**
 * Measures the time from the start of the process until `/health/ready` answers 200, with the command line of `npm
 * start`: on a new data folder, and again on the same folder; and the memory that a node takes three seconds later,
 * having served nothing.
 */
export async function start(_bench: Bench): Promise<Line[]> {
  const coldMs: number[] = [];
  const warmMs: number[] = [];
  const atRest: ReturnType<typeof memoryOf>[] = [];
  const startedAt = performance.now();
  const [busyUs, ownUs] = [machineBusyUs(), timesOfTree(process.pid)];
  for (let i = 0; i < coldRounds; i++) {
    let service = await Service.start();
    coldMs.push(service.startMs);
    for (let j = 0; j < warmRoundsEach; j++) {
      await service.stop({ keepData: true });
      service = await Service.start(service.dataDir);
      warmMs.push(service.startMs);
      await service.waitUntilIdle();
      await new Promise((resolve) => setTimeout(resolve, restMs));
      atRest.push(memoryOf(service.pid));
    }
    await service.stop();
  }
  const otherUs = Math.max(0, machineBusyUs() - busyUs - (timesOfTree(process.pid) - ownUs));
  const comment = `others used ${(otherUs / 1000 / (performance.now() - startedAt)).toFixed(2)} CPU`;
  const line = (what: string, ms: number[], atMost: number): Line => ({
    measurement: 'start',
    what,
    ours: milliseconds(median(ms)),
    against: `longest ${milliseconds(Math.max(...ms))}`,
    figure: median(ms),
    goal: { atMost },
    comment,
  });
  const restMb = median(atRest.map(({ residentMb }) => residentMb));
  return [
    line('start to ready, on a folder that was used before, ms', warmMs, 1_200),
    line('start to ready, on a new folder, ms', coldMs, 3_000),
    {
      measurement: 'start',
      what: 'memory of the service at rest',
      ours: megabytes(restMb),
      against: `mapped from files ${megabytes(median(atRest.map(({ ofFilesMb }) => ofFilesMb)))}`,
      figure: restMb,
      goal: { atMost: 130 },
    },
  ];
}
