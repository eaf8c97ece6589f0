import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { losingAnswers } from '../../../../tests/support/faults/lost-answers.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import type { Settler } from '../operations/settle.ts';
import { storeCallback } from './statements.ts';
import { callbackWorker } from './worker.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

test('callbacks of a claim whose response was lost are tried at once by the same node', async () => {
  // The clock stands still: no lease expires.
  const nowMs = Date.now() + 1_000;
  const losing = losingAnswers(db.database, 'callbacks.claim', 1, 3);
  const worker = callbackWorker({
    database: losing,
    settler: {} as Settler,
    rechecker: { recheck: async () => 'done' },
    methodNotices: { settle: async () => 'settled' },
    disputeNotices: { settle: async () => 'settled' },
    clock: () => nowMs,
    observe: () => {},
    onError: () => {},
  });
  // Its operation is unknown: after the first try it waits for a retry.
  const content = JSON.stringify({ key: null, reference: 'unknown reference', said: 'changed', outcome: null });
  await db.database.run(storeCallback, [1, 'evt-1', randomUUID(), nowMs, content, null]);
  worker.start();
  await eventually('the first try', async () => {
    const [row] = await db.query<{ tries: number; lease: string | null }>('select tries, lease from provider_callback');
    return row?.tries === 1 && row.lease === null;
  });
  expect(losing.lost).toHaveLength(1);
  await worker.stop();
});

test('after the clock was set back, a callback is retried after its own wait', async () => {
  let nowMs = Date.now() + 1_000;
  const worker = callbackWorker({
    database: db.database,
    settler: {} as Settler,
    rechecker: { recheck: async () => 'done' },
    methodNotices: { settle: async () => 'settled' },
    disputeNotices: { settle: async () => 'settled' },
    clock: () => nowMs,
    observe: () => {},
    onError: () => {},
  });
  await db.query(
    `update provider_callback set due_at = to_timestamp($1 / 1000.0) + interval '1 day 5 seconds', lease = null,
         tries = 1`,
    [nowMs],
  );
  await worker.clockWasSetBack();
  expect(await db.query('select due_at, leased_until from provider_callback')).toEqual([
    { due_at: new Date(nowMs + 5_000).toISOString(), leased_until: null },
  ]);
  nowMs += 5_000;
  worker.start();
  await eventually('the second try', async () => {
    const [row] = await db.query<{ tries: number }>('select tries from provider_callback');
    return row?.tries === 2;
  });
  await worker.stop();
});
