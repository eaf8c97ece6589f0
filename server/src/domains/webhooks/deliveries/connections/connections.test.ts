import type { ServerResponse } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import type { Receiver } from '../../../../../tests/support/webhooks/receiver.ts';
import { loopbackGuard, type TestSender, testSending } from '../../../../../tests/support/webhooks/sending.ts';
import { openedWithoutWaiting } from './connections.ts';

const { clean, startReceiver, startSender: startSenderWith } = testSending();
afterEach(clean);

const startSender = (maxWaitMs: number) => startSenderWith(20_000, maxWaitMs);

const post = ({ url }: Receiver) => ({
  origin: url,
  guard: loopbackGuard,
  write: () => ({ path: '/', headers: [], body: Buffer.from('{}') }),
});
const posts = (sender: TestSender, receiver: Receiver, count: number) =>
  Promise.all(Array.from({ length: count }, () => sender.send(post(receiver))));

const forever = 3_600_000;

test('many requests to a receiver that answers share 64 connections', async () => {
  const receiver = await startReceiver(200);
  const sent = await posts(startSender(forever), receiver, 500);
  expect(sent.every((one) => one?.outcome === 'ok')).toBe(true);
  expect(receiver.connections).toBe(openedWithoutWaiting);
});

test('requests that wait behind missing answers get their own connections', async () => {
  const held: ServerResponse[] = [];
  const receiver = await startReceiver((_received, _request, response) => held.push(response));
  const sent = posts(startSender(1), receiver, openedWithoutWaiting + 20);
  await eventually('all requests have arrived', () => held.length === openedWithoutWaiting + 20);
  for (const response of held) response.end();
  expect((await sent).every((one) => one?.outcome === 'ok')).toBe(true);
});

test('while connections become free quickly, requests wait for them', async () => {
  // The sender measures how quickly by a clock of the test: on a busy machine real answers can take any time.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const maxWaitMs = 300;
    const rounds = 10;
    let held: ServerResponse[] = [];
    let allArrived = Promise.withResolvers<void>();
    const receiver = await startReceiver((_received, _request, response) => {
      if (held.push(response) === openedWithoutWaiting) allArrived.resolve();
    });
    const sent = posts(startSender(maxWaitMs), receiver, rounds * openedWithoutWaiting);
    for (let round = 1; round <= rounds; round++) {
      await allArrived.promise;
      allArrived = Promise.withResolvers();
      vi.advanceTimersByTime(maxWaitMs / 2);
      const answered = held;
      held = [];
      for (const response of answered) response.end();
    }
    expect((await sent).every((one) => one?.outcome === 'ok')).toBe(true);
    expect(receiver.connections).toBe(openedWithoutWaiting);
  } finally {
    vi.useRealTimers();
  }
});

test('a broken connection is replaced for the next waiting request', async () => {
  let cut = 0;
  const receiver = await startReceiver((_received, request, response) => {
    if (cut++ < openedWithoutWaiting) request.socket.destroy();
    else response.end();
  });
  const sent = await posts(startSender(forever), receiver, openedWithoutWaiting + 20);
  expect(sent.filter((one) => one?.outcome === 'ok')).toHaveLength(20);
  expect(sent.filter((one) => one?.outcome === 'reset')).toHaveLength(openedWithoutWaiting);
});

test('the duration of an attempt excludes waiting for a connection', async () => {
  const held: ServerResponse[] = [];
  const receiver = await startReceiver((_received, _request, response) => held.push(response));
  const sender = startSender(forever);
  const first = posts(sender, receiver, openedWithoutWaiting);
  await eventually('every connection is in use', () => held.length === openedWithoutWaiting);
  const last = sender.send(post(receiver));
  // This time must not count.
  await new Promise((passed) => setTimeout(passed, 100));
  receiver.answering = 200;
  const answeredAtMs = performance.now();
  for (const response of held) response.end();
  await first;
  expect((await last)?.durationMs).toBeLessThanOrEqual(performance.now() - answeredAtMs);
});

test('a request that became too late while it waited is not sent, and frees the connection for the next', async () => {
  const held: ServerResponse[] = [];
  const receiver = await startReceiver((_received, _request, response) => held.push(response));
  const sender = startSender(forever);
  const first = posts(sender, receiver, openedWithoutWaiting);
  await eventually('every connection is in use', () => held.length === openedWithoutWaiting);
  const late = sender.send({ ...post(receiver), write: () => undefined });
  const next = sender.send(post(receiver));
  receiver.answering = 200;
  for (const response of held) response.end();
  await first;
  expect(await late).toBeUndefined();
  expect(await next).toMatchObject({ outcome: 'ok' });
  expect(receiver.received).toHaveLength(openedWithoutWaiting + 1);
});
