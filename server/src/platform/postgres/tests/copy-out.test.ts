import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { binaryRows } from '../copy-out.ts';
import { exportSnapshot, type Snapshot } from '../database.ts';
import { statement } from '../statement.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await db.query('create table copied (id int, text text)');
});

afterAll(() => db.drop());

const count = statement<{ count: number }>('test.count_copied', 'select count(*) as count from copied');
const countIn = async (snapshot: Snapshot) => (await snapshot.run(count))[0]?.count;

/** More than one batch of 256 KB, with rows of all sizes. */
const many = `
  select n, repeat('ü', n % 400) from generate_series(1, 5000) as n
   union all select 5001, repeat('x', 600000)`;

async function textOf(snapshot: Snapshot, query: string): Promise<string[]> {
  const rows: string[] = [];
  for await (const { bytes, ends } of snapshot.copyOut(`copy (${query}) to stdout`)) {
    let from = 0;
    for (const end of ends) {
      rows.push(bytes.toString('utf8', from, end));
      from = end;
    }
  }
  return rows;
}

describe('COPY', () => {
  test('gives every row once, whole, with those that are larger than a batch', async () => {
    const rows = await db.database.snapshot((snapshot) => textOf(snapshot, many));
    const expected = (await db.query<{ n: number; repeat: string }>(many)).map(({ n, repeat }) => `${n}\t${repeat}\n`);
    expect(rows).toEqual(expected);
  });

  test('gives the fields of binary rows, NULL among them, and none where there are no rows', async () => {
    const fieldsOf = (query: string) =>
      db.database.snapshot(async (snapshot) => {
        const fields: (string | null)[][] = [];
        for await (const rows of binaryRows(snapshot.copyOut(`copy (${query}) to stdout (format binary)`))) {
          fields.push(...rows.map((row) => row.map((field) => (field === null ? null : field.toString('utf8')))));
        }
        return fields;
      });
    expect(await fieldsOf(`values ('a', null), (null, 'b'), ('', 'ü')`)).toEqual([
      ['a', null],
      [null, 'b'],
      ['', 'ü'],
    ]);
    expect(await fieldsOf(`select 'a' where false`)).toEqual([]);
    expect((await fieldsOf(many)).map(([, text]) => text)).toEqual(
      (await db.query<{ repeat: string }>(many)).map(({ repeat }) => repeat),
    );
  });

  test('fails with the error of the server, in the middle too, and the connection remains usable', async () => {
    const failing = `select 1000 / (20000 - n), repeat('x', 400) from generate_series(1, 30000) as n`;
    await db.database
      .transaction(async (transaction) => {
        await expect(textOf(transaction, failing)).rejects.toThrow('division by zero');
        await expect(transaction.run(count)).rejects.toThrow('current transaction is aborted');
        throw new Error('undone');
      })
      .catch((error) => expect(error.message).toBe('undone'));
  });

  test('can be left before its end', async () => {
    await db.database.snapshot(async (snapshot) => {
      for await (const { ends } of snapshot.copyOut(`copy (${many}) to stdout`)) {
        expect(ends.length).toBeGreaterThan(0);
        break;
      }
      expect(await countIn(snapshot)).toBe(0);
    });
  });
});

describe('an exported snapshot', () => {
  test('is seen by those who join it, whatever was committed since', async () => {
    await db.database.snapshot(async (snapshot) => {
      const exported = await exportSnapshot(snapshot);
      await db.query('insert into copied values (1)');
      expect(await db.database.joinSnapshot(exported, countIn)).toEqual({ value: 0 });
      expect(await countIn(snapshot)).toBe(0);
      expect(await db.database.snapshot(countIn)).toBe(1);
    });
    await db.query('delete from copied');
  });

  test('is not joined once it has ended, nor where another server knows its id', async () => {
    const ended = await db.database.snapshot(exportSnapshot);
    expect(await db.database.joinSnapshot(ended, countIn)).toBeUndefined();
    await db.database.snapshot(async (snapshot) => {
      const { id, identity } = await exportSnapshot(snapshot);
      expect(await db.database.joinSnapshot({ id, identity: `${identity} elsewhere` }, countIn)).toBeUndefined();
      expect(await db.database.joinSnapshot({ id, identity }, countIn)).toEqual({ value: 0 });
    });
  });

  test('passes on what fails in it', async () => {
    await db.database.snapshot(async (snapshot) => {
      const failing = db.database.joinSnapshot(await exportSnapshot(snapshot), async () => {
        throw new Error('in the work');
      });
      await expect(failing).rejects.toThrow('in the work');
    });
  });
});
