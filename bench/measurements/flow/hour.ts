import { readdirSync } from 'node:fs';
import type { Bench, Line } from '../../bench.ts';
import { memoryOf } from '../../processes/cpu.ts';
import { megabytes } from '../../report/format.ts';
import { median } from '../../rounds.ts';
import { closeFlowShop, offer, openFlowShop } from './offered.ts';

const minutes = 60;
const usualRate = 200;
const endpoints = 3;
const sampleEveryMs = 1_000;
/** Until then the process grows to what its load needs. */
const warmUpShare = 0.1;
/** A node has some tens of its own: log, PostgreSQL, console; the load has a connection for each create under way. */
const mostFiles = 1_000;

/**
 * Memory and open files of a node over an hour (or `--minutes`) of payments (200 a second, or `--rate`) that are posted
 * to three endpoints: neither may grow. A node that gave one endpoint 819 connections held 2,135 files and 341 MB after
 * 25 minutes.
 */
export async function flowHour(bench: Bench): Promise<Line[]> {
  const shop = await openFlowShop(bench, { answering: endpoints });
  const { pid } = shop.service;
  const memoryMb: number[] = [];
  const files: number[] = [];
  const sample = () => {
    memoryMb.push(memoryOf(pid).residentMb);
    files.push(readdirSync(`/proc/${pid}/fd`).length);
  };
  let sampling: NodeJS.Timeout | undefined;
  try {
    const prepare = async () => {
      sampling = setInterval(sample, sampleEveryMs);
    };
    const seconds = (bench.minutes ?? minutes) * 60;
    const ratePerSecond = bench.steadyRate ?? usualRate;
    const { accepted } = await offer(bench, shop, { ratePerSecond, seconds, prepare });
    clearInterval(sampling);
    const comment =
      `${bench.minutes ?? minutes} minutes, ${accepted.toFixed(0)} payments a second to ${endpoints} ` +
      `endpoints; peak ${megabytes(memoryOf(pid).peakMb)}`;
    const warm = Math.floor(memoryMb.length * warmUpShare);
    const half = Math.floor((warm + memoryMb.length) / 2);
    const [first, second] = [median(memoryMb.slice(warm, half)), median(memoryMb.slice(half))];
    const [firstFiles, secondFiles] = [Math.max(...files.slice(warm, half)), Math.max(...files.slice(half))];
    return [
      {
        measurement: 'flow-hour',
        what: 'memory of the service, second half ÷ first half',
        ours: megabytes(second),
        against: megabytes(first),
        figure: second / first,
        goal: { atMost: 1.1 },
        comment,
      },
      {
        measurement: 'flow-hour',
        what: 'open files of the service, most in the second half',
        ours: String(secondFiles),
        against: `${firstFiles} in the first`,
        figure: secondFiles,
        goal: { atMost: mostFiles },
      },
    ];
  } finally {
    clearInterval(sampling);
    await closeFlowShop(shop);
  }
}
