/** A minimal webhook receiver: counts each complete post and answers 200. */
import net, { type AddressInfo } from 'node:net';
import { eachPost, okResponse } from './posts.ts';

/** Received posts, and the arrival times of the first and the last in ms since the epoch. */
export interface Received {
  posts: number;
  firstAtMs: number;
  lastAtMs: number;
}

let received: Received = { posts: 0, firstAtMs: 0, lastAtMs: 0 };

const server = net.createServer({ noDelay: true }, (socket) => {
  eachPost(socket, () => {
    const now = Date.now();
    if (received.posts++ === 0) received.firstAtMs = now;
    received.lastAtMs = now;
    socket.write(okResponse);
  });
});

process.on('message', (message: { reset: true } | object) => {
  if ('reset' in message) received = { posts: 0, firstAtMs: 0, lastAtMs: 0 };
  process.send?.(received);
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
