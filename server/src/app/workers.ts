import type { BackgroundWorker } from '../platform/jobs/background-worker.ts';
import { DueWorkPoller } from '../platform/jobs/due-work-poller.ts';
import { Sweeper } from '../platform/jobs/sweeper.ts';
import { sweepIdempotencyRecords } from '../platform/postgres/idempotency-records.ts';
import type { Context } from './assemble.ts';
import { modules } from './modules.ts';

/** The background workers of all modules, in the order of the modules. */
export function workersOf(context: Context): BackgroundWorker[] {
  return modules.flatMap(({ workers }) => workers?.(context) ?? []);
}

/**
 * Releases the leases of processes that have died. Call it before the workers start, and only where no other process
 * can use the database.
 */
export async function freeDeadLeases(workers: readonly BackgroundWorker[]): Promise<void> {
  for (const { freeDeadLeases } of workers) await freeDeadLeases?.();
}

/**
 * After the database's clock was set back, shortens leases and due times that were written before. A failure of one
 * worker leaves those of the others. Also called before the workers start, because the clock may have been set while no
 * node was running.
 */
export async function shortenWaitsAfterSetBack(workers: readonly BackgroundWorker[]): Promise<void> {
  const shortened = await Promise.allSettled(workers.map(({ clockWasSetBack }) => clockWasSetBack?.()));
  const failed = shortened.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
  if (failed !== undefined) throw failed.reason;
}

/** Starts the workers, the retention sweeps and the due-work poller; the lifecycle stops them in reverse order. */
export function startWorkers(workers: readonly BackgroundWorker[], context: Context): void {
  const { bus, lifecycle, clock } = context;
  for (const { name, start, stop, wake, dueWork, wakesOn = dueWork?.topic } of workers) {
    if (wake !== undefined && wakesOn !== undefined) bus.subscribe(wakesOn, wake);
    start();
    lifecycle.add(name, stop);
  }
  context.onClockSetBack(() => shortenWaitsAfterSetBack(workers));
  const sweeper = sweeperOf(context);
  sweeper.start();
  lifecycle.add('sweeper', () => sweeper.stop());
  const poller = new DueWorkPoller({
    database: context.queueDatabase,
    clock,
    works: workers.flatMap(({ dueWork }) => dueWork ?? []),
    onDue: (topics) => bus.wake(topics),
  });
  for (const { dueWork } of workers) if (dueWork !== undefined) bus.subscribe(dueWork.topic, poller.published);
  poller.start();
  lifecycle.add('poller', () => poller.stop());
}

function sweeperOf(context: Context): Sweeper {
  const { database, clock, logError } = context;
  return new Sweeper({
    sweeps: [
      { name: 'idempotency records', sweep: (nowMs) => sweepIdempotencyRecords(database, nowMs) },
      ...modules.flatMap(({ retention }) => retention?.(context) ?? []),
    ],
    clock,
    onError: logError,
  });
}
