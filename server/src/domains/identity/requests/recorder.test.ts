import { expect, test, vi } from 'vitest';
import { Refusal } from '../../../core/errors.ts';
import { uuidGenerator } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import { type AnsweredRequest, RequestRecorder, type RequestRecorderOptions } from './recorder.ts';

const principal = { tenantId: 1, userId: 2, keyId: 3, address: '::1' } as Principal;

const answered = (changes: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  principal,
  method: 'GET',
  path: '/api/channel/list',
  status: 200,
  durationMs: 1,
  address: '127.0.0.1',
  requestId: 'r',
  headers: {},
  mode: undefined,
  refusal: undefined,
  ...changes,
});

/** A recorder with a database that answers when `write` resolves. */
function recorderWith(write: () => Promise<void>, recorded: RequestRecorderOptions['recorded'] = 'all') {
  const written: number[] = [];
  const texts: string[] = [];
  const errors: unknown[] = [];
  let dropped = 0;
  const recorder = new RequestRecorder({
    database: {
      run: async (_statement: unknown, values: readonly unknown[] = []) => {
        await write();
        written.push((values[0] as Buffer).readInt32BE(12)); // The length of the first array.
        texts.push(values.join(' '));
        return [];
      },
    } as RequestRecorderOptions['database'],
    generateUuid: uuidGenerator(() => 1),
    recorded,
    onDropped: (count) => {
      dropped += count;
    },
    logError: (error) => errors.push(error),
  });
  return { recorder, written, texts, errors, dropped: () => dropped };
}

test('a flood of one tenant is dropped and counted, and leaves room for refusals and other tenants', async () => {
  const { recorder, written, dropped } = recorderWith(async () => {});
  const refusal = new Refusal('not_json', 'No.');
  for (let i = 0; i < 5_000; i++) recorder.record(answered());
  for (let i = 0; i < 30; i++) recorder.record(answered({ refusal }));
  for (let tenantId = 2; tenantId <= 4; tenantId++)
    recorder.record(answered({ principal: { ...principal, tenantId } }));
  await recorder.flush();
  expect(written).toEqual([100 + 30 + 3]);
  expect(dropped()).toBe(4_900);
});

test('while the database hangs, requests are held up to a limit, then dropped and counted', async () => {
  vi.useFakeTimers();
  try {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { recorder, written, dropped } = recorderWith(() => promise);
    for (let second = 0; second < 15; second++) {
      for (let i = 0; i < 1_100; i++) recorder.record(answered({ principal: { ...principal, tenantId: i % 20 } }));
      vi.advanceTimersByTime(1_000);
    }
    resolve();
    await recorder.flush();
    const rows = written.reduce((sum, count) => sum + count, 0);
    expect(rows + dropped()).toBe(15 * 1_100);
    // The batch in flight, and those that wait.
    expect(rows).toBe(11_000);
    expect(Math.max(...written)).toBe(1_000);
  } finally {
    vi.useRealTimers();
  }
});

test('a write that fails is counted and reported, and the next one is tried', async () => {
  let isAway = true;
  const { recorder, written, errors, dropped } = recorderWith(async () => {
    if (isAway) throw new Error('away');
  });
  recorder.record(answered());
  await recorder.flush();
  expect([dropped(), errors.length]).toEqual([1, 1]);
  isAway = false;
  recorder.record(answered());
  await recorder.flush();
  await recorder.flush();
  expect(written).toEqual([1]);
});

test.each([
  ['all', 3],
  ['writes', 2],
  ['refused', 1],
  ['none', 0],
] as const)('%s records what it says', async (recorded, count) => {
  const { recorder, written } = recorderWith(async () => {}, recorded);
  recorder.record(answered());
  recorder.record(answered({ method: 'POST' }));
  recorder.record(answered({ refusal: new Refusal('not_json', 'No.') }));
  recorder.record(answered({ principal: undefined }));
  await recorder.flush();
  expect(written).toEqual(count === 0 ? [] : [count]);
});

test('keys, tokens and secret URLs in headers or messages are shortened', async () => {
  const { recorder, texts } = recorderWith(async () => {});
  const key = `sk_live_${'A'.repeat(32)}`;
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0x.c2lnbmF0dXJlcw';
  const refusal = new Refusal('path_unknown', `There is no GET /p/${'x'.repeat(43)}/logo.svg, ${jwt} or ${key}.`, {
    field: key,
  });
  recorder.record(answered({ refusal, headers: { 'user-agent': `curl ${key}`, 'idempotency-key': key } }));
  await recorder.flush();
  expect(texts.join()).toContain('There is no GET /p/…/logo.svg, eyJ… or sk_live_….');
  for (const secret of ['AAAA', 'xxxx', jwt.slice(3)]) expect(texts.join()).not.toContain(secret);
});

test('texts of callers are cut to the limits of their columns, and without what PostgreSQL cannot store', async () => {
  const { recorder, texts } = recorderWith(async () => {});
  const refusal = new Refusal('invalid_request', `\0${'m'.repeat(9_000)}`, { field: `\0${'f'.repeat(9_000)}` });
  recorder.record(
    answered({ headers: { 'user-agent': 'u'.repeat(9_000), 'idempotency-key': 'k'.repeat(9_000) }, refusal }),
  );
  await recorder.flush();
  expect(texts[0]?.length).toBeLessThan(2_048);
  expect(texts[0]).not.toMatch(/\0[mf]{2}/);
});
