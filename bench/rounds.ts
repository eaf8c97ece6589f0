import { availableParallelism } from 'node:os';
import { machineBusyUs, stolenUs, timesOfTree } from './processes/cpu.ts';
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
  /** CPUs that other processes used during the comparison, on this machine or on its host. */
  otherCpus: number;
}

/** A round is disturbed if the host of this virtual machine took more than this share of the CPUs from it. */
const disturbedShare = 0.03;

interface Round {
  /** The sample of each side. */
  samples: Sample[];
  stolenShare: number;
}

/**
 * Runs all sides once per round and reverses the order every round, so that none always runs first. For each disturbed
 * round another one is run, up to twice as many in all, and the least disturbed ones count.
 */
export async function interleave(rounds: number, sides: readonly Side[]): Promise<Comparison> {
  const startedAt = performance.now();
  const [busyUs, ownUs] = [machineBusyUs(), timesOfTree(process.pid)];
  const all: Round[] = [];
  const isQuiet = ({ stolenShare }: Round) => stolenShare <= disturbedShare;
  while (all.filter(isQuiet).length < rounds && all.length < 2 * rounds) {
    all.push(await runRound(sides, all.length % 2 === 1));
  }
  const otherUs = machineBusyUs() - busyUs - (timesOfTree(process.pid) - ownUs);
  const counted = all.toSorted((a, b) => a.stolenShare - b.stolenShare).slice(0, rounds);
  return {
    series: sides.map(({ name }, i) =>
      seriesOf(
        name,
        counted.map(({ samples }) => samples[i] as Sample),
      ),
    ),
    ratios: sides.map((_, i) =>
      median(counted.map(({ samples }) => (samples[0] as Sample).value / (samples[i] as Sample).value)),
    ),
    otherCpus: Math.max(0, otherUs / 1000 / (performance.now() - startedAt)),
  };
}

async function runRound(sides: readonly Side[], isReversed: boolean): Promise<Round> {
  const [startedAt, stolenBefore] = [performance.now(), stolenUs()];
  const samples: Sample[] = [];
  for (const i of isReversed ? [...sides.keys()].reverse() : sides.keys()) samples[i] = await (sides[i] as Side).run();
  const cpuUs = (performance.now() - startedAt) * 1000 * availableParallelism();
  return { samples, stolenShare: (stolenUs() - stolenBefore) / cpuUs };
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
