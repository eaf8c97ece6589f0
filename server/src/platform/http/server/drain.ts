import { Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** Connections without a request for this long are idle: closing them interrupts nothing. */
const quietMs = 50;
/**
 * How often to wait for that pause: 3 seconds. Requests that take longer are still answered. Counted in waits, because a
 * process that was suspended or starved for seconds must still look once more whether a request is in progress.
 */
const longestWaits = 60;

/**
 * Closes the listening socket. Called before a server closes: an answer with `Connection: close` makes its client connect
 * again at once, and a connection that this socket has not accepted when it closes is reset.
 */
export async function stopAccepting(server: Server): Promise<void> {
  if (!server.listening) return;
  await nextTurn(); // Connections made until now are accepted first.
  // Only the listening socket: `close` of the HTTP server would also close connections that seem idle.
  Server.prototype.close.call(server);
}

/**
 * Lets a stopping server answer requests that are on their way. Closing a kept-alive connection that seems idle resets a
 * request that was sent and not yet read, which happened in one of a few stops under load. So the server first accepts no
 * new connections, sends every answer with `Connection: close`, and closes the other connections after a pause in which no
 * request arrived and none was in progress.
 */
export function drainBeforeClose(app: FastifyInstance): void {
  let inProgress = 0;
  let changes = 0;
  let isStopping = false;
  app.addHook('onRequest', (_request, _reply, done) => {
    inProgress++;
    changes++;
    done();
  });
  app.addHook('onResponse', (_request, _reply, done) => {
    inProgress--;
    changes++;
    done();
  });
  // Fastify adds the header only to answers of requests that arrive from now on.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  app.addHook('preClose', async () => {
    isStopping = true;
    await stopAccepting(app.server);
    let before = -1;
    for (let waits = 0; waits < longestWaits && (inProgress > 0 || before !== changes); waits++) {
      before = changes;
      await sleep(quietMs);
    }
  });
}
