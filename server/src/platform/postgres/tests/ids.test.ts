import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, settableClock, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { Database } from '../database.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});
afterAll(() => db.drop());

async function drawn(expression: string, count: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(`select ${expression} as id from generate_series(1, ${count})`);
  return rows.map(({ id }) => id);
}

test('long ids are distinct, in order of time, and carried exactly by JSON', async () => {
  const ids = await drawn(`next_id('invoice_id_seq')`, 20_000);
  expect(new Set(ids).size).toBe(ids.length);
  const milliseconds = ids.map((id) => Math.floor(id / 4096));
  expect(milliseconds).toEqual(milliseconds.toSorted((a, b) => a - b));
  expect(Math.max(...ids)).toBeLessThan(2 ** 53);
  const [{ ms }] = (await db.query(`select extract(epoch from now()) * 1000 - 1735689600000 as ms`)) as [
    { ms: number },
  ];
  expect(Math.abs(Number(ms) - (milliseconds.at(-1) as number))).toBeLessThan(60_000);
});

test('the difference of two long ids does not reveal how many were generated between them', async () => {
  // Within a millisecond the slot counts up; from one to the next it moves by a secret amount.
  const ids = await drawn(`next_id('plan_id_seq')`, 20_000);
  const slots = ids.flatMap((id, i) =>
    Math.floor(id / 4096) === Math.floor((ids[i - 1] ?? 0) / 4096) ? [] : [id % 4096],
  );
  const steps = slots.slice(1).map((slot, i) => (slot - (slots[i] as number) + 4096) % 4096);
  // Spread evenly, an eighth of the steps is in each eighth of the range.
  const inFirstEighth = steps.filter((step) => step < 512).length / steps.length;
  expect(inFirstEighth).toBeLessThan(0.4);
});

test('no long id is generated twice when the clock is set back, and ids keep ascending', async () => {
  const stepped = await databaseFromTemplate();
  try {
    const setClock = await settableClock(stepped);
    const draw = async () => {
      // Connections that are open do not see the settable clock.
      const fresh = new Database({ connection: stepped.connection, connections: 1, name: 'ids' });
      const text = `select next_id('plan_id_seq') as id from generate_series(1, 10000)`;
      const rows = await fresh.run<{ id: number }>({ name: '', text });
      await fresh.close();
      return rows.map(({ id }) => id);
    };
    const ids = await draw();
    for (const byMs of [-50, -3_600_000, -3_599_950]) {
      await setClock(byMs);
      ids.push(...(await draw()));
    }
    expect(new Set(ids).size).toBe(ids.length);
    const milliseconds = ids.map((id) => Math.floor(id / 4096));
    expect(milliseconds).toEqual(milliseconds.toSorted((a, b) => a - b));
    await setClock(3_600_000);
    const [later] = (await draw()).toSorted((a, b) => a - b);
    expect(Math.floor((later as number) / 4096)).toBeGreaterThan((milliseconds.at(-1) as number) + 3_000_000);
  } finally {
    await stepped.drop();
  }
});

test('short ids are distinct, fit 31 bits, and are in no order', async () => {
  const ids = await drawn(`next_short_id('app_user')`, 20_000);
  expect(new Set(ids).size).toBe(ids.length);
  expect(Math.max(...ids)).toBeLessThan(2 ** 31);
  expect(Math.min(...ids)).toBeGreaterThan(0);
  const rises = ids.slice(1).filter((id, i) => id > (ids[i] as number)).length;
  expect(Math.abs(rises - 10_000)).toBeLessThan(1_000);
  expect(await drawn(`next_short_id('developer_key')`, 20)).not.toEqual(ids.slice(0, 20));
});

test('the ids of existing rows stay, and no new id is one of them', async () => {
  const old = await databaseFromTemplate('template0');
  try {
    for (const name of ['0001_baseline', '0004_identity', '0005_ids']) {
      if (name === '0005_ids') {
        await old.query(`insert into tenant (name) select 'T' from generate_series(1, 5)`);
        await old.query(`insert into tenant (id, name) values (2147400000, 'Last')`);
      }
      const sql = await readFile(new URL(`../../../../migrations/${name}.sql`, import.meta.url), 'utf8');
      await old.query(sql);
    }
    await old.query(`insert into tenant (name) values ('New')`);
    const ids = (await old.query<{ id: number }>('select id from tenant order by created_at, id')).map(({ id }) => id);
    expect(ids.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 2147400000]);
    expect(ids[7]).toBeGreaterThan(2147400000);
    expect(ids[7]).toBeLessThan(2 ** 31);
  } finally {
    await old.drop();
  }
});
