import { createServer, type Socket } from 'node:net';
import type { Answer } from '../../../src/domains/webhooks/deliveries/connections/answer.ts';
import { Connections, type TargetGuard } from '../../../src/domains/webhooks/deliveries/connections/connections.ts';
import type { SignedRequest } from '../../../src/domains/webhooks/deliveries/connections/request.ts';
import { AddressGuard } from '../../../src/domains/webhooks/endpoints/address-guard.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';

/** Allows the receivers of tests, and keeps their answers. */
export const loopbackGuard = new AddressGuard({ allowsPrivate: true, allowTargets: ['127.0.0.0/8'] });

export interface TestPost {
  origin: string;
  guard: TargetGuard;
  /** undefined: it became too late to send while it waited for a connection. */
  write: () => SignedRequest | undefined;
}

/** Posts over connections as `deliver` does, without deliveries. */
export class TestSender {
  readonly #connections: Connections;
  readonly #timeoutMs: number;

  constructor(timeoutMs: number, maxWaitMs?: number) {
    this.#timeoutMs = timeoutMs;
    this.#connections = new Connections({ timeoutMs, ...(maxWaitMs !== undefined && { maxWaitMs }) });
  }

  async send({ origin, guard, write }: TestPost): Promise<Answer | undefined> {
    const connection = await this.#connections.take(origin, guard);
    const request = write();
    if (request !== undefined) return this.#connections.post(connection, () => request, this.#timeoutMs);
    this.#connections.release(connection, connection.served > 0);
    return undefined;
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

/** Senders and receivers. Call `clean` after each test. */
export function testSending() {
  const cleanups: (() => Promise<unknown>)[] = [];
  return {
    async clean(): Promise<void> {
      for (const clean of cleanups.splice(0).toReversed()) await clean();
    },

    async startReceiver(answering: Answering): Promise<Receiver> {
      const receiver = await startReceiver(answering);
      cleanups.push(receiver.close);
      return receiver;
    },

    startSender(timeoutMs = 5_000, maxWaitMs?: number): TestSender {
      const sender = new TestSender(timeoutMs, maxWaitMs);
      cleanups.push(() => sender.close());
      return sender;
    },

    /** A TCP server without HTTP: the test handles its connections. Returns its origin. */
    async rawServer(onConnection: (socket: Socket) => void): Promise<string> {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        onConnection(socket);
      });
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      cleanups.push(async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((closed) => server.close(closed));
      });
      return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    },

    onClean: (clean: () => Promise<unknown>) => cleanups.push(clean),
  };
}
