import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoData } from './demo.ts';

let db: TestDatabase;
let florin: TestFlorin;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

test('the demo data is created through the API, and only once', async () => {
  expect(await createDemoData(florin.address, 'admin', administratorPassword)).toContain('three payments');
  expect(await createDemoData(florin.address, 'admin', administratorPassword)).toContain('already');
  expect(await db.query('select count(*)::int as refunds from refund')).toEqual([{ refunds: 1 }]);
  expect(await db.query('select count(*)::int as subscriptions from subscription')).toEqual([{ subscriptions: 1 }]);
});
