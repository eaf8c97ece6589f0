import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeCustomer, makeDraft, makeInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { administratorOf, dataOf, makeChannel } from '../../../../../tests/support/factories.ts';
import { bodiesOf, startSmtpServer, type TestSmtpServer } from '../../../../../tests/support/mail/smtp-server.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let smtp: TestSmtpServer;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  smtp = await startSmtpServer();
  florin = await florinOn(db, { APP_MAIL_URL: smtp.url });
  admin = await administratorOf(florin);
});

beforeEach(() => {
  smtp.received.length = 0;
});

afterAll(async () => {
  await florin.stop();
  await smtp.close();
  await db.drop();
});

const send = (id: number, headers: Record<string, string> = {}) =>
  florin.call('POST', '/api/invoice/send', { as: admin, body: { id }, headers });

/** The texts of so many mails. */
async function mailed(count: number): Promise<string[]> {
  await eventually(`${count} mails arrive`, () => smtp.received.length >= count);
  return smtp.received.map((mail) => bodiesOf(mail)['text/plain'] ?? '');
}

test('an open invoice is mailed on request, also where customers are not mailed by themselves', async () => {
  const id = await makeInvoice(florin, admin, await makeCustomer(florin, admin, { email: 'ada@home.example' }));
  expect(dataOf(await send(id))).toEqual({ id, email: 'ada@home.example' });
  expect(await mailed(1)).toEqual([expect.stringContaining('here is your invoice INV-')]);
  // A repeat with the same key mails nothing; without one it is a new request.
  const headers = { 'idempotency-key': 'again' };
  dataOf(await send(id, headers));
  expect((await send(id, headers)).headers.get('idempotency-replayed')).toBe('true');
  expect(await mailed(2)).toHaveLength(2);
  const entries = dataOf(await florin.get('/api/audit/list?action=invoice.send', admin));
  expect(entries.map(({ recordId }: { recordId: string }) => recordId)).toEqual([String(id), String(id)]);
});

test('an overdue invoice is mailed as a reminder, and a paid one as a receipt', async () => {
  const customerId = await makeCustomer(florin, admin, { email: 'ada@home.example' });
  const channelId = await makeChannel(florin, admin);
  const id = await makeInvoice(florin, admin, customerId);
  await db.query(`update invoice set due_date = '2020-01-31', overdue_at = now() where id = $1`, [id]);
  dataOf(await send(id));
  expect(await mailed(1)).toEqual([expect.stringMatching(/was due on 31 January 2020, and .* is still open/)]);
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id, channelId }, admin));
  dataOf(await florin.post('/api/transaction/update', { id: transactionId, status: 'SUCCESS' }, admin));
  dataOf(await send(id));
  expect((await mailed(2))[1]).toContain('The invoice is paid in full.');
});

test('what cannot be mailed is refused: a draft, a customer without an address, a test invoice', async () => {
  const customerId = await makeCustomer(florin, admin);
  const refusalOf = async (id: number) => {
    const { status, body } = await send(id);
    return [status, body.error.type];
  };
  expect(await refusalOf(await makeDraft(florin, admin, customerId))).toEqual([409, 'invoice_not_payable']);
  expect(await refusalOf(await makeInvoice(florin, admin, customerId))).toEqual([409, 'customer_without_email']);
  const tester = await makeCustomer(florin, admin, { email: 'test@home.example', livemode: false });
  expect(await refusalOf(await makeInvoice(florin, admin, tester))).toEqual([409, 'livemode_mismatch']);
});
