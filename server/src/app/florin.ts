import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ChannelDirectory } from '../domains/channels/directory.ts';
import { channelEndpoints } from '../domains/channels/routes.ts';
import { authenticator } from '../domains/developer-keys/authenticate.ts';
import { DeveloperKeys } from '../domains/developer-keys/keys.ts';
import { developerKeyEndpoints } from '../domains/developer-keys/routes.ts';
import { tenantEndpoints } from '../domains/tenants/routes.ts';
import { TransactionCreator } from '../domains/transactions/create.ts';
import { TransactionReader } from '../domains/transactions/read.ts';
import { transactionEndpoints } from '../domains/transactions/routes.ts';
import { TotalsFolder } from '../domains/transactions/totals.ts';
import { ensureAdministrator, type FirstAdministrator } from '../domains/users/first-administrator.ts';
import { ForgottenPasswords } from '../domains/users/forgot-password.ts';
import { LoginFailures } from '../domains/users/login-failures.ts';
import { userEndpoints } from '../domains/users/routes.ts';
import { Sessions } from '../domains/users/sessions.ts';
import { sweepExpired } from '../domains/users/sweep.ts';
import { AddressGuard } from '../domains/webhooks/address.ts';
import { deliveryBacklog } from '../domains/webhooks/backlog.ts';
import { DeliveryWorker } from '../domains/webhooks/delivery-worker.ts';
import { EndpointDirectory } from '../domains/webhooks/directory.ts';
import { webhookEndpoints } from '../domains/webhooks/routes.ts';
import { Passwords } from '../platform/crypto/passwords.ts';
import { Sealer } from '../platform/crypto/seal.ts';
import { Tokens } from '../platform/crypto/tokens.ts';
import { addReference } from '../platform/http/reference.ts';
import { addRoute, httpServer } from '../platform/http/server.ts';
import { mailerOf } from '../platform/mail/mailer.ts';
import { Database } from '../platform/postgres/database.ts';
import { Notifications } from '../platform/postgres/notifications.ts';
import { Lifecycle } from '../platform/process/lifecycle.ts';
import type { Log } from '../platform/process/log.ts';
import { type Clock, minuteMs, systemClock } from '../vocabulary/clock.ts';
import { uuidSource } from '../vocabulary/id.ts';
import { Metrics } from './metrics.ts';
import { openDatabase } from './open-database.ts';
import { addMetricsRoute, operationsRoutes } from './operations.ts';
import { addRateLimit } from './rate-limit.ts';
import { logReply } from './request-log.ts';
import { groups, routesOf } from './routes.ts';
import { secretsOf } from './secrets.ts';
import { type Settings, SettingsError } from './settings.ts';
import { version } from './version.ts';

/** The batch writer has this many creates waiting: deliveries make room for them. */
const busyQueue = 32;
const sweepEveryMs = 60 * minuteMs;
/** Connections for claiming deliveries, recording results and folding totals, so that requests never wait for them. */
const workerConnections = 4;

export interface Florin {
  /** Where it listens: http://127.0.0.1:8080. */
  address: string;
  administrator: FirstAdministrator;
  settings: Settings;
  /** Drains requests and deliveries, then stops PostgreSQL. Safe to call twice. */
  stop: () => Promise<void>;
}

/** Starts everything in order: database, keys, parts, routes, workers. What has been started is stopped if one fails. */
export async function startFlorin(settings: Settings, log: Log, clock: Clock = systemClock): Promise<Florin> {
  const lifecycle = new Lifecycle((part, error) => log.error({ error, part }, 'A part did not stop as it should'));
  try {
    return await start(settings, log, clock, lifecycle);
  } catch (error) {
    await lifecycle.stop();
    throw error;
  }
}

