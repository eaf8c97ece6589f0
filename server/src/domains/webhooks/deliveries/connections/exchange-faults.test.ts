import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { loopbackGuard, testSending } from '../../../../../tests/support/webhooks/sending.ts';
import { AddressGuard } from '../../endpoints/address-guard.ts';
import { fixedHeaders } from './request.ts';

/** Faults on the way that are not the receiver's. */
const { clean, startReceiver, startSender, rawServer } = testSending();
afterEach(clean);

const post = (origin: string, guard = loopbackGuard) => ({
  origin,
  guard,
  write: () => ({ path: '/', headers: fixedHeaders, body: Buffer.from('{}') }),
});
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

test('connections closed while idle cost no attempt', async () => {
  let closed = 0;
  // Like servers that close kept-alive connections some milliseconds after an answer, by a FIN or a reset.
  const origin = await rawServer((socket) => {
    socket.on('data', () => {
      socket.write(answer);
      closed++;
      const close = closed % 2 === 0 ? () => socket.end() : () => socket.resetAndDestroy();
      if (closed % 5 === 0) close();
      else setTimeout(close, closed % 4);
    });
  });
  const sender = startSender();
  const outcomes = new Map<string, number>();
  for (let i = 0; i < 300; i++) {
    const { outcome, resent } = (await sender.send(post(origin))) ?? {};
    const key = `${outcome}${resent ? ', sent again at once' : ''}`;
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
    // So that connections are closed before, during and after their next use.
    if (i % 3 > 0) await new Promise((resolve) => setTimeout(resolve, i % 4));
  }
  expect(new Set(outcomes.keys())).toEqual(new Set(['ok', 'ok, sent again at once']));
});

test('a compressed body is stored compressed: 8 KiB of a small answer that would expand', async () => {
  const packed = gzipSync(Buffer.alloc(16 * 1024 ** 2), { level: 9 });
  expect(packed.length).toBeGreaterThan(8 * 1024);
  const receiver = await startReceiver((_received, _request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  });
  const sent = await startSender().send(post(receiver.url));
  expect(sent).toMatchObject({ outcome: 'ok', status: 200 });
  expect(sent?.body).toEqual(packed.subarray(0, 8 * 1024));
});

test('a name lookup that never ends is aborted at the deadline', async () => {
  const silent = new AddressGuard({ allowsPrivate: false, allowTargets: [], resolve: () => {} });
  expect(await startSender(100).send(post('http://shop.example', silent))).toMatchObject({
    outcome: 'timeout',
    status: undefined,
  });
});

test('an answer that arrived in time counts even if the process was frozen beyond the deadline', async () => {
  const origin = await rawServer((socket) => {
    socket.once('data', () => {
      socket.write(answer);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    });
  });
  expect(await startSender(200).send(post(origin))).toMatchObject({ outcome: 'ok', status: 200 });
});
