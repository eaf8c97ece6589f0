import type { AddressInfo } from 'node:net';
import { CheckoutPages } from '../../domains/billing/checkouts/pages/checkout-pages.ts';
import { PortalPages } from '../../domains/billing/checkouts/portal/portal-pages.ts';
import { addRoute } from '../../platform/http/server/add-route.ts';
import { stopAccepting } from '../../platform/http/server/drain.ts';
import { httpServer } from '../../platform/http/server/server.ts';
import type { WaitingServer } from '../../platform/http/server/waiting-server.ts';
import type { Context } from '../assemble.ts';
import { connectionLimitOf } from '../config/connection-limit.ts';
import { basePathOf, hostOf, publicUrlOf } from '../config/public-url.ts';
import { addDocs } from '../docs/serve.ts';
import { allRoutes } from '../routes.ts';
import { addConsole } from './console/serve-console.ts';
import { addFavicon } from './favicon.ts';
import { listenAt } from './listen.ts';
import { metricsReader } from './metrics-access.ts';
import { addMetricsRoute, operationsRoutes } from './operations.ts';
import { addDevicePage } from './pages/device-page.ts';
import { addPayerPages } from './pages/payer-pages.ts';
import { addResetPage } from './pages/reset-page.ts';
import { addReturnPage } from './pages/return-page.ts';
import { addSandboxPage } from './pages/sandbox-page.ts';
import { unknownPage } from './pages/unknown-page.ts';
import { rateLimitsOf } from './rate-limit.ts';
import { recordRefused } from './record-refused.ts';
import { mayReadReplica, replicaServing } from './replica-serving.ts';
import { requestLog } from './request-log.ts';
import { requestMetrics } from './request-metrics.ts';
import { requireFreePath } from './require-free-path.ts';
import { addSdkPackage } from './sdk-package.ts';
import { addSecurityTxt } from './security-txt.ts';

/**
 * Of a payment on a payer's page, of a merchant with one endpoint, for admission: three events and their deliveries.
 */
const costOfPayment = 6;

/** Listens, and returns the address. */
export type Listen = () => Promise<string>;

/**
 * Adds the routes of a node. One with the role `worker` serves only the operations routes. If the start had to wait,
 * the port is taken over from the server that answered meanwhile.
 */
export async function prepareServer(context: Context, waiting?: WaitingServer): Promise<Listen> {
  const { settings, log, lifecycle, metrics, authenticate, primary, clock, group } = context;
  const { payments, providers, refusedRequests, requestRecorder, eventStreams } = context;
  const { makeFailureLimiter, admission, fanOut, payerReturns } = context;
  const [publicUrl, basePath] = [publicUrlOf(settings), basePathOf(settings)];
  const observeReply = requestMetrics(metrics);
  const logReply = requestLog(log);
  const app = httpServer({
    authenticate,
    admit: (tenantId, events) => admission.admit(tenantId, fanOut.costOf(tenantId, events)),
    rateLimits: rateLimitsOf(settings, context),
    trustProxy: settings['app.server.trust-proxy'],
    connectionsPerAddress: settings['app.server.connections-per-address'],
    connections: connectionLimitOf(settings),
    publicUrl,
    basePath,
    unknownPage: (request) => unknownPage(request, settings['app.public-url'] ?? ''),
    corsOrigins: settings['app.cors.origins'],
    onReply: (reply) => {
      observeReply(reply);
      logReply(reply);
      requestRecorder.record(reply);
    },
    onRefusal: (refusal, call) => recordRefused(refusal, call, refusedRequests),
    onDefect: (error, requestId) => log.error({ error, requestId }, 'A request failed because of a defect'),
    serverFactory: waiting && ((handler) => waiting.handOver(handler)),
  });
  requireFreePath(app, basePath);
  const routes = settings['app.role'] === 'worker' ? [] : allRoutes;
  const served = [...operationsRoutes, ...routes];
  addDocs(app, basePath, async () => {
    const { openApiOf } = await import('../openapi/document.ts');
    return () => openApiOf(served, publicUrl);
  });
  addMetricsRoute(app, {
    contentType: metrics.contentType,
    makeText: () => group?.metricsOfAll() ?? metrics.text(),
    assertMayRead: metricsReader(settings['app.metrics.token']),
  });
  addFavicon(app);
  addSecurityTxt(app, { contact: settings['app.security.contact'], publicUrl, clock });
  if (routes.length > 0) {
    addConsole(app, basePath);
    addSdkPackage(app);
    addResetPage(app);
    addDevicePage(app);
    addPayerPages(app, {
      checkoutPages: new CheckoutPages(context),
      portalPages: new PortalPages(context),
      failures: makeFailureLimiter('unknown pages of payers'),
      admit: () => admission.admit('payers', costOfPayment),
    });
    addReturnPage(app, { payerReturns, failures: makeFailureLimiter('unknown links of returning payers') });
    addSandboxPage(app, { sandbox: () => providers.of('sandbox') });
  }
  const isStopping = () => lifecycle.stopping.aborted;
  for (const route of operationsRoutes) addRoute(app, route, { primary, clock, isStopping });
  const serveRead = replicaServing(context);
  for (const route of routes) addRoute(app, route, context, mayReadReplica(route) ? serveRead : undefined);

  await app.ready();
  lifecycle.add('http', async () => {
    await stopAccepting(app.server);
    await app.close();
    await payments.drained();
  });
  // Closed before the server, which waits for unfinished answers.
  lifecycle.add('event streams', async () => eventStreams.close());
  return async () => {
    await listenAt(settings, group !== undefined, (address) => app.listen(address));
    const { port } = app.server.address() as AddressInfo;
    return `http://${hostOf(settings)}:${port}`;
  };
}
