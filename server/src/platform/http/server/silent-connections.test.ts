import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeSilentConnections } from './silent-connections.ts';

let server: Server;
const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const silentMs = 200;
const moreThanBuffersHold = Buffer.alloc(64 * 1024 * 1024);

beforeAll(async () => {
  server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    response.end(incoming.url === '/large' ? moreThanBuffersHold : 'x');
  });
  closeSilentConnections(server, silentMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function open(): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}

/** Whether it is; otherwise the connection was closed. */
async function answered(socket: Socket): Promise<boolean> {
  const either = new AbortController();
  const event = (name: 'data' | 'close') => once(socket, name, either).then(() => name === 'data');
  socket.write(request);
  try {
    return !socket.destroyed && (await Promise.race([event('data'), event('close')]));
  } finally {
    either.abort();
  }
}

test('an idle connection is closed, and one that is used is not', async () => {
  const idle = open();
  let [used, usedAtMs] = [open(), performance.now()];
  const use = async () => {
    while (!(await answered(used))) {
      // A full machine can stop this test for so long.
      expect(performance.now() - usedAtMs).toBeGreaterThan(0.9 * silentMs);
      [used, usedAtMs] = [open(), performance.now()];
    }
    usedAtMs = performance.now();
  };
  await answered(idle);
  idle.resume();
  let isClosed = false;
  const closed = once(idle, 'close').then(() => {
    isClosed = true;
  });
  while (!isClosed) await use();
  await closed;
  await use();
  used.destroy();
});

test('the connection of a client that does not read its answer is closed', async () => {
  const [[serverSide]] = (await Promise.all([
    once(server, 'connection'),
    new Promise<void>((resolve) => {
      const client = open();
      client.pause();
      client.write(request.replace('/', '/large'), () => resolve());
    }),
  ])) as unknown as [[Socket], undefined];
  await once(serverSide, 'close');
  expect(serverSide.destroyed).toBe(true);
});
