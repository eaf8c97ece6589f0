import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../../../testing/database.ts';
import type { Receiver } from '../../../../testing/receiver.ts';
import { standaloneGuard, testSending } from '../../../../testing/sending.ts';
import { openedWithoutWaiting } from './connections.ts';
import type { Sender } from './sender.ts';

const { clean, receiving, sending: sendingWith } = testSending();
afterEach(clean);

const sending = (maxWaitMs: number) => sendingWith(20_000, standaloneGuard.lookup, maxWaitMs);

const post = ({ url }: Receiver) => ({
  origin: url,
  write: () => ({ path: '/', headers: [], body: Buffer.from('{}') }),
});
const posts = (sender: Sender, receiver: Receiver, count: number) =>
  Promise.all(Array.from({ length: count }, () => sender.send(post(receiver))));

const forever = 3_600_000;

test('many posts to a receiver that answers share 64 connections', async () => {
  const receiver = await receiving(200);
  const sent = await posts(sending(forever), receiver, 500);
  expect(sent.every((one) => one?.outcome === 'ok')).toBe(true);
  expect(receiver.connections).toBe(openedWithoutWaiting);
});

test('posts that wait behind answers that do not come get connections of their own', async () => {
  const held: ServerResponse[] = [];
  const receiver = await receiving((_received, _request, response) => held.push(response));
  const sent = posts(sending(1), receiver, openedWithoutWaiting + 20);
  await eventually('all were posted', () => held.length === openedWithoutWaiting + 20);
  for (const response of held) response.end();
  expect((await sent).every((one) => one?.outcome === 'ok')).toBe(true);
});

test('while connections come free soon, posts wait for them for as long as it takes', async () => {
  const answerAfterMs = 50;
  const receiver = await receiving((_received, _request, response) => {
    setTimeout(() => response.end(), answerAfterMs);
  });
  const sent = await posts(sending(6 * answerAfterMs), receiver, 10 * openedWithoutWaiting);
  expect(sent.every((one) => one?.outcome === 'ok')).toBe(true);
  expect(receiver.connections).toBe(openedWithoutWaiting);
});

test('a connection that breaks makes room for the next post that waits', async () => {
  let cut = 0;
  const receiver = await receiving((_received, request, response) => {
    if (cut++ < openedWithoutWaiting) request.socket.destroy();
    else response.end();
  });
  const sent = await posts(sending(forever), receiver, openedWithoutWaiting + 20);
  expect(sent.filter((one) => one?.outcome === 'ok')).toHaveLength(20);
  expect(sent.filter((one) => one?.outcome === 'reset')).toHaveLength(openedWithoutWaiting);
});

test('waiting for a connection is not part of how long an attempt took', async () => {
  const held: ServerResponse[] = [];
  const receiver = await receiving((_received, _request, response) => held.push(response));
  const sender = sending(forever);
  const first = posts(sender, receiver, openedWithoutWaiting);
  await eventually('every connection is in use', () => held.length === openedWithoutWaiting);
  const last = sender.send(post(receiver));
  // The time that it must not count.
  await new Promise((passed) => setTimeout(passed, 100));
  receiver.answering = 200;
  const answeredAtMs = performance.now();
  for (const response of held) response.end();
  await first;
  expect((await last)?.durationMs).toBeLessThanOrEqual(performance.now() - answeredAtMs);
});

test('what has become too late while it waited for a connection is not sent, and frees it for the next', async () => {
  const held: ServerResponse[] = [];
  const receiver = await receiving((_received, _request, response) => held.push(response));
  const sender = sending(forever);
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
