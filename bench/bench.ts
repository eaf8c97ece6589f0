import type { ChildProcess } from 'node:child_process';
import { type Filled, fill } from './fill.ts';
import { launchFile, nextMessage, request } from './processes/children.ts';
import { timesOf } from './processes/cpu.ts';
import type { LoadJob, LoadResult } from './processes/load.ts';
import type { Sample } from './rounds.ts';
import { type Cpu, startFlags } from './service.ts';
import { openShop, type Shop } from './shop.ts';

/** One row of the results table. */
export interface Line {
  /** The name of the measurement on the command line. */
  measurement: string;
  what: string;
  /** The measured value and the value it is compared with, formatted with units. */
  ours: string;
  against: string;
  /** The number that the goal limits: a ratio or an absolute value. */
  figure: number;
  goal?: { atLeast: number } | { atMost: number };
  /** Printed below the line: CPU time per request and other details. */
  comment?: string;
}

/** A shop with generated payments. */
export interface FilledShop {
  shop: Shop;
  filled: Filled;
}

export interface BenchOptions {
  /** Payments in the full table. */
  rows: number;
  /** Processes of the shared service. */
  processes: number;
  /** Length of the steady run with a timeline; undefined for the short comparison. */
  minutes?: number | undefined;
  /** Creates a second of the steady run; undefined for a share of the peak. */
  steadyRate?: number | undefined;
  /** Payments that `growth` makes; undefined for its usual number. */
  payments?: number | undefined;
  log: (line: string) => void;
}

/** Resources that measurements share. Each one starts on its first use. */
export class Bench {
  readonly rows: number;
  readonly processes: number;
  readonly minutes: number | undefined;
  readonly steadyRate: number | undefined;
  readonly payments: number | undefined;
  readonly log: (line: string) => void;
  /** Webhook deliveries per second of one process; undefined until measured. */
  deliveriesPerSecond: number | undefined;
  #shop: Promise<Shop> | undefined;
  #fullShop: Promise<FilledShop> | undefined;
  #generator: ChildProcess | undefined;

  constructor({ rows, processes, minutes, steadyRate, payments, log }: BenchOptions) {
    this.rows = rows;
    this.processes = processes;
    this.minutes = minutes;
    this.steadyRate = steadyRate;
    this.payments = payments;
    this.log = log;
  }

  /** The shared service without payments. Deletes all payments of earlier measurements. */
  async emptyShop(): Promise<Shop> {
    this.#shop ??= openShop(this.processes);
    const shop = await this.#shop;
    await shop.service.empty();
    return shop;
  }

  /** The shared service with this many generated payments and no others. */
  async smallShop(rows: number): Promise<FilledShop> {
    const shop = await this.emptyShop();
    return { shop, filled: await fill(shop, rows) };
  }

  /** A separate service with the full table, filled once. Measurements that only read it must run first. */
  fullShop(): Promise<FilledShop> {
    this.#fullShop ??= this.#openFullShop();
    return this.#fullShop;
  }

  async #openFullShop(): Promise<FilledShop> {
    const startedAt = performance.now();
    const shop = await openShop(this.processes);
    const filled = await fill(shop, this.rows);
    this.log(`${this.rows} rows inserted: ${Math.round((performance.now() - startedAt) / 1000)} s`);
    return { shop, filled };
  }

  /** Runs a load. All loads use one generator process, so that its code is already compiled. */
  load(job: Partial<LoadJob> & Pick<LoadJob, 'port' | 'requests'>): Promise<LoadResult> {
    this.#generator ??= launchFile('load.ts');
    return request<LoadResult>(this.#generator, { connections: 64, seconds: 3, warmUpSeconds: 0.5, ...job });
  }

  /** Runs a load; returns requests per second and the server's CPU time per request. Throws when a request fails. */
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

/** Starts a server to compare with, with the same Node flags as the service. */
export async function startComparisonServer(
  file: string,
  args: readonly string[],
): Promise<{ port: number; cpu: () => Cpu; process: ChildProcess }> {
  const child = launchFile(file, args, startFlags());
  const { port } = await nextMessage<{ port: number }>(child);
  return { port, process: child, cpu: () => ({ nodeUs: timesOf(child.pid as number)?.cpuUs ?? 0, postgresUs: 0 }) };
}
