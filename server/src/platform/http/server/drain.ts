import { Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** Its place among the unanswered (`Drain`); -1: it has none. */
    drainIndex: number;
  }
}

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
export class Drain {
  /**
   * An array whose places are used again. A Set makes a new table for every few requests, and each table refers to the next:
   * once one of them has reached the old generation, everything that requests allocated survived until the next full
   * collection, 3 KB for each (bench/README.md).
   */
  readonly #unanswered: FastifyReply[] = [];
  #changes = 0;

  constructor(app: FastifyInstance) {
    app.decorateReply('drainIndex', -1);
    app.addHook('preClose', () => this.#untilQuiet(app.server));
  }

  /** A request arrived. Fastify itself adds the header to the answers of those that arrive after the stop has begun. */
  began(reply: FastifyReply): void {
    reply.drainIndex = this.#unanswered.push(reply) - 1;
    this.#changes++;
  }

  /** Its answer was sent, or its client has left. */
  ended(reply: FastifyReply): void {
    const index = reply.drainIndex;
    if (index < 0) return;
    reply.drainIndex = -1;
    const last = this.#unanswered.pop() as FastifyReply;
    if (last !== reply) {
      this.#unanswered[index] = last;
      last.drainIndex = index;
    }
    this.#changes++;
  }

  async #untilQuiet(server: Server): Promise<void> {
    for (const reply of this.#unanswered) reply.header('connection', 'close');
    await stopAccepting(server);
    let before = -1;
    for (let waits = 0; waits < longestWaits && (this.#unanswered.length > 0 || before !== this.#changes); waits++) {
      before = this.#changes;
      await sleep(quietMs);
    }
  }
}
