import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

declare module 'node:http' {
  interface IncomingMessage {
    /** A file: it may take as long as it takes, while it arrives. */
    isStreamed?: true;
  }
}

export interface SlowBodyOptions {
  /** For a whole body; for a streamed one, the longest time in which nothing of it arrives. */
  timeoutMs: number;
  checkEveryMs: number;
}

/** The last request of a connection. */
interface Reading {
  request: IncomingMessage | undefined;
  /** The checks in a row that found its body not whole, or nothing more of it. */
  checks: number;
  /** Received until the last check. */
  bytes: number;
}

/**
 * Cuts off clients that send the body of a request too slowly, as the `requestTimeout` of Node.js does, which is the
 * same for a small body and for a file of gigabytes.
 *
 * It counts checks, not time: a process that was suspended must not cut off what it had no chance to read.
 */
export function cutOffSlowBodies(server: Server, { timeoutMs, checkEveryMs }: SlowBodyOptions): void {
  const readings = new Map<Socket, Reading>();
  const checksAllowed = Math.ceil(timeoutMs / checkEveryMs);
  server.on('request', (request) => {
    const { socket } = request;
    const reading = readings.get(socket);
    if (reading !== undefined) {
      reading.request = request;
      reading.checks = 0;
      return;
    }
    readings.set(socket, { request, checks: 0, bytes: 0 });
    socket.once('close', () => readings.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, reading] of readings) {
      const { request } = reading;
      if (request === undefined) continue;
      if (request.complete) reading.request = undefined;
      else if (request.isStreamed && isArriving(request, reading)) reading.checks = 0;
      else if (++reading.checks > checksAllowed) server.emit('clientError', tooSlow(), socket);
      reading.bytes = socket.bytesRead;
    }
  }, checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));
}

/** What has arrived may wait to be stored. */
const isArriving = ({ socket, readableLength }: IncomingMessage, { bytes }: Reading) =>
  readableLength > 0 || socket.bytesRead !== bytes;

const tooSlow = () => Object.assign(new Error('The body arrives too slowly.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
