import type { ChildProcess } from 'node:child_process';
import { timesOf } from './processes/cpu.ts';
import type { LoadJob, LoadResult } from './processes/load.ts';
import { ask, launchOwn, nextMessage } from './processes/owned.ts';
import type { Sample } from './rounds.ts';
import { type Cpu, type Merchant, Service, startFlags } from './service.ts';

/** A line of the table. */
export interface Line {
  /** Which measurement, as it is named on the command line. */
  measurement: string;
  what: string;
  /** Ours and what it is held against, raw, with their units. */
  ours: string;
  against: string;
  /** The figure the goal speaks of. */
  figure: number;
  goal?: { atLeast: number } | { atMost: number };
  /** CPU time a request, where it was measured, and what else belongs to the line. */
  remark?: string;
}

/** A merchant with a channel, on a service. */
export interface Shop {
  service: Service;
  merchant: Merchant;
  channelId: number;
}

export interface BenchOptions {
  /** Rows of the full table. */
  rows: number;
  log: (line: string) => void;
}

/** What measurements share; each part is started when the first measurement asks for it. */
export class Bench {
  readonly rows: number;
  readonly log: (line: string) => void;
  #shop: Promise<Shop> | undefined;
  #generator: ChildProcess | undefined;

  constructor({ rows, log }: BenchOptions) {
    this.rows = rows;
    this.log = log;
  }

  /** A service without payments, and a merchant on it. */
  async emptyShop(): Promise<Shop> {
    this.#shop ??= openShop();
    const shop = await this.#shop;
    await shop.service.empty();
    return shop;
  }

  /** Runs a load; the generator is one process for all, so that it is warm. */
  load(job: Partial<LoadJob> & Pick<LoadJob, 'port' | 'requests'>): Promise<LoadResult> {
    this.#generator ??= launchOwn('load.ts');
    return ask<LoadResult>(this.#generator, { connections: 64, seconds: 3, warmUpSeconds: 0.5, ...job });
  }

  /** Requests a second of a load, with the CPU time that the server took for each. */
  async rate(job: Parameters<Bench['load']>[0], cpu: () => Cpu): Promise<Sample> {
    const before = cpu();
    const { perSecond, served, failures } = await this.load(job);
    const after = cpu();
    if (failures > 0) throw new Error(`${failures} of ${served} requests failed.`);
    return {
      value: perSecond,
      cpu: {
        nodeUs: (after.nodeUs - before.nodeUs) / served,
        postgresUs: (after.postgresUs - before.postgresUs) / served,
      },
    };
  }
}

export async function openShop(): Promise<Shop> {
  const service = await Service.start();
  const channelId = await service.makeChannel('bank');
  return { service, channelId, merchant: await service.makeMerchant('merchant') };
}

/** A server to compare with, under the flags the service runs under. */
export async function startOther(
  file: string,
  args: readonly string[],
): Promise<{ port: number; cpu: () => Cpu; process: ChildProcess }> {
  const child = launchOwn(file, args, startFlags());
  const { port } = await nextMessage<{ port: number }>(child);
  return { port, process: child, cpu: () => ({ nodeUs: timesOf(child.pid as number)?.cpuUs ?? 0, postgresUs: 0 }) };
}
