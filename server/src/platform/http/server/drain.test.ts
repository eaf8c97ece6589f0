import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyReply } from 'fastify';
import { Agent, fetch } from 'undici';
import { expect, test } from 'vitest';
import { blockThread } from '../../../../tests/support/faults/block-thread.ts';
import { survivingBytes } from '../../../../tests/support/old-generation.ts';
import { Drain } from './drain.ts';
import { httpServer } from './server.ts';

test.each([
  ['', 0],
  [', also when its process stood still meanwhile', 3_100],
])(
  'a stopping server answers a slow request before it closes connections, and ends the connection with the answer%s',
  async (_also, standstillMs) => {
    const order: string[] = [];
    const app = httpServer({ authenticate: () => Promise.reject(), onReply: () => {}, onDefect: () => {} });
    // Runs after the drain, when connections that seem idle are closed.
    app.addHook('preClose', async () => {
      order.push('closing');
    });
    let isReceived = () => {};
    const received = new Promise<void>((resolve) => {
      isReceived = resolve;
    });
    app.get('/slow', async () => {
      isReceived();
      await sleep(300); // A slow answer, far longer than the pause after which connections count as idle.
      order.push('answered');
      return {};
    });
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const client = new Agent({ connections: 1 });

    const slow = fetch(`${address}/slow`, { dispatcher: client });
    await received;
    const closed = app.close();
    while (app.server.listening) await nextTurn();
    await nextTurn();
    blockThread(standstillMs);
    const reply = await slow;
    expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
    await closed;
    await client.close();
    expect(order).toEqual(['answered', 'closing']);
  },
);

test('a stopping server answers all connections that were made before it closes its port', async () => {
  const app = httpServer({ authenticate: () => Promise.reject(), onReply: () => {}, onDefect: () => {} });
  app.get('/', async () => 'answered');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  // The kernel completes these connections at once. Node has accepted none of them when the stop begins.
  const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  const closed = app.close();
  const answers = sockets.map((socket) => text(socket.end('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')));
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 200 .*answered$/s);
  await closed;
});

test('a stopping server answers a client whose next request takes a while to arrive', async () => {
  const app = httpServer({ authenticate: () => Promise.reject(), onReply: () => {}, onDefect: () => {} });
  app.get('/', async () => 'answered');
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const client = new Agent({ connections: 1 });
  expect((await fetch(address, { dispatcher: client })).status).toBe(200);
  const closed = app.close();
  await sleep(100); // The way of an answer and of a request over a long distance.
  const reply = await fetch(address, { dispatcher: client });
  expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
  await closed;
  await client.close();
});

test('an answered request is garbage of the young generation', async () => {
  const app = Fastify();
  const drain = new Drain(app);
  const requests = 50_000;
  const inProgress: FastifyReply[] = [];
  const surviving = await survivingBytes((collect) => {
    for (let i = 0; i < requests; i++) {
      const reply = { drainIndex: -1, body: Array.from({ length: 100 }, () => i) } as unknown as FastifyReply;
      drain.began(reply);
      if (inProgress.push(reply) > 10) drain.ended(inProgress.shift() as FastifyReply, i);
      if (i === 1_000) collect();
    }
  });
  expect(surviving / requests).toBeLessThan(10);
});
