import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routesFor } from '../routes-for.ts';
import { addRoute } from './add-route.ts';
import { httpServer, socketOptions } from './server.ts';

const authenticate = () => {
  throw new Error('Nobody needs to be known here.');
};
const common = { authenticate, onReply: () => {}, onDefect: () => {} };
const app = httpServer({
  ...common,
  connectionsPerAddress: 3,
  trustProxy: ['127.0.0.9', '127.0.1.0/24'],
  publicUrl: 'https://pay.example',
});
const { get, post } = routesFor<undefined>();
const impatient = httpServer({
  ...common,
  timeouts: { headersTimeout: 300, bodyTimeout: 500, connectionsCheckingInterval: 50 },
});
let port: number;
let impatientPort: number;

beforeAll(async () => {
  const take = post('/json', 'nothing', '', {
    summary: '',
    body: Type.Object({ a: Type.Integer() }),
    data: Type.Boolean(),
    handle: async () => ({ data: true }),
  });
  const bytes = post('/bytes', 'nothing', '', {
    summary: '',
    rawBody: { maximumBytes: 100 },
    data: Type.Boolean(),
    handle: async () => ({ data: true }),
  });
  const streamed = post('/streamed', 'nothing', '', {
    summary: '',
    streamsBody: true,
    data: Type.Integer(),
    handle: async ({ bodyStream }) => ({ data: Buffer.concat(await bodyStream.toArray()).length }),
  });
  const listen = async (server: typeof app) => {
    for (const route of [take, bytes, streamed]) addRoute(server, route, undefined);
    await server.listen({ port: 0, host: '127.0.0.1' });
    return (server.server.address() as AddressInfo).port;
  };
  [port, impatientPort] = [await listen(app), await listen(impatient)];
});

afterAll(async () => {
  await app.close();
  await impatient.close();
});

/** All that the server sends until it closes the connection. */
function answerOn(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part) => {
      text += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

/** Sends the text and then a byte every 20 ms, for ever; nothing at all without a text. */
async function drip(text: string): Promise<string> {
  const socket = connect(impatientPort, '127.0.0.1');
  if (text !== '') socket.write(text);
  const dripping = setInterval(() => text !== '' && socket.write('x'), 20);
  const answer = await answerOn(socket);
  clearInterval(dripping);
  return answer;
}

async function send(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  return answerOn(socket);
}

const start = 'POST /json HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

describe('a client that sends slowly', () => {
  test.each([
    ['nothing', ''],
    ['headers', `${start}X-Slow: `],
    ['a body', `${start}Content-Length: 10000\r\n\r\n{"a":`],
  ])('%s is cut off with 408', async (_what, text) => {
    const answer = await drip(text);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('"code":408');
    expect(answer.toLowerCase()).toContain('x-content-type-options: nosniff');
  });

  test('a streamed body may take longer, as long as it arrives', async () => {
    const socket = connect(impatientPort, '127.0.0.1');
    socket.write('POST /streamed HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 60\r\n\r\n');
    let sent = 0;
    const dripping = setInterval(() => sent++ < 60 && socket.write('x'), 20);
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"data":60/);
    clearInterval(dripping);
  });

  test('a streamed body of which nothing more arrives is cut off with 408', async () => {
    const socket = connect(impatientPort, '127.0.0.1');
    socket.write('POST /streamed HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\nx');
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });

  test('is cut off a second after the limits, at most', () => {
    const { headersTimeout, bodyTimeout, connectionsCheckingInterval } = socketOptions;
    expect([headersTimeout, bodyTimeout, connectionsCheckingInterval]).toEqual([10_000, 20_000, 1_000]);
  });
});

