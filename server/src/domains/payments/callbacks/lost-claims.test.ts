import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../testing/database.ts';
import { losingAnswers } from '../../../testing/lost-answers.ts';
import type { Settler } from '../processing/settle.ts';
import { keepCallback } from './statements.ts';
import { CallbackWorker } from './worker.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

test('callbacks of a claim whose answer was lost are worked off at once by this node', async () => {
  // Time stands still: no lease ever runs out.
  const nowMs = Date.now() + 1_000;
  const losing = losingAnswers(db.database, 'callbacks.claim', 1, 3);
  const worker = new CallbackWorker({
    database: losing,
    settler: {} as Settler,
    rechecker: { recheck: async () => 'done' },
    clock: () => nowMs,
    observe: () => {},
    onError: () => {},
  });
  // It names nothing of ours: having been worked off, it waits for another try.
  const notice = JSON.stringify({ key: null, reference: 'unheard of', said: 'changed', outcome: null });
  await db.database.run(keepCallback, [1, 'evt-1', randomUUID(), nowMs, notice, null]);
  worker.start();
  await eventually('its first try', async () => {
    const [row] = await db.query<{ tries: number; lease: string | null }>('select tries, lease from provider_callback');
    return row?.tries === 1 && row.lease === null;
  });
  expect(losing.lost).toHaveLength(1);
  await worker.stop();
});

test('a callback that was put off by a clock set back since is tried again after its own wait', async () => {
  let nowMs = Date.now() + 1_000;
  const worker = new CallbackWorker({
    database: db.database,
    settler: {} as Settler,
    rechecker: { recheck: async () => 'done' },
    clock: () => nowMs,
    observe: () => {},
    onError: () => {},
  });
  await db.query(
    `update provider_callback set due_at = to_timestamp($1 / 1000.0) + interval '1 day 5 seconds', lease = null, tries = 1`,
    [nowMs],
  );
  await worker.clockWasSetBack();
  expect(await db.query('select due_at, leased_until from provider_callback')).toEqual([
    { due_at: new Date(nowMs + 5_000).toISOString(), leased_until: null },
  ]);
  nowMs += 5_000;
  worker.start();
  await eventually('its second try', async () => {
    const [row] = await db.query<{ tries: number }>('select tries from provider_callback');
    return row?.tries === 2;
  });
  await worker.stop();
});
