import type { ChildProcess } from 'node:child_process';
import { type Filled, fill } from './fill.ts';
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

/** A shop that holds payments, and what they are spread over. */
export interface FilledShop {
  shop: Shop;
  filled: Filled;
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
  /** How many webhooks a second one process sends, once that has been measured. */
  deliveriesPerSecond: number | undefined;
  #shop: Promise<Shop> | undefined;
  #fullShop: Promise<FilledShop> | undefined;
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

  /** A few payments on the service that is otherwise empty. */
  async smallShop(rows: number): Promise<FilledShop> {
    const shop = await this.emptyShop();
    return { shop, filled: await fill(shop, rows) };
  }

  /** A service of its own with the full table, filled once. Measurements that only read it come first. */
  fullShop(): Promise<FilledShop> {
    this.#fullShop ??= this.#openFullShop();
    return this.#fullShop;
  }

  async #openFullShop(): Promise<FilledShop> {
    const startedAt = performance.now();
    const shop = await openShop();
    const filled = await fill(shop, this.rows);
    this.log(`${this.rows} rows written: ${Math.round((performance.now() - startedAt) / 1000)} s`);
    return { shop, filled };
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
