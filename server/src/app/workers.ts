import { sweepCallbacks } from '../domains/callbacks/sweep.ts';
import { freeDeadLeases as freeDeadDeliveries } from '../domains/deliveries/dead-leases.ts';
import { sweepDeliveries } from '../domains/deliveries/sweep.ts';
import { sweepExpiredInboxes } from '../domains/inbox/sweep.ts';
import { sweepExpired } from '../domains/users/sweep.ts';
import { settleRotations } from '../domains/webhooks/rotate.ts';
import { sweepKeptAnswers } from '../platform/postgres/kept-answers.ts';
import { Lookout } from '../platform/postgres/lookout.ts';
import { minuteMs } from '../vocabulary/clock.ts';
import { due } from './due.ts';
import type { Parts } from './parts.ts';

/** Something that works by itself until it is stopped. */
interface Worker {
  start: () => void;
  stop: () => Promise<void>;
}

/** Starts what works by itself on a node, in order; the lifecycle stops it in reverse. */
export function startWorkers(parts: Parts): void {
  for (const [name, worker] of Object.entries(workersOf(parts))) {
    worker.start();
    parts.lifecycle.add(name, () => worker.stop());
  }
}

/**
 * Where nobody else can be at work on this database: what a process that died held is due at once, not when its leases run
 * out. To be called before the workers start.
 */
export async function freeDeadLeases({ working, dispatcher, callbacks, disputes }: Parts): Promise<void> {
  await freeDeadDeliveries(working);
  await dispatcher.freeDeadLeases();
  await callbacks.freeDeadLeases();
  await disputes.freeDeadLeases();
}

function workersOf(parts: Parts): Record<string, Worker> {
  const {
    folder,
    deliveries,
    replays,
    dispatcher,
    callbacks,
    disputes,
    invoiceSettler,
    subscriptions,
    clockMover,
    settings,
  } = parts;
  // Test clocks are offered in STANDALONE mode alone.
  const clocks = settings['app.deployment-mode'] === 'STANDALONE' ? clockMover : undefined;
  const sandbox = sandboxOf(parts);
  return {
    totals: folder,
    deliveries,
    replays,
    processing: processing(parts),
    callbacks,
    disputes,
    invoices: invoiceSettler,
    subscriptions,
    ...(clocks && { 'test clocks': clocks }),
    sandbox,
    sweeper: sweeper(parts),
    lookout: new Lookout({
      database: parts.watching,
      clock: parts.clock,
      watched: [
        { name: 'deliveries', due: due.deliveries, wake: () => deliveries.wake() },
        { name: 'operations', due: due.operations, wake: () => dispatcher.wake() },
        { name: 'callbacks', due: due.callbacks, wake: () => callbacks.wake() },
        { name: 'disputes', due: due.disputes, wake: () => disputes.wake() },
        { name: 'invoices', due: due.invoices, wake: () => invoiceSettler.wake() },
        { name: 'subscriptions', due: due.subscriptions, wake: () => subscriptions.wake() },
        ...(settings['app.sandbox.enabled'] === 'true'
          ? [{ name: 'sandbox', due: due.sandbox, wake: sandbox.wake }]
          : []),
        ...(clocks ? [{ name: 'clocks', due: due.clocks, wake: () => clocks.wake() }] : []),
      ],
    }),
  };
}

/** What the dispatcher has begun is settled before it counts as stopped. */
function processing({ dispatcher, settler }: Parts): Worker {
  return {
    start: () => dispatcher.start(),
    stop: async () => {
      await dispatcher.stop();
      await settler.drained();
    },
  };
}

/** The callbacks that the sandbox owes. It is loaded when the first of them is due: a live service has none. */
function sandboxOf({ connectors, logError }: Parts): Worker & { wake: () => void } {
  return {
    start: () => {},
    wake: () => {
      connectors
        .of('sandbox')
        .then((sandbox) => {
          sandbox.start();
          sandbox.wake();
        })
        .catch((error) => logError(error, 'The sandbox could not be started'));
    },
    stop: async () => (await connectors.made('sandbox'))?.stop(),
  };
}

const sweepEveryMs = 60 * minuteMs;

/** What has expired goes, once an hour. */
function sweeper({ database, settings, clock, logError }: Parts): Worker {
  const retention = {
    attemptsMs: settings['app.webhook.keep-attempts'],
    deliveriesMs: settings['app.webhook.keep-deliveries'],
  };
  const sweep = () =>
    Promise.all([
      sweepExpired(database, clock),
      sweepKeptAnswers(database, clock()),
      sweepCallbacks(database, clock()),
      sweepExpiredInboxes(database, clock()),
      settleRotations(database, clock()),
      sweepDeliveries(database, clock(), retention),
    ]).catch((error) => logError(error, 'What has expired could not be removed'));
  let sweeping: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  return {
    start: () => {
      timer = setInterval(() => {
        sweeping = sweep();
      }, sweepEveryMs);
    },
    stop: async () => {
      clearInterval(timer);
      await sweeping;
    },
  };
}