async function start(settings: Settings, log: Log, clock: Clock, lifecycle: Lifecycle): Promise<Florin> {
  const { jwtKeys, encryptionKeys } = await secretsOf(settings);
  const sealer = new Sealer(encryptionKeys);
  const seal = (plain: string, where: string) => sealer.seal(plain, where);
  const open = (sealed: Buffer, where: string) => sealer.open(sealed, where);
  const logError = (error: unknown, message: string) => log.error({ error }, message);

  const { connection, stop: stopDatabase } = await openDatabase(settings, log);
  lifecycle.add('postgres', stopDatabase);
  const pools: Record<string, Database> = {};
  const pool = (name: string, connections: number): Database => {
    const onIdleError = (error: Error) => log.warn({ error, pool: name }, 'A database connection was lost');
    pools[name] = new Database({ connection, connections, name, onIdleError });
    return pools[name];
  };
  lifecycle.add('database', async () => {
    await Promise.all(Object.values(pools).map((one) => one.close()));
  });
  const database = pool('main', settings['app.database.connections']);
  const working = pool('worker', workerConnections);

  const notifications = new Notifications(connection, (error) =>
    log.warn({ error }, 'Changes of other nodes cannot be heard; every look goes to the database until they can'),
  );
  lifecycle.add('notifications', () => notifications.stop());

  const passwords = new Passwords();
  const administrator = await ensureAdministrator({
    database,
    passwords,
    clock,
    account: settings['app.admin.account'],
    password: settings['app.admin.password'],
    passwordMinLength: settings['app.password.min-length'],
    dataDir: settings['app.data-dir'],
  });
  if (administrator.commonPassword) log.warn('app.admin.password is one of the commonest; change it');

  const metrics = new Metrics();
  const drawUuid = uuidSource(clock);
  const standalone = settings['app.deployment-mode'] === 'STANDALONE';
  const serves = settings['app.role'] !== 'worker';
  const works = settings['app.role'] !== 'api';

  const tokens = new Tokens({ keys: jwtKeys, issuer: 'florin', audience: 'florin', clock });
  const sessions = new Sessions({ database, notifications, tokens, clock });
  const keys = new DeveloperKeys({ database, notifications, clock, logError });
  const channels = new ChannelDirectory(database, notifications);
  const guard = new AddressGuard({ standalone, allowTargets: settings['app.webhook.allow-targets'] ?? [] });
  const endpoints = new EndpointDirectory({ database: working, notifications, open, guard });
  await notifications.start();

  const folder = new TotalsFolder(working, (error) =>
    log.warn({ error }, 'Totals could not be folded; they stay exact'),
  );
  const creator: TransactionCreator = new TransactionCreator({
    writer: pool('writer', 1),
    database,
    channels,
    drawUuid,
    onDeliveries: () => deliveries.wake(),
    onWritten: () => folder.wake(),
    observeBatch: metrics.onBatch,
  });
  const deliveries = new DeliveryWorker({
    database: working,
    directory: endpoints,
    guard,
    clock,
    timeoutMs: settings['app.webhook.timeout'],
    retryIntervalsMs: settings['app.webhook.retry-intervals'],
    maxInFlight: settings['app.webhook.max-in-flight'],
    busy: () => creator.queued >= busyQueue,
    observer: { onAttempt: metrics.onAttempt },
    onTrouble: (error) => log.warn({ error }, 'Deliveries wait: the database or a defect is in the way'),
    onRecovered: () => log.info('Deliveries go on'),
  });

  if (works) {
    folder.start();
    lifecycle.add('totals', () => folder.stop());
    deliveries.start();
    lifecycle.add('deliveries', () => deliveries.stop());
    lifecycle.add('sweeper', startSweeper(database, clock, logError));
  }

  let isStopping = false;
  const authenticate = authenticator({ keys, sessions });
  const app = httpServer({
    authenticate,
    trustProxy: settings['app.server.trust-proxy'],
    onReply: (reply) => {
      metrics.onReply(reply);
      logReply(reply, log);
    },
    onDefect: (error, requestId) => log.error({ error, requestId }, 'A request met a defect'),
  });
  const routes = operationsRoutes({ database, isStopping: () => isStopping });
  if (serves) {
    const userDeps = {
      database,
      notifications,
      passwords,
      tokens,
      mailer: mailerOf({
        url: settings['app.mail.url'],
        from: settings['app.mail.from'],
        dataDir: settings['app.data-dir'],
        log: (facts, message) => log.info(facts, message),
      }),
      failures: new LoginFailures({ clock }),
      clock,
      logError,
      settings: {
        accessTokenSeconds: settings['app.jwt.access-token-expire'] / 1000,
        refreshTokenSeconds: settings['app.jwt.refresh-token-expire'] / 1000,
        passwordMinLength: settings['app.password.min-length'],
        publicUrl: publicUrlOf(settings),
        deploymentMode: settings['app.deployment-mode'],
      },
    };
    const forgottenPasswords = new ForgottenPasswords(userDeps);
    lifecycle.add('mail', () => forgottenPasswords.settled());
    const reader = new TransactionReader(database, pool('reader', 1));
    const woken = { onDeliveries: () => deliveries.wake(), onWritten: () => folder.wake() };
    routes.push(
      ...routesOf({
        tenants: tenantEndpoints({ database, notifications, clock }),
        users: userEndpoints({ ...userDeps, forgottenPasswords }),
        keys: developerKeyEndpoints({ database, notifications, clock }),
        channels: channelEndpoints({ database, directory: channels, seal, clock }),
        transactions: transactionEndpoints({ database, creator, reader, drawUuid, clock, ...woken }),
        webhooks: webhookEndpoints({ database, directory: endpoints, guard, seal, clock }),
      }),
    );
  }
  await addReference(app, {
    title: 'Florin',
    version,
    description: 'Records payments, routes them through channels, and tells other systems what happened.',
    publicUrl: publicUrlOf(settings),
    groups,
  });
  addMetricsRoute(app, metrics);
  await addRateLimit(app, settings['app.rate-limit.requests-per-minute']);
  for (const route of routes) addRoute(app, route, { authenticate });
  metrics.watch({
    queuedCreates: () => creator.queued,
    deliveriesInFlight: () => deliveries.inFlight,
    deliveryBacklog: () => deliveryBacklog(working, clock),
    pools: () => Object.fromEntries(Object.entries(pools).map(([name, one]) => [name, one.load])),
  });

  await listen(app, settings);
  lifecycle.add('http', async () => {
    await app.close();
    await creator.drained();
  });
  const { port } = app.server.address() as AddressInfo;
  const host = settings['app.server.host'];
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  log.info({ address, role: settings['app.role'], mode: settings['app.deployment-mode'] }, 'Ready');
  return {
    address,
    administrator,
    settings,
    stop: () => {
      isStopping = true;
      return lifecycle.stop();
    },
  };
}

/** Removes expired sessions and reset tokens every hour. */
function startSweeper(database: Database, clock: Clock, onFailure: (error: unknown, message: string) => void) {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = sweepExpired(database, clock).catch((error) => onFailure(error, 'Expired sessions could not be removed'));
  }, sweepEveryMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

function publicUrlOf(settings: Settings): string {
  return settings['app.public-url'] ?? `http://${settings['app.server.host']}:${settings['app.server.port']}`;
}

async function listen(app: FastifyInstance, settings: Settings): Promise<void> {
  const { 'app.server.host': host, 'app.server.port': port } = settings;
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new SettingsError(`port ${port} on ${host} is taken; set PORT to a free one.`);
    if (code === 'EACCES')
      throw new SettingsError(`port ${port} on ${host} needs more rights; set PORT to one above 1023.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new SettingsError(`HOST ${host} is not an address of this machine.`);
    throw error;
  }
}