test.each([
  ['Host', 'y'],
  ['hOsT', 'x'],
  ['Content-Type', 'application/json'],
  ['authorization', 'ApiKey b'],
  ['Idempotency-Key', 'order-1'],
  ['X-Request-Id', 'b'],
  ['Last-Event-ID', 'b'],
  ['Cookie', 'b'],
  ['Origin', 'https://b.example'],
  ['User-Agent', 'b'],
])('a second %s is refused, naming the header', async (name, second) => {
  const first = /^(host|content-type)$/i.test(name) ? '' : `${name}: a\r\n`;
  const answer = await send(
    `${start}${first}${name}: ${second}\r\nConnection: close\r\nContent-Length: 7\r\n\r\n{"a":1}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer.toLowerCase()).toContain(`"field":"${name.toLowerCase()}"`);
  expect(answer.toLowerCase()).toContain(`only one ${name.toLowerCase()} header may be sent.`);
});

test('a header that is a list or is not read may be repeated', async () => {
  const repeated =
    'Accept: a/b\r\nAccept: application/json\r\nX-Forwarded-For: a\r\nX-Forwarded-For: b\r\nVia: a\r\nVia: b\r\n';
  const answer = await send(`${start}${repeated}Connection: close\r\nContent-Length: 7\r\n\r\n{"a":1}`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

describe('a client that expects 100 Continue', () => {
  const expecting = `${start}Expect: 100-continue\r\n`;

  test('gets it when its body is read', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${expecting}Connection: close\r\nContent-Length: 7\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('{"a":1}');
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['a body that is too large', `${expecting}Content-Length: 65537\r\n\r\n`, 413],
    ['another media type', `${expecting.replace('json\r\nE', 'x\r\nE')}Content-Length: 7\r\n\r\n`, 415],
    ['an unknown path', `${expecting.replace('/json', '/nowhere')}Content-Length: 7\r\n\r\n`, 404],
    ['a body of bytes that is too large', `${expecting.replace('/json', '/bytes')}Content-Length: 101\r\n\r\n`, 413],
  ])('is refused without it for %s, and the connection closes', async (_what, text, status) => {
    const answer = await send(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer).not.toContain('100 Continue');
  });
});

test('a key given twice is refused by name', async () => {
  const answer = await send(`${start}Connection: close\r\nContent-Length: 13\r\n\r\n{"a":1,"a":2}`);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"field":"a"');
});

test('an address may have so many connections open; a proxy any number', async () => {
  const open = (from: string) => connect({ port, host: '127.0.0.1', localAddress: from });
  const opened = Array.from({ length: 3 }, () => open('127.0.0.2'));
  const refused = await answerOn(open('127.0.0.2'));
  expect(refused).toMatch(/^HTTP\/1\.1 429 /);
  expect(refused).toContain('"type":"too_many_requests"');
  expect(refused).toContain('Retry-After: 1');
  const proxied = Array.from({ length: 5 }, (_, i) => open(i % 2 === 0 ? '127.0.0.9' : '127.0.1.7'));
  const served = (socket: Socket) => {
    socket.write(`${start}Connection: close\r\nContent-Length: 7\r\n\r\n{"a":1}`);
    return answerOn(socket);
  };
  for (const answer of await Promise.all([...proxied, ...opened].map(served)))
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(await served(open('127.0.0.2'))).toMatch(/^HTTP\/1\.1 200 /);
});

test('so many connections may be open in all, those of proxies too; further ones get 503', async () => {
  const full = httpServer({ ...common, connections: 3, trustProxy: ['127.0.0.9'] });
  full.get('/', async () => 'served');
  await full.listen({ port: 0, host: '127.0.0.1' });
  const { port: fullPort } = full.server.address() as AddressInfo;
  const opened = ['127.0.0.2', '127.0.0.9', '127.0.0.9'].map((localAddress) =>
    connect({ port: fullPort, host: '127.0.0.1', localAddress }),
  );
  await Promise.all(opened.map((socket) => once(socket, 'connect')));
  for (const localAddress of ['127.0.0.3', '127.0.0.9']) {
    const refused = await answerOn(connect({ port: fullPort, host: '127.0.0.1', localAddress }));
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toContain('"type":"overloaded"');
    expect(refused).toContain('Retry-After: 1');
  }
  for (const socket of opened) socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  for (const answer of await Promise.all(opened.map(answerOn))) expect(answer).toContain('served');
  const later = connect({ port: fullPort, host: '127.0.0.1', localAddress: '127.0.0.3' });
  later.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(await answerOn(later)).toContain('served');
  await full.close();
});

test.each([
  ['an answer', '/json', 'POST', '{"a":1}'],
  ['a refusal', '/json', 'POST', '{}'],
  ['an unknown path', '/nowhere', 'GET', undefined],
  ['a path that cannot be decoded', '/%zz', 'GET', undefined],
])('%s has the headers that protect browsers', async (_name, path, method, body) => {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(body && { body }) });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  });
});

test('an answer that cannot be sent is answered with 500, and the server goes on', async () => {
  const defects: unknown[] = [];
  const server = httpServer({ ...common, onDefect: (error) => defects.push(error) });
  const broken = get('/broken', 'nothing', '', {
    summary: '',
    data: Type.Any(),
    handle: async () => ({
      data: {
        get livemode() {
          throw new Error('broken');
        },
      },
    }),
  });
  const unwritable = get('/unwritable', 'nothing', '', {
    summary: '',
    data: Type.Boolean(),
    handle: async () => ({ data: true, headers: { 'x-broken': 'a\nb' } }),
  });
  const document = get('/document', 'nothing', '', {
    summary: '',
    data: Type.Null(),
    documentTypes: ['text/plain'],
    handle: async () => ({ document: { type: 'text/plain', content: 'a' }, headers: { 'x-broken': 'a\nb' } }),
  });
  for (const route of [broken, unwritable, document]) addRoute(server, route, undefined);
  const address = await server.listen({ port: 0, host: '127.0.0.1' });
  for (const path of ['/broken', '/unwritable', '/document', '/broken'])
    expect([path, (await fetch(address + path)).status]).toEqual([path, 500]);
  expect(defects.map((error) => (error as Error).message)).toContain('broken');
  await server.close();
});
