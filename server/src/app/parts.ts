import { ChannelDirectory } from '../domains/channels/directory.ts';
import { ClockMover } from '../domains/clocks/advance.ts';
import { ReplayWorker } from '../domains/deliveries/replay-worker.ts';
import { DeliveryWorker } from '../domains/deliveries/worker.ts';
import { authenticator } from '../domains/developer-keys/authenticate.ts';
import { DeveloperKeys } from '../domains/developer-keys/keys.ts';
import { invoiceClockWork } from '../domains/invoices/clock-work.ts';
import { payInvoices, type WritePayments } from '../domains/invoices/payments.ts';
import { InvoiceSettler } from '../domains/invoices/settle.ts';
import { foldLedger } from '../domains/ledger/fold.ts';
import { foldCharges } from '../domains/statistics/fold.ts';
import { followPayments } from '../domains/subscriptions/collect.ts';
import { SubscriptionWorker } from '../domains/subscriptions/worker.ts';
import { TransactionCreator } from '../domains/transactions/create.ts';
import { foldTotals } from '../domains/transactions/fold.ts';
import { TransactionReader } from '../domains/transactions/read.ts';
import { TotalsFolder } from '../domains/transactions/totals.ts';
import { Sessions } from '../domains/users/sessions.ts';
import { AddressGuard } from '../domains/webhooks/address.ts';
import { EndpointDirectory } from '../domains/webhooks/directory.ts';
import { DisabledNotice } from '../domains/webhooks/disabled-notice.ts';
import { type PasswordCost, Passwords } from '../platform/crypto/passwords.ts';
import { Sealer } from '../platform/crypto/seal.ts';
import { Tokens } from '../platform/crypto/tokens.ts';
import { mailerOf } from '../platform/mail/mailer.ts';
import { Database, type Plans } from '../platform/postgres/database.ts';
import { DatabaseClock } from '../platform/postgres/database-clock.ts';
import { watchedPollMs } from '../platform/postgres/lookout.ts';
import { Notifications } from '../platform/postgres/notifications.ts';
import { PrimaryMonitor } from '../platform/postgres/primary-monitor.ts';
import { failPointAt, noFailPoint } from '../platform/process/fail-point.ts';
import type { Lifecycle } from '../platform/process/lifecycle.ts';
import type { Log } from '../platform/process/log.ts';
import { type Clock, systemClock } from '../vocabulary/clock.ts';
import { uuidSource } from '../vocabulary/id.ts';
import { Metrics } from './metrics.ts';
import type { OpenDatabase } from './open-database.ts';
import { assembleProcessing } from './processing-parts.ts';
import { publicUrlOf } from './public-url.ts';
import { Rush } from './rush.ts';
import type { Secrets } from './secrets.ts';
import type { Settings } from './settings.ts';

/** For lists of events and deliveries, which look through thousands of rows: few, so that payments do not wait for them. */
const listConnections = 2;
/** For claiming deliveries, recording results, replaying, folding totals and settling invoices: requests never wait for it. */
const workerConnections = 5;

/** What every start needs. */
export interface Surroundings {
  settings: Settings;
  log: Log;
  clock: Clock;
  lifecycle: Lifecycle;
  /** Less than is recommended, for tests alone. */
  passwordCost?: PasswordCost | undefined;
}

export type Parts = ReturnType<typeof assemble>;

