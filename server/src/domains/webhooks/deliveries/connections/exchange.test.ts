import { createServer as createHttpsServer } from 'node:https';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { selfSigned } from '../../../../../tests/support/self-signed.ts';
import { startReceiver as startTlsReceiver } from '../../../../../tests/support/webhooks/receiver.ts';
import { loopbackGuard, testSending } from '../../../../../tests/support/webhooks/sending.ts';
import { AddressGuard } from '../../endpoints/address-guard.ts';
import { fixedHeaders } from './request.ts';

const { clean, onClean, startReceiver, startSender, rawServer } = testSending();
afterEach(clean);

const post = (origin: string, guard = loopbackGuard) => ({
  origin,
  guard,
  write: () => ({ path: '/hook?a=1', headers: fixedHeaders, body: Buffer.from('{"a":"ü"}') }),
});

test('requests arrive byte for byte on one kept-alive connection, and accept only uncompressed answers', async () => {
  const receiver = await startReceiver(200);
  const sender = startSender();
  for (let i = 0; i < 3; i++)
    expect(await sender.send(post(receiver.url))).toMatchObject({ outcome: 'ok', status: 200 });
  expect(receiver.connections).toBe(1);
  const [first] = receiver.received;
  expect(first).toMatchObject({ path: '/hook?a=1', body: Buffer.from('{"a":"ü"}') });
  expect(first?.headers).toMatchObject({ 'content-type': 'application/json', 'accept-encoding': 'identity' });
});

test.each([200, 201, 204, 299])('%i is a success', async (status) => {
  const receiver = await startReceiver((_received, _request, response) => response.writeHead(status).end());
  expect(await startSender().send(post(receiver.url))).toMatchObject({ outcome: 'ok', status });
});

test.each([300, 304, 400, 404, 410, 429, 500, 503])('%i is a failure', async (status) => {
  const receiver = await startReceiver((_received, _request, response) => response.writeHead(status).end());
  expect(await startSender().send(post(receiver.url))).toMatchObject({ outcome: 'http_status', status });
});

test('a redirect is a failure and is never followed', async () => {
  const target = await startReceiver(200);
  const receiver = await startReceiver((_received, _request, response) =>
    response.writeHead(302, { location: `${target.url}/secret` }).end(),
  );
  expect(await startSender().send(post(receiver.url))).toMatchObject({ outcome: 'http_status', status: 302 });
  expect(target.connections).toBe(0);
});

test('an attempt without headers ends at the deadline', async () => {
  const receiver = await startReceiver(() => {});
  expect(await startSender(100).send(post(receiver.url))).toMatchObject({ outcome: 'timeout', status: undefined });
});

test('an attempt whose TLS handshake hangs ends at the deadline', async () => {
  const origin = await rawServer(() => {});
  const sent = await startSender(100).send(post(origin.replace('http:', 'https:')));
  expect(sent?.outcome).toBe('timeout');
});

test('a dripping body after a 200 is a success, and is cut at the deadline', async () => {
  let cut = false;
  const receiver = await startReceiver((_received, _request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 10);
    response.on('close', () => {
      clearInterval(drip);
      cut = true;
    });
  });
  expect(await startSender(200).send(post(receiver.url))).toMatchObject({ outcome: 'ok', status: 200 });
  await eventually('the connection is cut', () => cut);
});

test('an endless body is cut after 8 KiB', async () => {
  let written = 0;
  let cut = false;
  const receiver = await startReceiver((_received, _request, response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(1024 * 1024);
    const more = () => {
      while (!cut && written < 1024 ** 3) {
        written += chunk.length;
        if (!response.write(chunk)) break;
      }
    };
    response.on('drain', more);
    response.on('close', () => {
      cut = true;
    });
    more();
  });
  expect(await startSender().send(post(receiver.url))).toMatchObject({ outcome: 'ok', status: 200 });
  await eventually('the connection is cut', () => cut);
  // Bytes in the socket buffers have left the receiver and were never read.
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

test('an answer that breaks off after a 200 is still a success', async () => {
  const origin = await rawServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'));
  });
  expect(await startSender().send(post(origin))).toMatchObject({ outcome: 'ok', status: 200 });
});

test('Retry-After is returned', async () => {
  const receiver = await startReceiver((_received, _request, response) =>
    response.writeHead(429, { 'retry-after': '90' }).end(),
  );
  expect(await startSender().send(post(receiver.url))).toMatchObject({ status: 429, retryAfter: '90' });
});

