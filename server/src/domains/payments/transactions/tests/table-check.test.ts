import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, makeChannel, makePayment } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  const admin = await administratorOf(florin);
  await makePayment(florin, admin, await makeChannel(florin, admin), { amount: 1000 });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

test.each([
  ['no amount', 'amount = 0'],
  ['an amount that JavaScript cannot hold', 'amount = 9007199254740992'],
  ['a negative refund', 'amount_refunded = -1'],
  ['more refunded than held for refunds', 'amount_refunded = 2, amount_refund_held = 1'],
  ['more held for refunds than was paid', 'amount_refund_held = 1001'],
  ['an unknown status', `status = 'PAID'`],
])('whatever the code does, the table refuses %s', async (_, change) => {
  await expect(db.query(`update transaction set ${change}`)).rejects.toMatchObject({
    code: '23514',
    constraint: 'transaction_amounts_and_status',
  });
});

test('the table accepts the limits themselves', async () => {
  for (const change of [
    'amount = 9007199254740991',
    'amount = 1, amount_refund_held = 1, amount_refunded = 1',
    'amount = 1000, amount_refund_held = 0, amount_refunded = 0',
  ]) {
    expect(await db.query(`update transaction set ${change} returning 1 as done`)).toHaveLength(1);
  }
});
