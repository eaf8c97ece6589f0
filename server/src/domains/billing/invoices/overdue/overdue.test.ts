import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeDraft, makeInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { dataOf } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { uuidGenerator } from '../../../../core/id.ts';
import { overdueInvoiceWorker } from './worker.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await florin.login('admin', administratorPassword);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const detail = async (id: number) => dataOf(await florin.get(`/api/invoice/detail?id=${id}`, as));

const overdueEvents = async () =>
  (await db.query<{ object_id: string }>(`select object_id from event where type = 'invoice.overdue' order by id`)).map(
    ({ object_id }) => object_id,
  );

async function clockAt(nowTime: string): Promise<number> {
  return dataOf(await florin.post('/api/clock/create', { name: nowTime, nowTime }, as)).id;
}

async function advance(id: number, toTime: string): Promise<void> {
  dataOf(await florin.post('/api/clock/advance', { id, toTime }, as));
  await eventually('the clock has arrived', async () => {
    return dataOf(await florin.get(`/api/clock/detail?id=${id}`, as)).state === 'READY';
  });
}

test("an OPEN invoice is overdue after its due date by the customer's clock, and reported once", async () => {
  const clockId = await clockAt('2027-05-01T12:00:00Z');
  const customerId = await makeCustomer(florin, as, { clockId });
  const id = await makeInvoice(florin, as, customerId, { dueDate: '2027-05-10' });
  await makeDraft(florin, as, customerId, { dueDate: '2027-05-10' });
  const voided = await makeInvoice(florin, as, customerId, { dueDate: '2027-05-10' });
  dataOf(await florin.post('/api/invoice/void', { id: voided }, as));

  await advance(clockId, '2027-05-10T23:59:59Z');
  expect(await detail(id)).toMatchObject({ status: 'OPEN', overdueTime: null });
  await advance(clockId, '2027-05-12T08:00:00Z');
  expect(await detail(id)).toMatchObject({ status: 'OPEN', overdueTime: '2027-05-11T00:00:00.000Z', version: 3 });
  await advance(clockId, '2027-07-01T00:00:00Z');
  expect(await overdueEvents()).toEqual([`inv_${id}`]);
});

test('several nodes report each overdue invoice once between them', async () => {
  const customerId = await makeCustomer(florin, as);
  await db.query('delete from event');
  const rival = overdueInvoiceWorker({
    database: db.database,
    clock: Date.now,
    generateUuid: uuidGenerator(Date.now),
    onError: (error) => expect.unreachable(String(error)),
  });
  rival.start();
  try {
    const ids: number[] = [];
    for (let i = 0; i < 30; i++) ids.push(await makeInvoice(florin, as, customerId, { dueDate: '2026-01-31' }));
    await eventually('all are reported', async () => (await overdueEvents()).length >= ids.length);
    expect((await overdueEvents()).toSorted()).toEqual(ids.map((id) => `inv_${id}`).toSorted());
  } finally {
    await rival.stop();
  }
});
