import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, secondMs } from '../../../core/clock.ts';
import type { Metrics } from '../../../platform/metrics/metrics.ts';
import type { ConnectionConfig } from '../../../platform/postgres/connection/connection-url.ts';
import { diskSpaceAt } from '../../../platform/process/disk-space.ts';
import type { Log } from '../../../platform/process/log.ts';
import { openSession, type Session } from '../session.ts';
import { archiveWal, stopKeepingWal } from './archive-wal.ts';

export interface ArchiverOptions {
  superuser: ConnectionConfig;
  cluster: string;
  folder: string;
  clock: Clock;
  log: Log;
  /** Called when the log alone no longer leads from any base backup to the present. */
  onGap?: () => void;
  lookEveryMs?: number;
  completeAfterMs?: number;
}

/** Complete segments are copied so often. A shop under full load completes one in two to three seconds. */
const lookEveryMs = 10 * secondMs;
/** With the pause before it and the copying after it, less than a minute. */
const completeAfterMs = 40 * secondMs;
/**
 * What the archive does not take is kept on the disk of the database, up to 8 GB (`max_slot_wal_keep_size`). With less
 * free than this it is given up: room is for payments.
 */
const leastFreeBytes = 2 * 1024 ** 3;

/**
 * Archives the write-ahead log of the embedded PostgreSQL while the service runs. Nothing waits for it, and a failure
 * ends nothing: it is logged once, tried again, and seen in the age of the archive.
 */
export class Archiver {
  readonly #options: ArchiverOptions;
  readonly #stopping = new AbortController();
  #working: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  #session: Session | undefined;
  #completedAtMs = 0;
  #coveredUntilMs: number | undefined;
  #failure: string | undefined;

  constructor(options: ArchiverOptions) {
    this.#options = options;
  }

  start(): void {
    this.#working = this.#work();
  }

  /** Archives what was written until now. Call it after everything that writes has stopped. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
    await this.#pass(true);
    await this.#session?.close();
  }

  /** Until when everything that was committed is archived, in ms since the epoch. */
  get coveredUntilMs(): number | undefined {
    return this.#coveredUntilMs;
  }

  /** Why nothing is archived at present. */
  get failure(): string | undefined {
    return this.#failure;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      const isDue = performance.now() - this.#completedAtMs >= (this.#options.completeAfterMs ?? completeAfterMs);
      await this.#pass(isDue || this.#coveredUntilMs === undefined);
      if (signal.aborted) return;
      await sleep(this.#options.lookEveryMs ?? lookEveryMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
    }
  }

  async #pass(completes: boolean): Promise<void> {
    const { superuser, cluster, folder, log, onGap } = this.#options;
    try {
      this.#session ??= await openSession(superuser, 'archive');
      const wal = { session: this.#session, cluster, folder };
      const startedAtMs = performance.now();
      // After a failure, first what is waiting: each segment that is completed takes 16 MB of the database's disk.
      if (this.#failure !== undefined) await archiveWal({ ...wal, completes: false });
      const { coveredUntilMs, gap } = await archiveWal({
        ...wal,
        completes: completes || this.#failure !== undefined,
      });
      if (coveredUntilMs !== undefined) {
        this.#completedAtMs = startedAtMs;
        this.#coveredUntilMs = coveredUntilMs;
      }
      if (this.#failure !== undefined) log.info({ folder }, 'The write-ahead log is archived again');
      this.#failure = undefined;
      if (gap === undefined) return;
      log.error({ folder, segment: gap }, 'A part of the write-ahead log was removed before it was archived');
      onGap?.();
    } catch (error) {
      await this.#failed(error as Error);
    }
  }

  async #failed(error: Error): Promise<void> {
    const { folder, log } = this.#options;
    if (this.#failure === undefined) {
      log.error(
        { folder, reason: error.message },
        'The write-ahead log cannot be archived; payments continue, and the archive is tried again every 10 s',
      );
    }
    this.#failure = error.message;
    await this.#giveUpWhenFull();
    // The connection may be what failed.
    await this.#session?.close();
    this.#session = undefined;
  }

  async #giveUpWhenFull(): Promise<void> {
    const { cluster, log } = this.#options;
    try {
      const { free } = await diskSpaceAt(cluster);
      if (free >= leastFreeBytes || this.#session === undefined) return;
      if (await stopKeepingWal(this.#session)) {
        log.error(
          { free },
          'The disk of the database is nearly full: write-ahead log that is not archived is given up',
        );
      }
    } catch {
      // PostgreSQL does not answer; tried again at the next failure.
    }
  }
}

/** Declared also without an archive, so that the reference has it. */
export function addArchiveMetrics(metrics: Metrics, archiver: Archiver | undefined, clock: Clock): void {
  const startedMs = clock();
  metrics.gauge(
    'florin_archive_age_seconds',
    'Seconds since the moment until which everything committed is in the archive of the write-ahead log ' +
      '(`app.backup.archive`), counted from the start until the first success. Absent without an archive.',
    async (gauge) => {
      if (archiver === undefined) return;
      gauge.set(Math.max(0, clock() - (archiver.coveredUntilMs ?? startedMs)) / secondMs);
    },
  );
}
