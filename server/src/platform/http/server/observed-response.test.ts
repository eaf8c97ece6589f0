import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { httpServer } from './server.ts';

const replies: string[] = [];
let reported: Promise<void>;
let report = () => {};
const app = httpServer({
  authenticate: () => Promise.reject(),
  onReply: ({ method, status }) => {
    replies.push(`${method} ${status}`);
    report();
  },
  onDefect: () => {},
});

beforeAll(async () => {
  app.get('/small', async () => 'small');
  app.get('/large', async () => 'x'.repeat(20_000_000)); // More than the buffers of a connection.
  app.get('/after-its-client', async ({ raw }) => {
    await once(raw.socket, 'close');
    return 'late';
  });
  app.get('/stream', (_request, reply) => {
    const endless = new Readable({ read() {} });
    endless.push('the beginning');
    reply.send(endless);
  });
  app.post('/body', async () => 'body');
  await app.listen({ port: 0, host: '127.0.0.1' });
});

beforeEach(() => {
  replies.length = 0;
  reported = new Promise((resolve) => {
    report = resolve;
  });
});

afterAll(() => app.close());

async function send(request: string): Promise<Socket> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(request);
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('two pipelined replies are reported once each', async () => {
  const socket = await send(get('/small') + get('/small'));
  await reported;
  await once(socket.end().resume(), 'close');
  expect(replies).toEqual(['GET 200', 'GET 200']);
});

test('a reply is reported when the client has read enough of it for the rest to be on its way', async () => {
  const socket = await send(get('/large'));
  await once(socket, 'readable');
  expect(replies).toEqual([]);
  socket.resume();
  await reported;
  socket.destroy();
  expect(replies).toEqual(['GET 200']);
});

test('a reply is reported when its client leaves without reading it', async () => {
  const socket = await send(get('/large'));
  await once(socket, 'readable');
  socket.destroy();
  await reported;
  expect(replies).toEqual(['GET 200']);
});

test('a reply is reported when its client has left before it is made', async () => {
  const received = once(app.server, 'request');
  const socket = await send(get('/after-its-client'));
  await received;
  socket.destroy();
  await reported;
  expect(replies).toEqual(['GET 200']);
});

test('a stream is reported when its client leaves', async () => {
  const socket = await send(get('/stream'));
  await once(socket, 'readable');
  socket.destroy();
  await reported;
  expect(replies).toEqual(['GET 200']);
});

test('a refusal is reported when its client leaves in the middle of the body', async () => {
  const received = once(app.server, 'request');
  const socket = await send(
    'POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  );
  await received;
  socket.destroy();
  await reported;
  expect(replies).toEqual([expect.stringMatching(/^POST 4\d\d$/)]);
});
