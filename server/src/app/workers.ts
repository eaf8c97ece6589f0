import { minuteMs, secondMs } from '../core/clock.ts';
import type { BackgroundWorker } from '../platform/jobs/background-worker.ts';
import { DueWorkPoller } from '../platform/jobs/due-work-poller.ts';
import type { AnyModule, RetentionSweep } from '../platform/module.ts';
import { sweepIdempotencyRecords } from '../platform/postgres/idempotency-records.ts';
import type { Context } from './assemble.ts';
import { modules } from './modules.ts';

/** The background workers of all modules, in the order of the modules. */
export function workersOf(context: Context): BackgroundWorker[] {
  return (modules as readonly AnyModule[]).flatMap(({ workers }) => workers?.(context) ?? []);
}

/**
 * Releases the leases of processes that have died. Call it before the workers start, and only where no other process can
 * use the database.
 */
export async function freeDeadLeases(workers: readonly BackgroundWorker[]): Promise<void> {
  for (const { freeDeadLeases } of workers) await freeDeadLeases?.();
}

/**
 * After the database's clock was set back, shortens leases and due times that were written with the later time. Also called
 * before the workers start, because the clock may have been set while no node was running.
 */
export async function shortenWaitsAfterSetBack(workers: readonly BackgroundWorker[]): Promise<void> {
  for (const { clockWasSetBack } of workers) await clockWasSetBack?.();
}

/** Starts the workers, the retention sweeps and the due-work poller; the lifecycle stops them in reverse order. */
export function startWorkers(workers: readonly BackgroundWorker[], context: Context): void {
  const { topics, lifecycle, clock } = context;
  for (const { name, start, stop, wake, dueWork, wakesOn = dueWork?.topic } of workers) {
    if (wake !== undefined && wakesOn !== undefined) topics.subscribe(wakesOn, wake);
    start();
    lifecycle.add(name, stop);
  }
  context.onClockSetBack(() => shortenWaitsAfterSetBack(workers));
  const sweeper = sweeperOf(context);
  sweeper.start();
  lifecycle.add('sweeper', sweeper.stop);
  const poller = new DueWorkPoller({
    database: context.pollerDatabase,
    clock,
    works: workers.flatMap(({ dueWork }) => dueWork ?? []),
    onDue: (due) => topics.deliver(due),
  });
  poller.start();
  lifecycle.add('poller', () => poller.stop());
}

const sweepEveryMs = 60 * minuteMs;
/** A node that is restarted within every hour has to sweep as well. */
const firstSweepAfterMs = 30 * secondMs;
const sweepAgainAfterMs = 30 * secondMs;

/**
 * Runs the retention sweeps half a minute after the start, then once an hour. A sweep that fails does not affect the others;
 * all are run again half a minute later.
 */
function sweeperOf(context: Context): Pick<BackgroundWorker, 'start' | 'stop'> {
  const { database, clock, logError } = context;
  const sweeps: RetentionSweep[] = [
    { name: 'idempotency records', sweep: (nowMs) => sweepIdempotencyRecords(database, nowMs) },
    ...(modules as readonly AnyModule[]).flatMap(({ retention }) => retention?.(context) ?? []),
  ];
  /** Returns whether every sweep has succeeded. */
  const sweepAll = async (): Promise<boolean> => {
    const results = await Promise.all(
      sweeps.map(async ({ name, sweep }) => {
        try {
          await sweep(clock());
          return true;
        } catch (error) {
          logError(error, `Expired rows could not be removed: ${name}`);
          return false;
        }
      }),
    );
    return results.every(Boolean);
  };
  let sweeping: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  const sweepAfter = (waitMs: number) => {
    timer = setTimeout(() => {
      sweeping = sweepAll().then((succeeded) => {
        if (!isStopping) sweepAfter(succeeded ? sweepEveryMs : sweepAgainAfterMs);
      });
    }, waitMs);
  };
  return {
    start: () => sweepAfter(firstSweepAfterMs),
    stop: async () => {
      isStopping = true;
      clearTimeout(timer);
      await sweeping;
    },
  };
}
