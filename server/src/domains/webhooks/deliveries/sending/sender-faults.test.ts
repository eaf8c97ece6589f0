import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { testSending } from '../../../../testing/sending.ts';
import { fixedHeaders } from './request.ts';

/** What goes wrong on the way, and whose fault it is not. */
const { clean, receiving, sending, rawServer } = testSending();
afterEach(clean);

const post = (origin: string) => ({
  origin,
  write: () => ({ path: '/', headers: fixedHeaders, body: Buffer.from('{}') }),
});
const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

test('connections that are closed while idle, now or in a moment, cost no post its try', async () => {
  let closed = 0;
  // As servers close them that promise to keep them: after the answer, some milliseconds later, by a FIN or a reset.
  const origin = await rawServer((socket) => {
    socket.on('data', () => {
      socket.write(answer);
      closed++;
      const close = closed % 2 === 0 ? () => socket.end() : () => socket.resetAndDestroy();
      if (closed % 5 === 0) close();
      else setTimeout(close, closed % 4);
    });
  });
  const sender = sending();
  const outcomes = new Map<string, number>();
  for (let i = 0; i < 300; i++) {
    const { outcome, resent } = (await sender.send(post(origin))) ?? {};
    const key = `${outcome}${resent ? ', sent again at once' : ''}`;
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
    // So that connections are closed before, while and after they are used again.
    if (i % 3 > 0) await new Promise((resolve) => setTimeout(resolve, i % 4));
  }
  expect(new Set(outcomes.keys())).toEqual(new Set(['ok', 'ok, sent again at once']));
});

test('what is packed is kept packed: 8 KiB of a small answer that would be large', async () => {
  const packed = gzipSync(Buffer.alloc(16 * 1024 ** 2), { level: 9 });
  expect(packed.length).toBeGreaterThan(8 * 1024);
  const receiver = await receiving((_received, _request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  });
  const sent = await sending().send(post(receiver.url));
  expect(sent).toMatchObject({ outcome: 'ok', status: 200 });
  expect(sent?.body).toEqual(packed.subarray(0, 8 * 1024));
});

test('a name that is never resolved is ended at the deadline', async () => {
  const sender = sending(100, () => {});
  expect(await sender.send(post('http://shop.example'))).toMatchObject({ outcome: 'timeout', status: undefined });
});

test('an answer that came in time counts, though the process stood still until its deadline was over', async () => {
  const origin = await rawServer((socket) => {
    socket.once('data', () => {
      socket.write(answer);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    });
  });
  expect(await sending(200).send(post(origin))).toMatchObject({ outcome: 'ok', status: 200 });
});
