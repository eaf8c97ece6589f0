import { dayMs } from '../../../core/clock.ts';
import { fallbackPollMs } from '../../../platform/jobs/due-work-poller.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, durations, integer } from '../../../platform/settings/kinds.ts';
import type { AddressGuard } from '../endpoints/address-guard.ts';
import type { EndpointDirectory } from '../endpoints/directory.ts';
import type { DisabledNotice } from '../endpoints/disabled-notice.ts';
import { deliveriesDue } from '../events/append-events.cte.ts';
import { freeDeadLeases } from './claiming/dead-leases.ts';
import { deliveryDue } from './claiming/statements.ts';
import { deliveryChecks } from './integrity.ts';
import { deliveryMetrics } from './metrics.ts';
import { replaysDue } from './replay/statements.ts';
import { ReplayWorker } from './replay/worker.ts';
import { deliveryRoutes } from './routes.ts';
import { attempt, deliveryDetail, replayRecord } from './schema.ts';
import { sweepDeliveries } from './sweep.ts';
import { DeliveryWorker } from './worker.ts';

const settings = {
  'app.webhook.timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '10s',
    description: 'How long one delivery attempt may take in all.',
  }),
  'app.webhook.retry-intervals': setting(durations, {
    default: '1m,5m,30m',
    description: 'The waits after each failed attempt; when they are used up the delivery has failed.',
  }),
  'app.webhook.max-in-flight': setting(integer(1, 10_000), {
    default: '512',
    description: 'Deliveries one process sends at a time.',
  }),
  'app.webhook.keep-attempts': setting(durationOfAtLeast(dayMs, 'a day'), {
    default: '30d',
    description: 'How long each delivery attempt is kept, with the answer it got.',
  }),
  'app.webhook.keep-deliveries': setting(durationOfAtLeast(dayMs, 'a day'), {
    description:
      'How long deliveries are kept once they have succeeded, failed or been cancelled; without it, as long as payments. Events stay in any case.',
  }),
};

/** Tells whether payments come in so fast that deliveries should slow down. */
export interface LoadShedding {
  readonly isOn: boolean;
  posted: () => void;
}

type Needs = NodeWith<SettingsOf<typeof settings>> & {
  guard: AddressGuard;
  endpoints: EndpointDirectory;
  disabledNotice: DisabledNotice;
  loadShedder: LoadShedding;
};
type Provided = ReturnType<typeof provide>;

/** Webhook deliveries: claim, sign, send, record, retry and replay. */
export const deliveries = defineModule({
  name: 'deliveries',
  tables: ['delivery', 'delivery_attempt', 'delivery_sweep', 'webhook_pace', 'webhook_replay'],
  settings,
  resources: { delivery: deliveryDetail, 'delivery attempt': attempt, replay: replayRecord },
  provide,
  routes: (context: Needs) =>
    deliveryRoutes({
      ...context,
      directory: context.endpoints,
      lists: context.listDatabase,
      keepDeliveriesMs: context.settings['app.webhook.keep-deliveries'],
    }),
  workers: ({ deliveries, replays, workerDatabase }: Needs & Provided) => [
    {
      name: 'deliveries',
      start: () => deliveries.start(),
      stop: () => deliveries.stop(),
      wake: () => deliveries.wake(),
      dueWork: { topic: deliveriesDue, due: deliveryDue },
      freeDeadLeases: () => freeDeadLeases(workerDatabase),
      clockWasSetBack: () => deliveries.clockWasSetBack(),
    },
    {
      name: 'replays',
      start: () => replays.start(),
      stop: () => replays.stop(),
      wake: () => replays.wake(),
      wakesOn: replaysDue,
      clockWasSetBack: () => replays.clockWasSetBack(),
    },
  ],
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
  const { settings, log, clock, workerDatabase, guard, endpoints, disabledNotice, loadShedder, metrics } = needs;
  const measured = deliveryMetrics(metrics, workerDatabase, clock, () => deliveries.inFlight);
  const deliveries: DeliveryWorker = new DeliveryWorker({
    database: workerDatabase,
    directory: endpoints,
    guard,
    clock,
    timeoutMs: settings['app.webhook.timeout'],
    retryIntervalsMs: settings['app.webhook.retry-intervals'],
    maxInFlight: settings['app.webhook.max-in-flight'],
    restMs: fallbackPollMs,
    busy: () => loadShedder.isOn,
    observer: {
      onAttempt: (facts) => {
        loadShedder.posted();
        measured.onAttempt(facts);
      },
      onPaused: measured.onPaused,
    },
    onError: (error) => log.warn({ error }, 'Webhook delivery is failing; retrying'),
    onRecovered: () => log.info('Webhook delivery works again'),
    onDisabled: (endpoint, reason) => disabledNotice.tell(endpoint, reason),
  });
  const replays = new ReplayWorker({
    database: workerDatabase,
    clock,
    onError: (error) => log.warn({ error }, 'Webhook replays are failing; retrying'),
    onRecovered: () => log.info('Webhook replays work again'),
  });
  return { deliveries, replays };
}
