import { dayMs } from '../../../core/clock.ts';
import { failureLog } from '../../../platform/jobs/worker.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, durations, integer } from '../../../platform/settings/kinds.ts';
import type { AddressGuards } from '../endpoints/address-guard.ts';
import type { EndpointDirectory } from '../endpoints/directory.ts';
import type { DisabledEndpointMailer } from '../endpoints/disabled-endpoint-mailer.ts';
import { deliveryChecks } from './integrity.ts';
import { deliveryMetrics } from './metrics.ts';
import { replayWorker } from './replay/worker.ts';
import { sweepDeliveries } from './retention.ts';
import { deliveryRoutes } from './routes.ts';
import { attempt, deliveryDetail, deliveryRecord, replayInput, replayRecord, replayResult, state } from './schema.ts';
import { traceAttempt } from './trace.ts';
import { deliveryWorker } from './worker.ts';

const settings = {
  'app.webhook.timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '10s',
    description: 'Deadline of one delivery attempt, from name lookup to the end of the answer.',
  }),
  'app.webhook.retry-intervals': setting(durations, {
    default: '1m,5m,30m',
    description:
      'Waits before each retry, counted from the end of the failed attempt. After the last retry the delivery has failed.',
  }),
  'app.webhook.max-in-flight': setting(integer(1, 10_000), {
    default: '1024',
    description: 'Deliveries that one process may have in flight.',
  }),
  'app.webhook.keep-attempts': setting(durationOfAtLeast(dayMs, 'a day'), {
    default: '30d',
    description: 'How long delivery attempts are kept, with their answers.',
  }),
  'app.webhook.keep-deliveries': setting(durationOfAtLeast(dayMs, 'a day'), {
    description:
      'How long deliveries are kept after they have succeeded, failed or been cancelled. Default: as long as payments. Events are always kept.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>> & {
  guards: AddressGuards;
  endpoints: EndpointDirectory;
  disabledNotice: DisabledEndpointMailer;
};
type Provided = ReturnType<typeof provide>;

/** The poller for all workers finds only deliveries that came due within the last two seconds; this finds the others. */
const idlePollMs = 1_000;
/**
 * While no delivery that is due is open. What is found this late was committed by another node more than two seconds after it
 * came due, and its notification was lost.
 */
const quietPollMs = 5_000;

/**
 * Webhook deliveries: claiming, sending, recording and replaying them.
 *
 * The table `delivery` is the queue; its rows pass through these steps:
 *
 * 1. Enqueue: the statement that changes a payment appends the event and one delivery for each endpoint that subscribes to
 *    it (`events/append-events.cte.ts`), and wakes the `DeliveryWorker`.
 * 2. Claim (`queues/`): the `Worker` (`platform/jobs/worker.ts`) calls the `Claimer` with the number of free slots. It finds
 *    the endpoints with due deliveries (`EndpointQueue`), the `SlotAllocator` grants slots to them, and one statement leases
 *    the oldest deliveries of each.
 * 3. Send (`deliver.ts`, `connections/`): the event is signed and posted, within one deadline.
 * 4. Record (`results/`): the `ResultWriter` writes attempts and new states in batches, fenced by the leases.
 *    - Success: SUCCEEDED. Failure: OPEN and due again after the retry interval, or FAILED after the last one.
 *    - Five failures in a row open the endpoint's circuit breaker for 30 s (`EndpointHealth`); then one delivery is the
 *      trial. 410, or five days of nothing but failures, switch the endpoint off; its deliveries become CANCELLED.
 * 5. Replay (`replay/`): a user sends one delivery again, or all events of an endpoint since a time. Replays enqueue new
 *    deliveries under the old public id.
 *
 * A process that dies keeps its leases until they run out; then its deliveries are due again (on a single
 * node they are freed at its start). Every due time depends on the database's clock; `clock-set-back.ts` handles its corrections.
 */
export const deliveries = defineModule({
  name: 'deliveries',
  tables: ['webhook_pace', 'webhook_replay'],
  settings,
  auditActions: {
    'webhook.replay': 'A replay of events to an endpoint was started.',
    'delivery.replay': 'One delivery was replayed.',
    'delivery.export': 'Webhook deliveries were exported.',
  },
  resources: { delivery: deliveryDetail, 'delivery attempt': attempt, replay: replayRecord },
  schemas: {
    Delivery: deliveryRecord,
    DeliveryDetail: deliveryDetail,
    DeliveryAttempt: attempt,
    DeliveryState: state,
    WebhookReplayInput: replayInput,
    StartedWebhookReplay: replayResult,
    WebhookReplay: replayRecord,
  },
  provide,
  routes: (context: Needs) =>
    deliveryRoutes({
      ...context,
      keepDeliveriesMs: context.settings['app.webhook.keep-deliveries'],
    }),
  workers: ({ deliveries, replays }: Provided) => [deliveries, replays],
  integrity: deliveryChecks,
  retention: ({ database, settings }: Needs) => [
    {
      name: 'deliveries and their attempts',
      sweep: (nowMs) =>
        sweepDeliveries(database, nowMs, {
          attemptsMs: settings['app.webhook.keep-attempts'],
          deliveriesMs: settings['app.webhook.keep-deliveries'],
        }),
    },
  ],
});

function provide(needs: Needs) {
  const {
    settings,
    log,
    clock,
    generateUuid,
    queueDatabase,
    workerDatabase,
    endpoints,
    disabledNotice,
    metrics,
    tracing,
    waitingWork,
  } = needs;
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
    },
    ...failureLog(log, 'Webhook delivery'),
    onDisabled: (endpoint, reason) => disabledNotice.notify(endpoint, reason),
  });
  waitingWork.watch(() => deliveries.oldestWaitMs);
  const replays = replayWorker({
    database: workerDatabase,
    clock,
    isBehind: () => waitingWork.isBehind,
    ...failureLog(log, 'Replaying webhooks'),
  });
  return { deliveries, replays };
}
