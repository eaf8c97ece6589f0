import { CallbackWorker } from '../domains/callbacks/callback-worker.ts';
import { CallbackIntake } from '../domains/callbacks/receive.ts';
import { ChannelCredentials } from '../domains/channels/credentials.ts';
import type { ChannelDirectory } from '../domains/channels/directory.ts';
import { Connectors } from '../domains/connectors/providers.ts';
import { Dispatcher } from '../domains/processing/dispatcher.ts';
import { DisputeWorker } from '../domains/processing/dispute-worker.ts';
import { RefundRechecker } from '../domains/processing/recheck.ts';
import { Settler } from '../domains/processing/settle.ts';
import type { Database, Plans } from '../platform/postgres/database.ts';
import { watchedPollMs } from '../platform/postgres/lookout.ts';
import type { Notifications } from '../platform/postgres/notifications.ts';
import { failPointAt, noFailPoint } from '../platform/process/fail-point.ts';
import type { Log } from '../platform/process/log.ts';
import type { Clock } from '../vocabulary/clock.ts';
import { type DrawUuid, publicId } from '../vocabulary/id.ts';
import type { Metrics } from './metrics.ts';
import { publicUrlOf } from './public-url.ts';
import type { Settings } from './settings.ts';

interface Surroundings {
  settings: Settings;
  log: Log;
  clock: Clock;
  drawUuid: DrawUuid;
  /** For what requests wait for: taking callbacks. */
  database: Database;
  pool: (name: string, connections: number, plans?: Plans) => Database;
  notifications: Notifications;
  seal: (plain: string, where: string) => Buffer;
  open: (sealed: Buffer, where: string) => string;
  channels: ChannelDirectory;
  metrics: Metrics;
  onDeliveries: () => void;
  onWritten: () => void;
}

/** For claiming, beginning, deferring and settling: each has one statement under way at most, and callbacks settle too. */
const connections = 4;

/** What moves money: connectors, the dispatcher that asks them, and the settler that writes what they say. */
export function assembleProcessing(surroundings: Surroundings) {
  const { settings, log, clock, drawUuid, notifications, open, channels, metrics, onDeliveries, onWritten } =
    surroundings;
  const database = surroundings.pool('processing', connections, 'indexed');
  const credentials = new ChannelCredentials(database, notifications, open);
  const publicUrl = publicUrlOf(settings);
  const drill = settings['app.drill.fail-point'];
  const sandboxEnabled = settings['app.sandbox.enabled'] === 'true';
  const connectors = new Connectors({
    database,
    clock,
    sandboxEnabled,
    publicUrl,
    urls: { stripe: settings['app.provider.stripe.url'], mollie: settings['app.provider.mollie.url'] },
    deliverCallback: (channelId, headers, body) => intake.receive(String(channelId), { headers, query: {}, body }),
    pollMs: () => watchedPollMs,
    onTrouble: (error) => log.warn({ error }, 'Callbacks of the sandbox wait, or one was given up'),
  });
  const settler = new Settler({
    database,
    channels,
    clock,
    drawUuid,
    onDeliveries,
    onWritten,
    onOperations: () => dispatcher.wake(),
    onContradiction: ({ id, number, state, operation_amount, currency }, { kind: said, money }, kind) => {
      metrics.onDispute(kind);
      const facts = { transactionId: publicId('txn', id), operation: number, stands: state, said };
      if (kind === 'contradiction') log.warn(facts, 'A provider contradicts itself');
      else {
        const asked = { amount: operation_amount, currency };
        log.warn({ ...facts, asked, named: money }, 'A provider names another amount or currency than was asked for');
      }
      disputes.wake();
    },
  });
  const dispatcher: Dispatcher = new Dispatcher({
    database,
    connectors,
    channels,
    credentials,
    settler,
    clock,
    drawUuid,
    publicUrl,
    disabledProviders: new Set(sandboxEnabled ? [] : (['sandbox'] as const)),
    timeoutMs: settings['app.provider.timeout'],
    onDeliveries,
    onWritten,
    pollMs: () => watchedPollMs,
    failPoint: drill === undefined ? noFailPoint : failPointAt(drill),
    onTrouble: (error) => log.warn({ error }, 'Payments wait: the database or a defect is in the way'),
    onRecovered: () => log.info('Payments go on'),
  });
  const rechecker = new RefundRechecker({
    database,
    connectors,
    credentials,
    settler,
    publicUrl,
    timeoutMs: settings['app.provider.timeout'],
  });
  const disputes: DisputeWorker = new DisputeWorker({
    database,
    connectors,
    credentials,
    settler,
    clock,
    drawUuid,
    publicUrl,
    timeoutMs: settings['app.provider.timeout'],
    onVerdict: ({ id, number, state, status }, { kind: said }, verdict) => {
      metrics.onDisputeVerdict(verdict);
      const facts = { transactionId: publicId('txn', id), operation: number, stands: state, payment: status, said };
      if (verdict === 'agrees') log.info(facts, 'A provider was asked again and agrees with what stands');
      else log.warn(facts, "A provider's books disagree with ours");
    },
    pollMs: () => watchedPollMs,
    onTrouble: (error) =>
      log.warn({ error }, 'Look-ups of contradictions wait: the database or a defect is in the way'),
    onRecovered: () => log.info('Look-ups of contradictions go on'),
  });
  const callbacks = new CallbackWorker({
    database,
    settler,
    rechecker,
    clock,
    onOperations: () => dispatcher.wake(),
    observe: metrics.onCallbackEnd,
    pollMs: () => watchedPollMs,
    onTrouble: (error) => log.warn({ error }, 'Callbacks wait: the database or a defect is in the way'),
    onRecovered: () => log.info('Callbacks go on'),
  });
  const intake: CallbackIntake = new CallbackIntake({
    database: surroundings.database,
    channels,
    credentials,
    connectors,
    clock,
    drawUuid,
    seal: surroundings.seal,
    onReceived: () => callbacks.wake(),
    observe: metrics.onCallback,
  });
  return { connectors, settler, dispatcher, disputes, callbacks, intake };
}
