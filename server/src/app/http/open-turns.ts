import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { AddressTurns } from '../../platform/http/limits/address-turns.ts';
import { networkOf } from '../../platform/http/limits/network-of.ts';

/**
 * Lets addresses take turns for all routes that are added afterwards and need no credentials, except the health checks:
 * pages, documentation, metrics, logins, callbacks. Two are started in a turn of the event loop, of which a search of
 * the documentation takes up to 4 ms.
 */
export function addOpenTurns(app: FastifyInstance): void {
  const turns = new AddressTurns({ perNetwork: 16, inAll: 64, perTurn: 2 });
  const enter: onRequestHookHandler = (request, _reply, done) => {
    turns.enter(networkOf(request.address), (leave) => {
      request.leaveTurn = leave;
      done();
    });
  };
  // Not a hook of all routes: finding out which one it is would cost each create a description of its route.
  app.addHook('onRoute', (route) => {
    const hooks = [route.onRequest ?? []].flat();
    // The HEAD route of a GET route has its hooks already.
    if (route.config?.authenticates || route.url.startsWith('/health/') || hooks.includes(enter)) return;
    route.onRequest = [enter, ...hooks];
  });
}

/** For callers whose credentials are not known in memory: those that are made up cost a query each. */
export const unknownCallerTurns = () => new AddressTurns({ perNetwork: 32, inAll: 128, perTurn: 16 });
