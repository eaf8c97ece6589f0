import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { channelEndpoints } from '../domains/channels/routes.ts';
import { developerKeyEndpoints } from '../domains/developer-keys/routes.ts';
import { tenantEndpoints } from '../domains/tenants/routes.ts';
import { transactionEndpoints } from '../domains/transactions/routes.ts';
import { ForgottenPasswords } from '../domains/users/forgot-password.ts';
import { LoginFailures } from '../domains/users/login-failures.ts';
import { userEndpoints } from '../domains/users/routes.ts';
import { deliveryBacklog } from '../domains/webhooks/backlog.ts';
import { webhookEndpoints } from '../domains/webhooks/routes.ts';
import { addReference } from '../platform/http/reference.ts';
import type { Route } from '../platform/http/route.ts';
import { addRoute, httpServer } from '../platform/http/server.ts';
import { mailerOf } from '../platform/mail/mailer.ts';
import { addMetricsRoute, operationsRoutes } from './operations.ts';
import type { Parts } from './parts.ts';
import { addRateLimit } from './rate-limit.ts';
import { logReply } from './request-log.ts';
import { addResetPage } from './reset-page.ts';
import { groups, routesOf } from './routes.ts';
import { type Settings, SettingsError } from './settings.ts';
import { version } from './version.ts';

/** Serves a node's routes; gives back the address it listens on. A node with the role worker serves only operations. */
export async function serve(parts: Parts, isStopping: () => boolean): Promise<string> {
  const { settings, log, lifecycle, metrics, authenticate, database, creator } = parts;
  const app = httpServer({
    authenticate,
    trustProxy: settings['app.server.trust-proxy'],
    onReply: (reply) => {
      metrics.onReply(reply);
      logReply(reply, log);
    },
    onDefect: (error, requestId) => log.error({ error, requestId }, 'A request met a defect'),
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
  if (offered.length > 0) addResetPage(app);
  await addRateLimit(app, settings['app.rate-limit.requests-per-minute']);
  for (const route of [...operationsRoutes({ database, isStopping }), ...offered])
    addRoute(app, route, { authenticate });
  watchLevels(parts);

  await listen(app, settings);
  lifecycle.add('http', async () => {
    await app.close();
    await creator.drained();
  });
  const { port } = app.server.address() as AddressInfo;
  return `http://${hostOf(settings)}:${port}`;
}

function offeredRoutes(parts: Parts): Route[] {
  const { settings, clock, database, notifications, seal, lifecycle } = parts;
  const { channels, creator, reader, drawUuid, deliveries, folder, endpoints, guard } = parts;
  const userDeps = {
    ...parts,
    mailer: mailerOf({
      url: settings['app.mail.url'],
      from: settings['app.mail.from'],
      dataDir: settings['app.data-dir'],
      log: (facts, message) => parts.log.info(facts, message),
      clock,
    }),
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
  const woken = { onDeliveries: () => deliveries.wake(), onWritten: () => folder.wake() };
  return routesOf({
    tenants: tenantEndpoints({ database, notifications, clock }),
    users: userEndpoints({ ...userDeps, forgottenPasswords }),
    keys: developerKeyEndpoints({ database, notifications, clock }),
    channels: channelEndpoints({ database, directory: channels, seal, clock }),
    transactions: transactionEndpoints({ database, creator, reader, channels, drawUuid, clock, ...woken }),
    webhooks: webhookEndpoints({ database, directory: endpoints, guard, seal, clock }),
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

function publicUrlOf(settings: Settings): string {
  return settings['app.public-url'] ?? `http://${hostOf(settings)}:${settings['app.server.port']}`;
}

/** A host one can go to: listening everywhere includes this machine. */
function hostOf({ 'app.server.host': host }: Settings): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

async function listen(app: FastifyInstance, settings: Settings): Promise<void> {
  const { 'app.server.host': host, 'app.server.port': port } = settings;
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenRefusal((error as NodeJS.ErrnoException).code, host, port) ?? error;
  }
}

function listenRefusal(code: string | undefined, host: string, port: number): SettingsError | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return new SettingsError(`port ${port} on ${host} is taken; set PORT to a free one.`);
    case 'EACCES':
      return new SettingsError(`port ${port} on ${host} needs more rights; set PORT to one above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new SettingsError(`HOST ${host} is not an address of this machine.`);
    default:
      return undefined;
  }
}
