import { Server } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** Its place among the unanswered (`Drain`); -1: it has none. */
    drainIndex: number;
  }
}

/** A pause this long without a request ends the drain. */
const quietMs = 50;
/**
 * An answer from before the stop did not say that the connection closes, so that the next request may be on its way. It
 * arrives within this time from everywhere: round trips to the other side of the Earth take up to 250 ms.
 */
const nextRequestMs = 300;
/**
 * How often to wait for that pause: 3 seconds. Requests that take longer are still answered. Counted in waits, because
 * a process that was suspended or starved for seconds must still look once more whether a request is in progress.
 */
const longestWaits = 60;
/** Connections that can wait to be accepted: Node's default `backlog`. */
const longestQueue = 511;

/**
 * Closes the listening socket. Called before a server closes: an answer with `Connection: close` makes its client
 * connect again at once, and a connection that this socket has not accepted when it closes is reset.
 */
export async function stopAccepting(server: Server): Promise<void> {
  if (!server.listening) return;
  await acceptWaiting(server);
  // Only the listening socket: `close` of the HTTP server would also close connections that seem idle.
  Server.prototype.close.call(server);
}

/**
 * Accepts the connections that wait at the socket: Node accepts one in each turn of its event loop. New ones may arrive
 * meanwhile without end, so there are no more turns than connections that can wait.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => accepted++;
  server.on('connection', count);
  await nextTurn(); // The rest of this turn may not look at the socket.
  let before = -1;
  for (let turns = 0; turns < longestQueue && accepted > before; turns++) {
    before = accepted;
    await nextTurn();
  }
  server.off('connection', count);
}

/**
 * Lets a stopping server answer requests that are on their way. Closing a kept-alive connection that seems idle resets
 * a request that was sent and not yet read, which happened in one of a few stops under load. So the server first
 * accepts no new connections, sends every answer with `Connection: close`, and closes the other connections after a
 * pause in which no request arrived and none was in progress, and not before clients that were answered last could send
 * their next request.
 */
export class Drain {
  /**
   * An array whose places are used again. A Set makes a new table for every few requests, and each table refers to the
   * next: once one of them has reached the old generation, everything that requests allocated survived until the next
   * full collection, 3 KB for each (bench/README.md).
   */
  readonly #unanswered: FastifyReply[] = [];
  #changes = 0;
  #lastEndedAtMs = Number.NEGATIVE_INFINITY;

  constructor(app: FastifyInstance) {
    app.decorateReply('drainIndex', -1);
    app.addHook('preClose', () => this.#untilQuiet(app.server));
  }

  /** A request arrived. Fastify itself adds the header to the answers of those that arrive after the stop has begun. */
  began(reply: FastifyReply): void {
    reply.drainIndex = this.#unanswered.push(reply) - 1;
    this.#changes++;
  }

  /** Its answer was sent, or its client has left. `atMs` is of `performance.now()`. */
  ended(reply: FastifyReply, atMs: number): void {
    const index = reply.drainIndex;
    if (index < 0) return;
    reply.drainIndex = -1;
    const last = this.#unanswered.pop() as FastifyReply;
    if (last !== reply) {
      this.#unanswered[index] = last;
      last.drainIndex = index;
    }
    this.#changes++;
    this.#lastEndedAtMs = atMs;
  }

  async #untilQuiet(server: Server): Promise<void> {
    for (const reply of this.#unanswered) reply.header('connection', 'close');
    const nextRequestUntilMs = this.#lastEndedAtMs + nextRequestMs;
    await stopAccepting(server);
    const countConnections = promisify(server.getConnections.bind(server));
    let before = -1;
    const isQuiet = () =>
      this.#unanswered.length === 0 && this.#changes === before && performance.now() >= nextRequestUntilMs;
    for (let waits = 0; waits < longestWaits && !isQuiet() && (await countConnections()) > 0; waits++) {
      before = this.#changes;
      await sleep(quietMs);
    }
  }
}
