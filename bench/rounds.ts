import { machineBusyUs, timesOfTree } from './processes/cpu.ts';
import type { Cpu } from './service.ts';

/** The result of one side in one round. */
export interface Sample {
  value: number;
  /** CPU time of the server for one request. */
  cpu?: Cpu;
}

export interface Side {
  name: string;
  run: () => Promise<Sample>;
}

/** The results of one side over all rounds. */
export interface Series {
  name: string;
  median: number;
  values: number[];
  /** Medians over the rounds; undefined when the side does not measure CPU time. */
  cpu?: Cpu;
}

export interface Comparison {
  series: Series[];
  /** First side ÷ each side: the median of the ratios of the rounds, which cancels the drift of the machine. */
  ratios: number[];
  /** CPUs that other processes used during the comparison. */
  otherCpus: number;
}

/** Runs all sides once per round and reverses the order every round, so that none always runs first. */
export async function interleave(rounds: number, sides: readonly Side[]): Promise<Comparison> {
  const samples: Sample[][] = sides.map(() => []);
  const startedAt = performance.now();
  const [busyUs, ownUs] = [machineBusyUs(), timesOfTree(process.pid)];
  for (let round = 0; round < rounds; round++) {
    const order = sides.map((_, i) => (round % 2 === 0 ? i : sides.length - 1 - i));
    for (const i of order) samples[i]?.push(await (sides[i] as Side).run());
  }
  const otherUs = machineBusyUs() - busyUs - (timesOfTree(process.pid) - ownUs);
  const value = (side: number, round: number) => samples[side]?.[round]?.value as number;
  return {
    series: sides.map(({ name }, i) => seriesOf(name, samples[i] as Sample[])),
    ratios: sides.map((_, i) => median((samples[0] as Sample[]).map((_, round) => value(0, round) / value(i, round)))),
    otherCpus: Math.max(0, otherUs / 1000 / (performance.now() - startedAt)),
  };
}

function seriesOf(name: string, samples: readonly Sample[]): Series {
  const cpus = samples.map(({ cpu }) => cpu).filter((cpu) => cpu !== undefined);
  return {
    name,
    median: median(samples.map(({ value }) => value)),
    values: samples.map(({ value }) => value),
    ...(cpus.length > 0 && {
      cpu: { nodeUs: median(cpus.map((cpu) => cpu.nodeUs)), postgresUs: median(cpus.map((cpu) => cpu.postgresUs)) },
    }),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
