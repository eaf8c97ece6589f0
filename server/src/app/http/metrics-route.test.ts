import Fastify from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { addMetricsRoute } from './operations.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Texts are numbered, and made when `finish` is called. */
function metricsOf() {
  const app = Fastify();
  const waiting: (() => void)[] = [];
  let made = 0;
  const makeText = async () => {
    const text = `text ${++made}`;
    await new Promise<void>((resolve) => waiting.push(resolve));
    if (made === 3) throw new Error('not made');
    return text;
  };
  addMetricsRoute(app, { contentType: 'text/plain', makeText, assertMayRead: async () => {} });
  const ask = async () => {
    const { statusCode, body } = await app.inject('/metrics');
    return statusCode === 200 ? body : statusCode;
  };
  const finish = async () => {
    await vi.waitUntil(() => waiting.length > 0);
    waiting.shift()?.();
  };
  return { ask, finish };
}

test('the text of the metrics is made once a second at most, however many ask, and a failure is not kept', async () => {
  const { ask, finish } = metricsOf();
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  const both = [ask(), ask()];
  await finish();
  expect(await Promise.all(both)).toEqual(['text 1', 'text 1']);
  now.mockReturnValue(1_000);
  expect(await ask()).toBe('text 1');
  now.mockReturnValue(1_001);
  for (const expected of ['text 2', 500, 'text 4']) {
    const asked = ask();
    await finish();
    expect(await asked).toBe(expected);
    now.mockReturnValue(performance.now() + 1_001);
  }
});
