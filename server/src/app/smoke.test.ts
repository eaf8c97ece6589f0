import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../testing/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../testing/florin.ts';

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

test('an administrator signs in and records a payment', async () => {
  const as = await florin.login('admin', administratorPassword);
  const channel = { name: 'Wire', code: 'wire', type: 'OFFLINE', currency: 'USD', country: 'US', state: true };
  const { body: saved } = await florin.post('/api/channel/modify', channel, as);
  const { status, body } = await florin.post(
    '/api/transaction/create',
    { amount: 5, currency: 'USD', channelId: saved.data.id },
    as,
  );
  expect(status).toBe(200);
  expect(body.data.status).toBe('PENDING');
});
