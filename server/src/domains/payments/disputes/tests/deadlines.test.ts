import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { dayMs, hourMs, minuteMs } from '../../../../core/clock.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let skewMs = 0;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, {}, () => Date.now() + skewMs);
  as = await administratorOf(florin);
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await db.drop();
});

async function later(ms: number): Promise<void> {
  skewMs += ms;
  // The session has ended.
  as = await administratorOf(florin);
}

const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, as));
const dispute = async (id: string) => dataOf(await florin.get(`/api/dispute/list?transactionId=${id}`, as))[0];
const disputeOf = (id: string, status: string) =>
  eventually(`it is ${status}`, async () => {
    const one = await dispute(id);
    return one?.status === status && one;
  });
const events = async (id: string, type: string) => {
  const found = await db.query<{ body: string }>('select body from event where object_id = $1 and type = $2', [
    id,
    type,
  ]);
  return found.map(({ body }) => JSON.parse(body).data.object);
};

test('an answer that is due is told three days and one day before, and not given in time it has expired', async () => {
  const channelId = await makeChannel(florin, as, { provider: 'sandbox', webhookSecret: 'a secret between two' });
  const id = await makePayment(florin, as, channelId, { metadata: { sandbox: 'dispute' } });
  await eventually('it is paid', async () => (await payment(id)).status === 'SUCCESS');
  await later(minuteMs);
  const { id: disputeId } = await disputeOf(id, 'OPEN');
  const told = (count: number) =>
    eventually(`it was told ${count} times`, async () => {
      const found = await events(disputeId, 'dispute.due_soon');
      return found.length === count && found.map(({ daysLeft }: { daysLeft: number }) => daysLeft);
    });
  await later(4 * dayMs + hourMs);
  expect(await told(1)).toEqual([3]);
  await later(2 * dayMs);
  expect(await told(2)).toEqual([3, 1]);
  await later(dayMs);
  expect(await disputeOf(id, 'EXPIRED')).toMatchObject({ actions: [], amountWithdrawn: 1999 });
  const answered = await florin.post('/api/dispute/accept', { id: disputeId }, as);
  expect(answered).toMatchObject({ status: 409, body: { error: { type: 'dispute_not_answerable' } } });
  expect(await events(disputeId, 'dispute.updated')).toMatchObject([{ status: 'EXPIRED' }]);
});

test('a dispute of which no callback tells is found in the list of its channel, and followed', async () => {
  // Without a secret the sandbox sends no callbacks.
  const channelId = await makeChannel(florin, as, { provider: 'sandbox' });
  const id = await makePayment(florin, as, channelId, { metadata: { sandbox: 'dispute:lost' } });
  await eventually('it is paid', async () => (await payment(id)).status === 'SUCCESS');
  await later(2 * hourMs);
  const { id: disputeId } = await disputeOf(id, 'LOST');
  expect(await events(disputeId, 'dispute.created')).toHaveLength(1);
});
