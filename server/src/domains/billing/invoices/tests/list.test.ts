import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeDraft, makeInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { administratorOf, dataOf } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
/** By due date. */
let invoices: Record<string, number>;
let draftId: number;
let testId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  const customerId = await makeCustomer(florin, admin);
  invoices = {};
  for (const dueDate of ['2027-06-01', '2027-06-15', '2027-06-30']) {
    invoices[dueDate] = await makeInvoice(florin, admin, customerId, { dueDate });
  }
  draftId = await makeDraft(florin, admin, customerId);
  testId = await makeInvoice(florin, admin, await makeCustomer(florin, admin, { livemode: false }));
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const list = (query: string) => florin.get(`/api/invoice/list?${query}`, admin);
const idsOf = async (query: string) => dataOf(await list(query)).map(({ id }: { id: number }) => id);

test('a number finds its invoice, live or test, with the count', async () => {
  expect(await idsOf('number=INV-000002')).toEqual([invoices['2027-06-15']]);
  expect(await idsOf('number=TEST-000001')).toEqual([testId]);
  expect(await idsOf('number=INV-000099')).toEqual([]);
  expect(await idsOf('number=INV-000002&status=PAID')).toEqual([]);
  expect((await list('number=INV-000002')).body.pagination).toMatchObject({ total: 1 });
});

test('due dates are filtered from a day to a day, both included; drafts without one are left out', async () => {
  const [first, second, third] = Object.values(invoices);
  expect(await idsOf('dueFrom=2027-06-15')).toEqual([third, second]);
  expect(await idsOf('dueTo=2027-06-15')).toEqual([second, first]);
  expect(await idsOf('dueFrom=2027-06-02&dueTo=2027-06-29')).toEqual([second]);
  expect(await idsOf('dueFrom=2000-01-01')).not.toContain(draftId);
});

test.each([
  ['number=7', 'number'],
  ['number=inv-000001', 'number'],
  ['dueFrom=2027-02-30', 'dueFrom'],
  ['dueTo=tomorrow', 'dueTo'],
  ['dueTo=2027-06-15&page=2', 'page'],
  ['dueFrom=2027-06-16&dueTo=2027-06-15', 'dueFrom'],
  ['amountFrom=2&amountTo=1', 'amountFrom'],
])('%s is refused naming %s', async (query, field) => {
  const { status, body } = await list(query);
  expect([status, body.error.field]).toEqual([400, field]);
});
