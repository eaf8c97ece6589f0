import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { dayMs } from '../../../core/clock.ts';
import { answerOnce, sweepIdempotencyRecords } from '../idempotency-records.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

const nowMs = Date.UTC(2026, 0, 31);

/** Counts how often its work runs. */
function counter() {
  const runs = { count: 0 };
  const work = async () => ({ run: ++runs.count });
  const call = (key: string | undefined, input: object = { amount: 1 }) =>
    answerOnce(db.database, { tenantId: 1, path: '/test', key, input, nowMs }, work);
  return { runs, call };
}

test('without a key every request runs', async () => {
  const { call } = counter();
  expect(await call(undefined)).toEqual({ answer: { run: 1 }, replayed: false });
  expect(await call(undefined)).toEqual({ answer: { run: 2 }, replayed: false });
});

test('without a key the work runs in one transaction', async () => {
  const work = async (transaction: Parameters<Parameters<typeof answerOnce>[2]>[0]) => {
    await transaction.run({ name: '', text: 'create table rolled_back ()' });
    throw new Error('after the first statement');
  };
  const request = { tenantId: 1, path: '/test', key: undefined, input: {}, nowMs };
  await expect(answerOnce(db.database, request, work)).rejects.toThrow('after the first statement');
  expect(await db.query(`select to_regclass('rolled_back') as found`)).toEqual([{ found: null }]);
});

test('a repeat returns the first answer, whatever the order of its fields', async () => {
  const { call, runs } = counter();
  expect(await call('repeat', { a: 1, b: [{ c: 2, d: 3 }] })).toEqual({ answer: { run: 1 }, replayed: false });
  expect(await call('repeat', { b: [{ d: 3, c: 2 }], a: 1 })).toEqual({ answer: { run: 1 }, replayed: true });
  expect(runs.count).toBe(1);
});

test('concurrent requests with one key run once', async () => {
  const { call, runs } = counter();
  const answers = await Promise.all(Array.from({ length: 5 }, () => call('crowd')));
  expect(runs.count).toBe(1);
  expect(new Set(answers.map(({ answer }) => answer.run))).toEqual(new Set([1]));
  expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
});

test('another body under the same key is refused', async () => {
  const { call } = counter();
  await call('mismatch', { amount: 1 });
  await expect(call('mismatch', { amount: 2 })).rejects.toMatchObject({
    type: 'idempotency_mismatch',
    field: 'Idempotency-Key',
  });
});

test('a failure is not stored: a repeat runs again', async () => {
  const { call } = counter();
  const request = { tenantId: 1, path: '/test', key: 'failed', input: { amount: 1 }, nowMs };
  const failing = () => Promise.reject(new Error('refused'));
  await expect(answerOnce(db.database, request, failing)).rejects.toThrow('refused');
  expect(await call('failed')).toEqual({ answer: { run: 1 }, replayed: false });
});

test('records older than a week are deleted, and the key may be used again', async () => {
  const { call } = counter();
  await call('old');
  await sweepIdempotencyRecords(db.database, nowMs + 7 * dayMs);
  expect((await call('old')).replayed).toBe(true);
  await sweepIdempotencyRecords(db.database, nowMs + 7 * dayMs + 1);
  expect(await call('old')).toEqual({ answer: { run: 2 }, replayed: false });
});
