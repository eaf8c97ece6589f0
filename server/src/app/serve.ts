import type { AddressInfo } from 'node:net';
import { callbackEndpoints } from '../domains/callbacks/routes.ts';
import { channelEndpoints } from '../domains/channels/routes.ts';
import { clockEndpoints } from '../domains/clocks/routes.ts';
import { customerEndpoints } from '../domains/customers/routes.ts';
import { deliveryBacklog } from '../domains/deliveries/backlog.ts';
import { deliveryEndpoints } from '../domains/deliveries/routes.ts';
import { developerKeyEndpoints } from '../domains/developer-keys/routes.ts';
import { eventEndpoints } from '../domains/events/routes.ts';
import { inboxEndpoints } from '../domains/inbox/routes.ts';
import { invoiceEndpoints } from '../domains/invoices/routes.ts';
import { ledgerEndpoints } from '../domains/ledger/routes.ts';
import { planEndpoints } from '../domains/plans/routes.ts';
import { askToCancel } from '../domains/processing/cancel.ts';
import { askToRefund } from '../domains/processing/refund.ts';
import { processingEndpoints } from '../domains/processing/routes.ts';
import { refundEndpoints } from '../domains/refunds/routes.ts';
import { statisticsEndpoints } from '../domains/statistics/routes.ts';
import { followClosed } from '../domains/subscriptions/collect.ts';
import { isPlanInUse } from '../domains/subscriptions/plan-use.ts';
import { subscriptionEndpoints } from '../domains/subscriptions/routes.ts';
import { tenantEndpoints } from '../domains/tenants/routes.ts';
import { transactionEndpoints } from '../domains/transactions/routes.ts';
import { ForgottenPasswords } from '../domains/users/forgot-password.ts';
import { LoginFailures } from '../domains/users/login-failures.ts';
import { userEndpoints } from '../domains/users/routes.ts';
import { webhookEndpoints } from '../domains/webhooks/routes.ts';
import { addReference } from '../platform/http/reference.ts';
import type { Route } from '../platform/http/route.ts';
import { addRoute, httpServer } from '../platform/http/server.ts';
import type { WaitingServer } from '../platform/http/waiting-server.ts';
import { listenAt } from './listen.ts';
import { addMetricsRoute, operationsRoutes } from './operations.ts';
import type { Parts } from './parts.ts';
import { hostOf, publicUrlOf } from './public-url.ts';
import { addRateLimit } from './rate-limit.ts';
import { logReply } from './request-log.ts';
import { addResetPage } from './reset-page.ts';
import { groups, routesOf } from './routes.ts';
import { addSandboxPage } from './sandbox-page.ts';
import { version } from './version.ts';

/**
 * Serves a node's routes; gives back the address it listens on. A node with the role worker serves only operations. The
 * port of a start that had to wait is taken over from `waiting`.
 */
export async function serve(parts: Parts, isStopping: () => boolean, waiting?: WaitingServer): Promise<string> {
  const { settings, log, lifecycle, metrics, authenticate, primary, clock, creator, connectors } = parts;
  const app = httpServer({
    authenticate,
    trustProxy: settings['app.server.trust-proxy'],
    onReply: (reply) => {
      metrics.onReply(reply);
      logReply(reply, log);
    },
    onDefect: (error, requestId) => log.error({ error, requestId }, 'A request met a defect'),
    serverFactory: waiting && ((handler) => waiting.handOver(handler)),
  });
  const offered = settings['app.role'] === 'worker' ? [] : offeredRoutes(parts);
  await addReference(app, {
    title: 'Florin',
    version,
    description: 'Records payments, routes them through channels, and tells other systems what happened.',
    publicUrl: publicUrlOf(settings),
    groups,
  });
  addMetricsRoute(app, metrics);
  if (offered.length > 0) {
    addResetPage(app);
    addSandboxPage(app, { sandbox: () => connectors.of('sandbox'), publicUrl: publicUrlOf(settings) });
  }
  await addRateLimit(app, settings['app.rate-limit.requests-per-minute']);
  for (const route of [...operationsRoutes({ primary, clock, isStopping }), ...offered])
    addRoute(app, route, { authenticate });
  watchLevels(parts);

  await listenAt(settings, (host, port) => app.listen({ host, port }));
  lifecycle.add('http', async () => {
    await app.close();
    await creator.drained();
  });
  const { port } = app.server.address() as AddressInfo;
  return `http://${hostOf(settings)}:${port}`;
}

