/** The least a webhook receiver can be: it finds the end of each post, counts it, and answers 200. */
import net, { type AddressInfo } from 'node:net';

/** Posts received, and when the first and the latest arrived, in ms since the epoch. */
export interface Received {
  posts: number;
  firstAtMs: number;
  lastAtMs: number;
}

const answer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
let received: Received = { posts: 0, firstAtMs: 0, lastAtMs: 0 };

const server = net.createServer({ noDelay: true }, (socket) => {
  let head = '';
  let missing = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    if (missing > 0) missing -= chunk.length;
    else {
      head += chunk.toString('latin1');
      const headBytes = head.indexOf('\r\n\r\n') + 4;
      if (headBytes < 4) return;
      missing = headBytes + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0) - head.length;
      head = '';
    }
    if (missing > 0) return;
    const now = Date.now();
    if (received.posts++ === 0) received.firstAtMs = now;
    received.lastAtMs = now;
    socket.write(answer);
  });
});

process.on('message', (question: 'tell' | { reset: true } | object) => {
  if ('reset' in (question as object)) received = { posts: 0, firstAtMs: 0, lastAtMs: 0 };
  process.send?.(received);
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
