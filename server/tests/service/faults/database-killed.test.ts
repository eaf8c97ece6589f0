import { expect, test, vi } from 'vitest';
import { Lifecycle } from '../../../src/platform/process/lifecycle.ts';
import { situations } from '../../support/faults/database-killed/situations.ts';
import { databaseFromTemplate } from '../../support/postgres/database.ts';
import { florinOn } from '../../support/service/florin.ts';

/**
 * Parts that do not work with the database by themselves: they serve requests, supervise processes, or are the
 * database.
 */
const notWorkers = ['http', 'PDF renderer', 'processes', 'database', 'postgres', 'waiting', 'admission', 'certificate'];

test('for every background part of a process there are situations in which a drill kills PostgreSQL', async () => {
  const added = vi.spyOn(Lifecycle.prototype, 'add');
  const db = await databaseFromTemplate();
  const florin = await florinOn(db);
  const parts = added.mock.calls.map(([name]) => name).filter((name) => !notWorkers.includes(name));
  added.mockRestore();
  await florin.stop();
  await db.drop();
  expect(Object.keys(situations).toSorted()).toEqual(parts.toSorted());
});
