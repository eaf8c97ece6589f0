import { afterAll, beforeAll, expect, test } from 'vitest';
import { Database } from '../platform/postgres/database.ts';
import { statement } from '../platform/postgres/statement.ts';
import { databaseFromTemplate, type TestDatabase } from '../testing/database.ts';
import { due } from './due.ts';

let db: TestDatabase;
let watching: Database;

beforeAll(async () => {
  db = await databaseFromTemplate();
  watching = new Database({ connection: db.connection, connections: 1, name: 'test lookout', plans: 'watching' });
});

afterAll(async () => {
  await watching.close();
  await db.drop();
});

test.each(Object.entries(due))(
  'whether anything is due (%s) is answered by index, also by a plan made while there was nothing',
  async (name, query) => {
    const look = statement<{ is_due: boolean }>(`test.${name}`, `select exists (${query}) as is_due`);
    const now = query.includes('$1') ? [Date.now()] : [];
    expect(await watching.run(look, now)).toEqual([{ is_due: false }]);
    const text = `explain execute "test.${name}"${now.length > 0 ? ` (${now})` : ''}`;
    const plan = (await watching.run<{ 'QUERY PLAN': string }>({ name: '', text })).map((row) => row['QUERY PLAN']);
    expect(plan.filter((line) => line.includes('Seq Scan'))).toEqual([]);
    expect(plan.join('\n')).toContain('Index');
  },
);
