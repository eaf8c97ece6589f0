import type { BackgroundWorker } from '../../../platform/jobs/background-worker.ts';
import { failureLog } from '../../../platform/jobs/failure-log.ts';
import type { Module } from '../../../platform/module.ts';
import type { WebhooksApp } from '../app.ts';
import { deliveryChecks } from './integrity.ts';
import { deliveryMetrics } from './metrics.ts';
import { replayWorker } from './replay/worker.ts';
import { sweepDeliveries } from './retention.ts';
import { deliveryRoutes } from './routes.ts';
import { attempt, deliveryDetail, replayRecord } from './schema.ts';
import { settings } from './settings.ts';
import { traceAttempt } from './trace.ts';
import { deliveryWorker } from './worker.ts';

/**
 * The poller for all workers finds only deliveries that came due within the last two seconds; this finds the others.
 */
const idlePollMs = 1_000;
/**
 * While no delivery that is due is open. What is found this late was committed by another node more than two seconds
 * after it came due, and its notification was lost.
 */
const quietPollMs = 5_000;

/**
 * Webhook deliveries: claiming, sending, recording and replaying them.
 *
 * The table `delivery` is the queue; its rows pass through these steps:
 *
 * 1. Enqueue: the statement that changes a payment appends the event and one delivery for each endpoint that subscribes
 *    to it (`events/append-events.cte.ts`), and wakes the `DeliveryWorker`.
 * 2. Claim (`queues/`): the `Worker` (`platform/jobs/worker.ts`) calls the `Claimer` with the number of free slots.
 *    `DueEndpoints` finds the endpoints with due deliveries (`EndpointQueue`), the `SlotAllocator` grants slots to
 *    them, and one statement leases the oldest deliveries of each.
 * 3. Send (`deliver.ts`, `connections/`): the event is signed and posted, within one deadline.
 * 4. Record (`results/`): the `ResultWriter` writes attempts and new states in batches, fenced by the leases.
 *    - Success: SUCCEEDED. Failure: OPEN and due again after the retry interval, or FAILED after the last one.
 *    - Five failures in a row open the endpoint's circuit breaker for 30 s (`EndpointHealth`); then one delivery is the
 *      trial. 410, or five days of nothing but failures, switch the endpoint off; its deliveries become CANCELLED.
 * 5. Replay (`replay/`): a user sends one delivery again, or all events of an endpoint since a time. Replays enqueue
 *    new deliveries under the old public id.
 *
 * A process that dies keeps its leases until they run out; then its deliveries are due again (on a single node they are
 * freed at its start). Every due time depends on the database's clock; `clock-set-back.ts` handles its corrections.
 */
export const deliveries = {
  name: 'deliveries',
  tables: ['endpoint_rate', 'webhook_replay'],
  settings,
  auditActions: {
    'webhook.replay': 'A replay of events to an endpoint was started.',
    'delivery.replay': 'One delivery was replayed.',
    'delivery.export': 'Webhook deliveries were exported.',
  },
  errors: {
    replay_running: 'conflict',
  },
  resources: { delivery: deliveryDetail, 'delivery attempt': attempt, replay: replayRecord },
  routes: deliveryRoutes,
  workers: deliveryWorkers,
  integrity: deliveryChecks,
  retention: ({ database, settings }) => [
    {
      name: 'deliveries and their attempts',
      sweep: (nowMs) =>
        sweepDeliveries(database, nowMs, {
          attemptsMs: settings['app.webhook.keep-attempts'],
          deliveriesMs: settings['app.webhook.keep-deliveries'],
        }),
    },
  ],
} satisfies Module<WebhooksApp>;

function deliveryWorkers(app: WebhooksApp): BackgroundWorker[] {
  const { settings, log, clock, generateUuid, queueDatabase, workerDatabase, endpoints } = app;
  const { metrics, tracing, waitingWork } = app;
  const observers = deliveryMetrics(metrics, queueDatabase, clock, () => deliveries.inFlight);
  const deliveries = deliveryWorker({
    database: queueDatabase,
    transactions: queueDatabase,
    directory: endpoints,
    clock,
    generateUuid,
    timeoutMs: settings['app.webhook.timeout'],
    retryIntervalsMs: settings['app.webhook.retry-intervals'],
    maxInFlight: settings['app.webhook.max-in-flight'],
    isBehind: () => waitingWork.isBehind,
    idlePollMs,
    quietPollMs,
    observer: {
      onAttempt: (attempt) => {
        observers.onAttempt(attempt);
        if (tracing !== undefined) traceAttempt(attempt, tracing, clock());
      },
      onPaused: observers.onPaused,
      onFailing: (endpoint) => log.warn(endpoint, 'Webhook endpoint is failing; its deliveries wait'),
      onAnswering: (endpoint) => log.info(endpoint, 'Webhook endpoint answers again'),
    },
    ...failureLog(log, 'Webhook delivery'),
  });
  waitingWork.watch(() => deliveries.oldestWaitMs);
  const replays = replayWorker({
    database: workerDatabase,
    clock,
    isBehind: () => waitingWork.isBehind,
    ...failureLog(log, 'Replaying webhooks'),
  });
  return [deliveries, replays];
}
