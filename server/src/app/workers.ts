import { minuteMs } from '../core/clock.ts';
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

/** Runs the retention sweeps once an hour. A sweep that fails does not affect the others. */
function sweeperOf(context: Context): Pick<BackgroundWorker, 'start' | 'stop'> {
  const { database, clock, logError } = context;
  const sweeps: RetentionSweep[] = [
    { name: 'idempotency records', sweep: (nowMs) => sweepIdempotencyRecords(database, nowMs) },
    ...(modules as readonly AnyModule[]).flatMap(({ retention }) => retention?.(context) ?? []),
  ];
  const sweepAll = () =>
    Promise.all(
      sweeps.map(({ name, sweep }) =>
        sweep(clock()).catch((error) => logError(error, `Expired rows could not be removed: ${name}`)),
      ),
    );
  let sweeping: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  return {
    start: () => {
      timer = setInterval(() => {
        sweeping = sweepAll();
      }, sweepEveryMs);
    },
    stop: async () => {
      clearInterval(timer);
      await sweeping;
    },
  };
}