test('a request on a connection that was closed while idle is sent again at once, without a new attempt', async () => {
  let posts = 0;
  const receiver = await startReceiver(({ connection }, request, response) => {
    posts++;
    // The first connection answers once and is reset at its next use.
    if (connection === 1 && posts > 1) request.socket.resetAndDestroy();
    else response.end('ok');
  });
  const sender = startSender();
  expect(await sender.send(post(receiver.url))).toMatchObject({ outcome: 'ok', resent: false });
  expect(await sender.send(post(receiver.url))).toMatchObject({ outcome: 'ok', resent: true });
  expect(receiver.connections).toBe(2);
});

test('a new connection that breaks is a failure and is not retried at once', async () => {
  let connections = 0;
  const origin = await rawServer((socket) => {
    connections++;
    socket.once('data', () => socket.resetAndDestroy());
  });
  expect(await startSender().send(post(origin))).toMatchObject({ outcome: 'reset', resent: false });
  expect(connections).toBe(1);
});

test('a kept-alive connection that breaks during its answer is not retried at once', async () => {
  let answers = 0;
  const origin = await rawServer((socket) => {
    socket.on('data', () => {
      answers++;
      if (answers === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      else socket.end('HTTP/1.1 20');
    });
  });
  const sender = startSender();
  expect(await sender.send(post(origin))).toMatchObject({ outcome: 'ok' });
  expect(await sender.send(post(origin))).toMatchObject({ resent: false, status: undefined });
  expect(answers).toBe(2);
});

test('a closed port is `refused`', async () => {
  const receiver = await startReceiver(200);
  await receiver.close();
  expect(await startSender().send(post(receiver.url))).toMatchObject({ outcome: 'refused', status: undefined });
});

test('an attempt never ends before its deadline', async () => {
  const receiver = await startReceiver(() => {});
  const sender = startSender(5);
  for (let i = 0; i < 50; i++) {
    const sent = await sender.send(post(receiver.url));
    expect(sent).toMatchObject({ outcome: 'timeout' });
    expect(sent?.durationMs).toBeGreaterThanOrEqual(5);
  }
});

test('an unknown host is `dns`', async () => {
  expect(await startSender().send(post('http://no-such-host.invalid'))).toMatchObject({ outcome: 'dns' });
});

test('an untrusted certificate is `tls`', async () => {
  const receiver = await startTlsReceiver(200, createHttpsServer(selfSigned) as never);
  onClean(receiver.close);
  expect(await startSender().send(post(receiver.url.replace('http:', 'https:')))).toMatchObject({ outcome: 'tls' });
  expect(receiver.received).toHaveLength(0);
});

test('plain HTTP instead of TLS is `tls`', async () => {
  const receiver = await startReceiver(200);
  expect(await startSender().send(post(receiver.url.replace('http:', 'https:')))).toMatchObject({ outcome: 'tls' });
});

test('an answer that is not HTTP is `protocol`', async () => {
  const origin = await rawServer((socket) => socket.once('data', () => socket.end('220 mail.example.com ESMTP\r\n')));
  expect(await startSender().send(post(origin))).toMatchObject({ outcome: 'protocol' });
});

test('an unsolicited `101 Switching Protocols` is `protocol`, and the request is not repeated', async () => {
  let posts = 0;
  const origin = await rawServer((socket) => {
    socket.on('data', () => {
      const upgrade = '101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket';
      socket.write(`HTTP/1.1 ${posts++ === 0 ? '200 OK\r\nContent-Length: 0' : upgrade}\r\n\r\n`);
    });
  });
  const sender = startSender();
  expect(await sender.send(post(origin))).toMatchObject({ outcome: 'ok' });
  expect(await sender.send(post(origin))).toMatchObject({ outcome: 'protocol', resent: false });
  expect(posts).toBe(2);
});

/** RFC 9110, section 15.2: a client expects interim answers even if it has not asked for them. */
const interims = [
  '100 Continue\r\n',
  '102 Processing\r\n',
  '103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n',
  '100 Continue\r\n\r\nHTTP/1.1 100\r\nDate: today\r\n\r\nHTTP/1.1 103 Early Hints\r\n',
];

test.each(interims)('the status after interim answers decides, on one connection: %j', async (interim) => {
  const statuses = ['200 OK', '410 Gone', '204 No Content'];
  let connections = 0;
  const origin = await rawServer((socket) => {
    connections++;
    socket.on('data', () => {
      const length = statuses[0]?.startsWith('204') ? '' : 'Content-Length: 0\r\n';
      socket.write(`HTTP/1.1 ${interim}\r\nHTTP/1.1 ${statuses.shift()}\r\n${length}\r\n`);
    });
  });
  const sender = startSender();
  expect(await sender.send(post(origin))).toMatchObject({ outcome: 'ok', status: 200 });
  expect(await sender.send(post(origin))).toMatchObject({ outcome: 'http_status', status: 410 });
  expect(await sender.send(post(origin))).toMatchObject({ outcome: 'ok', status: 204 });
  expect(connections).toBe(1);
});

test.each(interims)('interim answers may arrive byte by byte: %j', async (interim) => {
  const origin = await rawServer((socket) => {
    socket.setNoDelay();
    const bytes = [...`HTTP/1.1 ${interim}\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok`];
    const drip = () => {
      const byte = bytes.shift();
      if (byte !== undefined) socket.write(byte, () => setImmediate(drip));
    };
    socket.once('data', drip);
  });
  const sent = await startSender().send(post(origin));
  expect(sent).toMatchObject({ outcome: 'ok', status: 202 });
  expect(String(sent?.body)).toBe('ok');
});

test('what looks like an interim answer in a body is part of the body', async () => {
  const body = 'HTTP/1.1 100 Continue\r\n\r\n';
  const origin = await rawServer((socket) => {
    socket.on('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, () => socket.write(body));
    });
  });
  expect(String((await startSender().send(post(origin)))?.body)).toBe(body);
});