/** Everything that runs inside a node, put together and not yet started; the lifecycle knows how to stop it. */
export function assemble(
  { connection, direct }: Pick<OpenDatabase, 'connection' | 'direct'>,
  secrets: Secrets,
  surroundings: Surroundings,
) {
  const { settings, log, lifecycle, passwordCost } = surroundings;
  const logError = (error: unknown, message: string) => log.error({ error }, message);
  const metrics = new Metrics();

  const pools = new Map<string, Database>();
  const pool = (name: string, connections: number, plans?: Plans): Database => {
    const onIdleError = (error: Error) => log.warn({ error, pool: name }, 'A database connection was lost');
    const onUnprepared = () =>
      log.warn(
        { pool: name },
        'A pooler does not keep prepared statements; each execution is parsed anew, which is slower',
      );
    const database = new Database({
      connection,
      connections,
      name,
      onIdleError,
      onUnprepared,
      ...(plans && { plans }),
    });
    pools.set(name, database);
    return database;
  };
  lifecycle.add('database', async () => {
    await Promise.all([...pools.values()].map((database) => database.close()));
  });
  const watching = pool('lookout', 1, 'watching');
  // A clock that a test holds in its hand is taken at its word.
  const databaseClock =
    surroundings.clock !== systemClock
      ? undefined
      : new DatabaseClock({
          database: watching,
          clock: systemClock,
          onApart: (aheadMs) =>
            log.warn({ aheadMs }, "This machine's clock and the database's differ; the database's is used"),
          onSetBack: () => {
            log.warn("The database's clock was set back");
            if (settings['app.role'] === 'api') return;
            bringForward().catch((error) => logError(error, 'Due times could not be brought forward'));
          },
        });
  if (databaseClock !== undefined) lifecycle.add('clock', () => databaseClock.stop());
  const clock = databaseClock?.now ?? surroundings.clock;
  const drawUuid = uuidSource(clock);
  const database = pool('main', settings['app.database.connections']);
  const working = pool('worker', workerConnections, 'indexed');
  const primary = new PrimaryMonitor({
    connection,
    pools: () => pools.values(),
    clock,
    onLost: (reason, error) => log.warn({ error, reason }, 'There is no writable database'),
    onFound: () => log.info('There is a writable database again'),
  });
  lifecycle.add('primary monitor', () => primary.stop());
  const notifications = new Notifications(
    direct,
    (error) =>
      log.warn({ error }, 'Changes of other nodes cannot be heard; every look goes to the database until they can'),
    { publisher: database, onSilent: () => primary.suspect() },
  );
  lifecycle.add('notifications', () => notifications.stop());

  const sealer = new Sealer(secrets.encryptionKeys);
  const seal = (plain: string, where: string) => sealer.seal(plain, where);
  const tokens = new Tokens({ keys: secrets.jwtKeys, issuer: 'florin', audience: 'florin', clock });
  const sessions = new Sessions({ database, notifications, tokens, clock });
  const keys = new DeveloperKeys({ database, notifications, clock, logError });
  lifecycle.add('last uses of keys', () => keys.settled());

  const channels = new ChannelDirectory(database, notifications, settings['app.sandbox.enabled'] === 'true');
  const guard = new AddressGuard({
    standalone: settings['app.deployment-mode'] === 'STANDALONE',
    allowTargets: settings['app.webhook.allow-targets'] ?? [],
  });
  const open = (sealed: Buffer, where: string) => sealer.open(sealed, where);
  const endpoints = new EndpointDirectory({ database: working, notifications, open, guard });

  const folder = new TotalsFolder(working, [foldTotals, foldLedger, foldCharges], (error) =>
    log.warn({ error }, 'Totals could not be folded; they stay exact'),
  );
  const rush = new Rush();
  const creator: TransactionCreator = new TransactionCreator({
    // Its statement inserts and joins what it was given: no table's size can spoil its plan.
    writer: pool('writer', 1, 'kept'),
    database,
    channels,
    drawUuid,
    onDeliveries: () => deliveries.wake(),
    onWritten: () => folder.wake(),
    onOperations: () => processing.dispatcher.wake(),
    observeBatch: (size, durationMs) => {
      rush.paid(size);
      metrics.onBatch(size, durationMs);
    },
  });
  const mailer = mailerOf({
    url: settings['app.mail.url'],
    from: settings['app.mail.from'],
    dataDir: settings['app.data-dir'],
    log: (facts, message) => log.info(facts, message),
    clock,
  });
  const disabledNotice = new DisabledNotice({ database, mailer, publicUrl: publicUrlOf(settings), clock, logError });
  lifecycle.add('notices', () => disabledNotice.settled());
  const deliveries = new DeliveryWorker({
    database: working,
    directory: endpoints,
    guard,
    clock,
    timeoutMs: settings['app.webhook.timeout'],
    retryIntervalsMs: settings['app.webhook.retry-intervals'],
    maxInFlight: settings['app.webhook.max-in-flight'],
    restMs: watchedPollMs,
    busy: () => rush.isOn,
    observer: {
      onAttempt: (facts) => {
        rush.posted();
        metrics.onAttempt(facts);
      },
      onPaused: metrics.onPaused,
    },
    onTrouble: (error) => log.warn({ error }, 'Deliveries wait: the database or a defect is in the way'),
    onRecovered: () => log.info('Deliveries go on'),
    onDisabled: (endpoint, reason) => disabledNotice.tell(endpoint, reason),
  });
  const replays = new ReplayWorker({
    database: working,
    clock,
    onDeliveries: () => deliveries.wake(),
    onTrouble: (error) => log.warn({ error }, 'Replays wait: the database or a defect is in the way'),
    onRecovered: () => log.info('Replays go on'),
  });

  const processing = assembleProcessing({
    settings,
    log,
    clock,
    drawUuid,
    database,
    pool,
    notifications,
    seal,
    open,
    channels,
    metrics,
    onDeliveries: () => deliveries.wake(),
    onWritten: () => folder.wake(),
  });

  const retryIntervalsMs = settings['app.subscription.retry-intervals'];
  const invoiceSettler = new InvoiceSettler({
    database: working,
    drawUuid,
    onSettled: (transaction, settled) => followPayments(transaction, settled, { drawUuid, retryIntervalsMs }),
    onDeliveries: () => deliveries.wake(),
    pollMs: () => watchedPollMs,
    onTrouble: (error) => log.warn({ error }, 'Invoices wait: the database or a defect is in the way'),
    onRecovered: () => log.info('Invoices go on'),
  });
  const invoiceWork = invoiceClockWork(() => {
    processing.dispatcher.wake();
    invoiceSettler.wake();
  });
  const drill = settings['app.drill.fail-point'];
  const writePayments: WritePayments = (transaction, requests) => creator.createWithin(transaction, requests);
  const subscriptions = new SubscriptionWorker({
    database: pool('subscriptions', 1, 'batched'),
    clock,
    drawUuid,
    retryIntervalsMs,
    failPoint: drill === undefined ? noFailPoint : failPointAt(drill),
    payInvoices: (transaction, wanted, nowMs) => payInvoices(transaction, wanted, nowMs, { writePayments, drawUuid }),
    onPayments: creator.written,
    onDeliveries: () => deliveries.wake(),
    restMs: watchedPollMs,
    onTrouble: (error) => log.warn({ error }, 'Subscriptions wait: the database or a defect is in the way'),
    onRecovered: () => log.info('Subscriptions go on'),
  });
  const clockMover = new ClockMover({
    database: working,
    works: [invoiceWork, subscriptions.clockWork],
    pollMs: () => watchedPollMs,
    onTrouble: (error) => log.warn({ error }, 'Test clocks wait: the database or a defect is in the way'),
  });

  const bringForward = async (): Promise<void> => {
    for (const worker of [deliveries, replays, processing.dispatcher, processing.disputes, processing.callbacks]) {
      await worker.clockWasSetBack();
    }
  };

  return {
    ...surroundings,
    ...processing,
    clock,
    databaseClock,
    logError,
    metrics,
    drawUuid,
    pools,
    database,
    working,
    primary,
    notifications,
    seal,
    open,
    mailer,
    passwords: new Passwords(passwordCost && { cost: passwordCost }),
    tokens,
    keys,
    authenticate: authenticator({ keys, sessions }),
    channels,
    guard,
    endpoints,
    folder,
    creator,
    reader: new TransactionReader(database, pool('reader', 1, 'indexed')),
    deliveries,
    replays,
    lists: pool('lists', listConnections, 'indexed'),
    watching,
    invoiceSettler,
    subscriptions,
    clockMover,
    writePayments,
    /** Where the database's clock was set back, what was written by its old time must not wait until that comes again. */
    bringForward,
  };
}
