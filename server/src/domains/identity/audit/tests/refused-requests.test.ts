import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import type { Actor } from '../append.ts';
import { type RefusedRequest, RefusedRequests } from '../refused-requests.ts';

let db: TestDatabase;
let refused: RefusedRequests;
const errors: unknown[] = [];

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

beforeEach(async () => {
  await db.query('truncate audit_entry');
  refused = new RefusedRequests({ database: db.database, logError: (error) => errors.push(error) });
});

const from = (address: string): Actor => ({ by: 'nobody', userId: null, userName: null, address });

function request(actor: Actor, tenantId = 0): RefusedRequest {
  return { action: 'session.login_refused', tenantId, actor, type: 'login_refused', route: 'POST /api/user/login' };
}

interface Written {
  tenantId: string | null;
  action: string;
  address: string | null;
  details: { count: number; type: string };
}

async function written(): Promise<Written[]> {
  const rows = await db.query<{ body: string }>('select body from audit_entry order by id');
  return rows.map(({ body }) => JSON.parse(body));
}

test('many refusals of one caller are one entry with their number', async () => {
  for (let n = 0; n < 10_000; n++) refused.record(request(from('10.0.0.1')));
  refused.record(request(from('10.0.0.2')));
  await refused.stop();
  expect(await written()).toMatchObject([
    { address: '10.0.0.1', details: { type: 'login_refused', count: 10_000 } },
    { address: '10.0.0.2', details: { count: 1 } },
  ]);
});

test('a flood from many addresses writes a bounded number of entries, and counts the rest', async () => {
  for (let n = 0; n < 5_000; n++) refused.record(request(from(`10.0.${n >> 8}.${n & 255}`), n % 10));
  await refused.stop();
  const entries = await written();
  expect(entries).toHaveLength(201);
  expect(entries.at(-1)).toMatchObject({ action: 'access.refuse', details: { type: 'more_callers', count: 4_800 } });
});

test('a flood against one tenant leaves room for the others', async () => {
  for (let n = 0; n < 1_000; n++) refused.record(request(from(`10.0.${n >> 8}.${n & 255}`), 1));
  refused.record(request(from('10.9.9.9'), 2));
  await refused.stop();
  const entries = await written();
  expect(entries).toHaveLength(52);
  expect(entries).toContainEqual(expect.objectContaining({ tenantId: '2', address: '10.9.9.9' }));
});

test('what cannot be written is reported, and nothing fails', async () => {
  const away = { run: () => Promise.reject(new Error('away')) };
  const reported: unknown[] = [];
  const offline = new RefusedRequests({ database: away, logError: (error) => reported.push(error) });
  offline.record(request(from('10.0.0.1')));
  await offline.stop();
  expect(reported).toEqual([new Error('away')]);
});

test("a caller's first refusal is written within a second, and further ones of the minute as one entry", async () => {
  vi.useFakeTimers();
  try {
    const counts: number[] = [];
    const database = {
      run: async (_statement: unknown, values: readonly unknown[] = []) => {
        const [, count] = /"count":(\d+)/.exec(values.join(' ')) ?? [];
        counts.push(Number(count));
        return [];
      },
    };
    const limited = new RefusedRequests({ database, logError: (error) => errors.push(error) });
    limited.record(request(from('10.0.0.1')));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(counts).toEqual([1]);
    for (let n = 0; n < 7; n++) limited.record(request(from('10.0.0.1')));
    await vi.advanceTimersByTimeAsync(58_000);
    expect(counts).toEqual([1]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(counts).toEqual([1, 7]);
  } finally {
    vi.useRealTimers();
  }
});
