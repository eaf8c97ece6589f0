/** The least a webhook receiver can be: it finds the end of each post, counts it, and answers 200. */
import net, { type AddressInfo } from 'node:net';
import { eachPost, okAnswer } from './posts.ts';

/** Posts received, and when the first and the latest arrived, in ms since the epoch. */
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
    socket.write(okAnswer);
  });
});

process.on('message', (question: 'tell' | { reset: true } | object) => {
  if ('reset' in (question as object)) received = { posts: 0, firstAtMs: 0, lastAtMs: 0 };
  process.send?.(received);
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