function offeredRoutes(parts: Parts): Route[] {
  const { settings, clock, database, notifications, seal, open, lifecycle, intake } = parts;
  const { channels, creator, reader, drawUuid, deliveries, replays, folder, endpoints, guard, dispatcher } = parts;
  const { clockMover, subscriptions, writePayments } = parts;
  const userDeps = {
    ...parts,
    failures: new LoginFailures({ clock }),
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
  const woken = {
    onDeliveries: () => deliveries.wake(),
    onWritten: () => folder.wake(),
    onOperations: () => dispatcher.wake(),
  };
  const subscriptionDeps = {
    database,
    channels,
    clock,
    drawUuid,
    retryIntervalsMs: settings['app.subscription.retry-intervals'],
    onDue: () => subscriptions.wake(),
    onDeliveries: woken.onDeliveries,
  };
  const webhookDeps = {
    database,
    directory: endpoints,
    guard,
    seal,
    clock,
    drawUuid,
    onDeliveries: woken.onDeliveries,
  };
  const clocksOffered = settings['app.deployment-mode'] === 'STANDALONE';
  return routesOf({
    tenants: tenantEndpoints({ database, notifications, clock }),
    users: userEndpoints({ ...userDeps, forgottenPasswords }),
    keys: developerKeyEndpoints({ database, notifications, clock }),
    channels: channelEndpoints({
      database,
      directory: channels,
      seal,
      clock,
      sandboxEnabled: settings['app.sandbox.enabled'] === 'true',
    }),
    transactions: transactionEndpoints({ database, creator, reader, channels, drawUuid, clock, askToCancel, ...woken }),
    processing: processingEndpoints({ database, reader, channels }),
    refunds: refundEndpoints({ database, reader, drawUuid, clock, askToRefund, ...woken }),
    customers: customerEndpoints({ database, channels, clock, clocksOffered }),
    invoices: invoiceEndpoints({
      database,
      channels,
      clock,
      drawUuid,
      writePayments,
      onClosed: (transaction, closed) => followClosed(transaction, closed, subscriptionDeps),
      onPayments: creator.written,
      onDeliveries: woken.onDeliveries,
    }),
    plans: planEndpoints({ database, channels, clock, isPlanInUse }),
    subscriptions: subscriptionEndpoints(subscriptionDeps),
    clocks: clockEndpoints({ database, clock, offered: clocksOffered, onAdvance: () => clockMover.wake() }),
    ledger: ledgerEndpoints({ database }),
    statistics: statisticsEndpoints({ database, channels, clock }),
    events: eventEndpoints({ lists: parts.lists }),
    webhooks: webhookEndpoints(webhookDeps),
    deliveries: deliveryEndpoints({
      ...webhookDeps,
      lists: parts.lists,
      onReplay: () => replays.wake(),
      keepDeliveriesMs: settings['app.webhook.keep-deliveries'],
    }),
    inboxes: inboxEndpoints({ database, clock, drawUuid, seal, open, publicUrl: publicUrlOf(settings) }),
    callbacks: callbackEndpoints({ intake }),
  });
}

function watchLevels({ metrics, creator, deliveries, working, clock, pools }: Parts): void {
  metrics.watch({
    queuedCreates: () => creator.queued,
    deliveriesInFlight: () => deliveries.inFlight,
    deliveryBacklog: () => deliveryBacklog(working, clock),
    pools: () => Object.fromEntries([...pools].map(([name, pool]) => [name, pool.load])),
  });
}
