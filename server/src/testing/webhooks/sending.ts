import { createServer, type Socket } from 'node:net';
import { Sender } from '../../domains/webhooks/deliveries/sending/sender.ts';
import { AddressGuard } from '../../domains/webhooks/endpoints/address-guard.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';

/** Allows the receivers of tests, and keeps their answers. */
export const loopbackGuard = new AddressGuard({ allowsPrivate: true, allowTargets: ['127.0.0.0/8'] });

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

    startSender(timeoutMs = 5_000, maxWaitMs?: number): Sender {
      const sender = new Sender({ timeoutMs, ...(maxWaitMs !== undefined && { maxWaitMs }) });
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
