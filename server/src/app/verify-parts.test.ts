import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../tests/support/postgres/database.ts';
import { Database, type Snapshot } from '../platform/postgres/database.ts';
import { statement } from '../platform/postgres/statement.ts';
import { type Part, runParts } from './verify-parts.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await db.query('create table written (id int)');
});

afterAll(() => db.drop());

const count = statement<{ count: number }>('test.count_written', 'select count(*) as count from written');
const write = statement('test.write', 'insert into written values (1)');
const ownPid = statement<{ pid: number }>('test.pid_of_part', 'select pg_backend_pid() as pid');

test('parts run side by side on one snapshot while others write, and report in their order', async () => {
  const begun: (() => void)[] = [];
  /** All five connections have a part before one of them ends. */
  const allBegan = Promise.all(
    Array.from({ length: db.database.connections }, () => new Promise<void>((resolve) => begun.push(resolve))),
  );
  const pids = new Set<number>();
  const reported: [number, number][] = [];
  const part = (number: number): Part => ({
    isLong: number % 3 === 0,
    work: async (snapshot) => {
      pids.add((await snapshot.run(ownPid))[0]?.pid as number);
      begun.shift()?.();
      await allBegan;
      await writer.run(write);
      const [row] = await snapshot.run(count);
      return [() => reported.push([number, row?.count as number])];
    },
  });
  // The five connections of the pool are all in use.
  const writer = new Database({ connection: db.connection, connections: 1, name: 'writer' });
  try {
    await runParts(
      Array.from({ length: 20 }, (_, number) => part(number)),
      db.database,
      db.database,
    );
    expect(reported).toEqual(Array.from({ length: 20 }, (_, number) => [number, 0]));
    expect(pids.size).toBe(db.database.connections);
  } finally {
    await writer.close();
  }
});

test('what fails in one part ends the others, wherever it runs', async () => {
  for (const failing of [0, 1, 7]) {
    const reported: number[] = [];
    const part = (number: number): Part => ({
      work: async (snapshot: Snapshot) => {
        await snapshot.run(count);
        if (number === failing) throw new Error('in a part');
        return [() => reported.push(number)];
      },
    });
    const parts = Array.from({ length: 20 }, (_, number) => part(number));
    await expect(runParts(parts, db.database, db.database)).rejects.toThrow('in a part');
    expect(reported).not.toContain(failing);
    expect(reported.length).toBeLessThan(20);
  }
});

test('one connection does everything where no other can join', async () => {
  const reported: number[] = [];
  const parts = Array.from({ length: 5 }, (_, number): Part => ({ work: async () => [() => reported.push(number)] }));
  const alone = { connections: 4, joinSnapshot: async () => undefined };
  await runParts(parts, db.database, alone);
  expect(reported).toEqual([0, 1, 2, 3, 4]);
});