test('a kept-alive connection that breaks after an interim answer is not retried at once', async () => {
  let posts = 0;
  const origin = await rawServer((socket) => {
    socket.on('data', () => {
      if (posts++ === 0) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      else socket.end('HTTP/1.1 100 Continue\r\n\r\n');
    });
  });
  const sender = startSender();
  expect(await sender.send(post(origin))).toMatchObject({ outcome: 'ok' });
  expect(await sender.send(post(origin))).toMatchObject({ outcome: 'reset', resent: false });
  expect(posts).toBe(2);
});

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test.each([
  ['interim answers', 'protocol', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
  ['headers of an interim answer', 'protocol', 'HTTP/1.1 100 Continue\r\n', 'Link: </a>\r\n'],
  ['empty lines', 'protocol', '', '\r\n'],
  ['reasons', 'protocol', 'HTTP/1.1 200 ', 'a'],
  ['chunk extensions', 'ok', `${chunked}1;`, 'a'],
  ['chunk sizes', 'ok', chunked, '0'],
])('endless %s end as `%s` long before the deadline', async (_what, outcome, start, piece) => {
  let isCut = false;
  const pieces = piece.repeat(Math.ceil(16_384 / piece.length));
  const origin = await rawServer((socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(pieces));
    };
    socket.once('data', () => socket.write(start, pour)).on('drain', pour);
    socket.on('close', () => {
      isCut = true;
    });
  });
  expect(await startSender(60_000).send(post(origin))).toMatchObject({ outcome });
  await eventually('the connection is cut', () => isCut);
});

test('bytes of earlier answers on a kept-alive connection do not count', async () => {
  const receiver = await startReceiver((_received, _request, response) =>
    response.writeHead(200).end('x'.repeat(8_000)),
  );
  const sender = startSender();
  for (let i = 0; i < 50; i++) expect(await sender.send(post(receiver.url))).toMatchObject({ outcome: 'ok' });
  expect(receiver.connections).toBe(1);
});

test('a name that resolves to a forbidden address gets no connection', async () => {
  const receiver = await startReceiver(200);
  const cluster = new AddressGuard({ allowsPrivate: false, allowTargets: [] });
  const sent = await startSender().send(post(receiver.url.replace('127.0.0.1', 'localhost'), cluster));
  expect(sent).toMatchObject({ outcome: 'forbidden_address', status: undefined });
  expect(receiver.connections).toBe(0);
});

test('an answer from a private address decides the outcome, and nothing else of it is kept', async () => {
  const receiver = await startReceiver((_received, _request, response) => {
    response.writeHead(503, { 'x-inner': 'secret', 'retry-after': '90' }).end('the balance of everybody');
  });
  const administrators = new AddressGuard({ allowsPrivate: true, allowTargets: [] });
  const sender = startSender();
  const unkept = { outcome: 'http_status', status: 503, retryAfter: '90', headersJson: undefined, body: null };
  expect(await sender.send(post(receiver.url, administrators))).toMatchObject(unkept);
  // On the same connection, and then under a guard that keeps the answers of this network.
  expect(await sender.send(post(receiver.url, administrators))).toMatchObject(unkept);
  const kept = await sender.send(post(receiver.url));
  expect(kept?.headersJson).toContain('x-inner');
  expect(String(kept?.body)).toBe('the balance of everybody');
});

test('a connection that one guard allowed serves no request under another', async () => {
  const receiver = await startReceiver(200);
  const sender = startSender();
  const byName = receiver.url.replace('127.0.0.1', 'localhost');
  expect(await sender.send(post(byName))).toMatchObject({ outcome: 'ok' });
  const everyone = new AddressGuard({ allowsPrivate: false, allowTargets: [] });
  expect(await sender.send(post(byName, everyone))).toMatchObject({ outcome: 'forbidden_address' });
});
