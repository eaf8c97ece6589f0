import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Longer than the idle timeout of common load balancers, which would otherwise reuse a connection that is closing. */
const defaultSilentMs = 72_000;
const checkEveryMs = 4_000;

interface Activity {
  /** Bytes received and written until the last check. */
  bytes: number;
  /** Checks in a row that found no more. */
  silentChecks: number;
}

/**
 * Closes connections on which nothing is received or written for 72 seconds, and later those of clients that do not
 * read their answer. All connections are checked together every few seconds, because the timeouts of Node.js start and
 * stop two timers for each request: 5 of the 96 µs that a small answer took.
 *
 * It counts checks, not time: a process that was suspended must not close connections that it had no chance to read.
 */
export function closeSilentConnections(server: Server, silentMs = defaultSilentMs): void {
  const open = new Map<Socket, Activity>();
  const everyMs = Math.min(checkEveryMs, silentMs);
  const silentChecksAllowed = Math.ceil(silentMs / everyMs);
  server.on('connection', (socket: Socket) => {
    open.set(socket, { bytes: 0, silentChecks: 0 });
    socket.once('close', () => open.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, activity] of open) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes !== activity.bytes) {
        activity.bytes = bytes;
        activity.silentChecks = 0;
      } else if (++activity.silentChecks === silentChecksAllowed) {
        // What waits to be sent counts as written. The timeout of Node.js sees whether the client still reads it.
        if (socket.writableLength === 0) socket.destroy();
        else socket.setTimeout(silentMs, () => socket.destroy());
      }
    }
  }, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}
