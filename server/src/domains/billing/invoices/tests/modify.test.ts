import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCustomer, makeDraft, makeInvoice, settledInvoice } from '../../../../../tests/support/billing/invoices.ts';
import {
  administratorOf,
  dataOf,
  makeChannel,
  makeMember,
  makeTenant,
} from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { verify } from '../../../../app/integrity.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
let customerId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  admin = await administratorOf(florin);
  channelId = await makeChannel(florin, admin);
  customerId = await makeCustomer(florin, admin);
});

afterAll(async () => {
  const broken: string[] = [];
  await verify(db.database, ({ claim, offenders }) => {
    if (offenders.length > 0) broken.push(`${claim}: ${offenders.join(', ')}`);
  });
  expect(broken).toEqual([]);
  await florin.stop();
  await db.drop();
});

const modify = (body: object, as = admin) => florin.post('/api/invoice/modify', body, as);
const detail = async (id: number) => dataOf(await florin.get(`/api/invoice/detail?id=${id}`, admin));

describe('a draft', () => {
  test('gets new lines with their totals, and keeps the fields that are not given', async () => {
    const id = await makeDraft(florin, admin, customerId, { dueDate: '2027-06-30', description: 'June' });
    const lines = [
      { description: 'Bread', quantity: 1, unitAmount: 300, taxRate: 700 },
      { description: 'Rolls', quantity: 10, unitAmount: 40 },
    ];
    const changed = dataOf(await modify({ id, lines }));
    expect(changed).toMatchObject({ subtotal: 700, tax: 21, total: 721, dueDate: '2027-06-30', version: 2 });
    expect(changed.lines).toMatchObject(lines);
    expect(await detail(id)).toEqual(changed);
    const finalized = dataOf(await florin.post('/api/invoice/finalize', { id }, admin));
    expect(finalized).toMatchObject({ status: 'OPEN', total: 721, description: 'June' });
  });

  test('gets other fields, which null clears', async () => {
    const id = await makeDraft(florin, admin, customerId);
    const fields = { dueDate: '2027-07-31', description: 'July', metadata: { order: '7', table: 4 }, channelId };
    const { lines, total } = await detail(id);
    expect(dataOf(await modify({ id, ...fields }))).toMatchObject({ ...fields, lines, total });
    const cleared = { dueDate: null, description: null, channelId: null };
    const changed = dataOf(await modify({ id, ...cleared, metadata: { table: null } }));
    expect(changed).toMatchObject({ ...cleared, lines, total });
    expect(changed.metadata).toEqual({ order: '7' });
    expect(dataOf(await modify({ id, metadataReplace: { table: 5 } })).metadata).toEqual({ table: 5 });
  });

  test.each([
    [{}, undefined],
    [{ lines: [] }, 'lines'],
    [{ lines: [{ description: 'X', quantity: 1, unitAmount: -1 }] }, 'lines'],
    [{ lines: [{ description: 'X', quantity: 1, unitAmount: 1, taxRate: 1, taxAmount: 1 }] }, 'lines.0.taxAmount'],
    [{ dueDate: '2027-02-30' }, 'dueDate'],
    [{ currency: 'EUR' }, 'currency'],
    [{ customerId: 1 }, 'customerId'],
  ])('refuses %j naming %s', async (change, field) => {
    const id = await makeDraft(florin, admin, customerId);
    const { status, body } = await modify({ id, ...change });
    expect([status, body.error.field]).toEqual([400, field]);
    expect(await detail(id)).toMatchObject({ version: 1, total: 1000 });
  });

  test('refuses a channel on which it cannot be paid', async () => {
    const id = await makeDraft(florin, admin, customerId);
    const euros = await makeChannel(florin, admin, { currency: 'EUR' });
    expect(await modify({ id, channelId: euros })).toMatchObject({
      status: 400,
      body: { error: { type: 'currency_not_supported' } },
    });
    expect((await modify({ id, channelId: 987_654 })).status).toBe(404);
  });
});

test('an invoice that is not a draft cannot be changed', async () => {
  const open = await makeInvoice(florin, admin, customerId);
  const voided = await makeDraft(florin, admin, customerId);
  dataOf(await florin.post('/api/invoice/void', { id: voided }, admin));
  for (const id of [open, voided]) {
    const before = await detail(id);
    expect(await modify({ id, dueDate: '2027-06-30' })).toMatchObject({
      status: 409,
      body: { error: { type: 'invoice_not_draft' } },
    });
    expect(await detail(id)).toEqual(before);
  }
});

test('a draft of another tenant is not found', async () => {
  const id = await makeDraft(florin, admin, customerId);
  const { as } = await makeMember(florin, admin, {
    userType: 'MERCHANT_ADMIN',
    tenantId: await makeTenant(florin, admin),
  });
  expect((await modify({ id, description: 'Mine' }, as)).status).toBe(404);
});

test('a refund shows on the invoice, in its detail and in lists; the invoice stays PAID', async () => {
  const id = await makeInvoice(florin, admin, customerId, { channelId });
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id }, admin));
  dataOf(await florin.post('/api/transaction/update', { id: transactionId, status: 'SUCCESS' }, admin));
  expect(await settledInvoice(florin, admin, id, db)).toMatchObject({ status: 'PAID', amountRefunded: 0 });
  for (const amountRefunded of [300, 1000]) {
    dataOf(
      await florin.post('/api/refund/create', { transactionId, amount: amountRefunded === 300 ? 300 : 700 }, admin),
    );
    const refunded = { status: 'PAID', amountPaid: 1000, amountRefunded, amountRemaining: 0 };
    expect(await detail(id)).toMatchObject(refunded);
    const [listed] = dataOf(await florin.get(`/api/invoice/list?customerId=${customerId}&status=PAID`, admin));
    expect(listed).toMatchObject({ id, ...refunded });
  }
});
