import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertDefaultMethod, makeCustomer, makeInvoice } from '../../../../tests/support/billing/invoices.ts';
import { administratorOf, dataOf, makeChannel, makeMember, makeTenant } from '../../../../tests/support/factories.ts';
import {
  bodiesOf,
  type ReceivedMail,
  startSmtpServer,
  type TestSmtpServer,
} from '../../../../tests/support/mail/smtp-server.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { minuteMs } from '../../../core/clock.ts';
import { sweepMails } from '../../identity/mails/worker.ts';
import { invoiceMails } from './statements.ts';

let db: TestDatabase;
let florin: TestFlorin;
let smtp: TestSmtpServer;
let admin: string;
let aheadMs = 0;

const refuses = (address: string) => address.startsWith('unknown@');

beforeAll(async () => {
  db = await databaseFromTemplate();
  smtp = await startSmtpServer({ refuses });
  florin = await florinOn(db, { APP_MAIL_URL: smtp.url }, () => Date.now() + aheadMs);
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

/** A tenant that mails its customers, unless `changes` say otherwise. */
async function shop(changes: object = {}) {
  const name = 'Mühle & Söhne';
  const id = await makeTenant(florin, admin, name);
  dataOf(await florin.post('/api/tenant/modify', { id, name, state: true, customerMails: true, ...changes }, admin));
  const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: id });
  return { id, as, channelId: await makeChannel(florin, as, { currency: 'USD,EUR,JPY,KWD' }) };
}

type Shop = Awaited<ReturnType<typeof shop>>;

/** An invoice whose only payment ends with this outcome. */
async function paid(
  { as, channelId }: Shop,
  status: 'SUCCESS' | 'FAILED',
  customer: Record<string, unknown> = {},
  invoice: Record<string, unknown> = {},
) {
  const customerId = await makeCustomer(florin, as, { name: 'Ada <b>', email: 'ada@home.example', ...customer });
  const id = await makeInvoice(florin, as, customerId, invoice);
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id, channelId }, as));
  dataOf(await florin.post('/api/transaction/update', { id: transactionId, status }, as));
  return id;
}

/** The mails about payments. */
const mailsOf = (invoiceId: number) =>
  db.query<{ state: string; tries: number }>(
    `select state, tries from invoice_mail where invoice_id = $1 and kind <> 'INVOICE'`,
    [invoiceId],
  );

/** The received mails except the invoice itself, which may be mailed before it is paid. */
const received = () =>
  smtp.received.filter((mail) => !/here is your invoice|hier ist Ihre Rechnung/.test(plainOf(mail)));

const until = (invoiceId: number, state: string, tries = 0) =>
  eventually(`the mail about invoice ${invoiceId} is ${state}`, async () => {
    const [mail] = await mailsOf(invoiceId);
    return mail?.state === state && mail.tries === tries;
  });

/** The URLs of pages in a mail. */
const linksIn = (mail: ReceivedMail | undefined) => plainOf(mail).match(/http\S+\/p\/[\w-]{43}/g) ?? [];

const plainOf = (mail: ReceivedMail | undefined) =>
  bodiesOf(mail as ReceivedMail)['text/plain']?.replaceAll('\u00a0', ' ') ?? '';

test('a customer is mailed a receipt when an invoice is paid, with the decimals of the currency', async () => {
  const as = await shop();
  const lines = [{ description: 'Bread', quantity: 1, unitAmount: 1_234_567 }];
  const id = await paid(as, 'SUCCESS', {}, { currency: 'KWD', lines });
  await until(id, 'SENT');
  const [mail, ...others] = received();
  expect(others).toEqual([]);
  expect(mail?.envelope.rcptTo.map(({ address }) => address)).toEqual(['ada@home.example']);
  const today = new Date().toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const [link] = linksIn(mail);
  expect(plainOf(mail)).toBe(
    [
      'Hello Ada <b>,',
      `we received your payment of KWD 1,234.567 for invoice INV-000001 on ${today}. The invoice is paid in full.`,
      'Thank you\nMühle & Söhne',
      `Your invoice: ${link}`,
    ].join('\n\n'),
  );
  const html = bodiesOf(mail as ReceivedMail)['text/html'];
  expect(html).toContain('Hello Ada &lt;b&gt;,');
  expect(html).toContain('Thank you<br>Mühle &amp; Söhne');
});

test('a failed payment is mailed in the language of the tenant, and the mail says when there is no retry', async () => {
  const id = await paid(await shop({ mailLanguage: 'de' }), 'FAILED', {}, { currency: 'EUR' });
  await until(id, 'SENT');
  const text = plainOf(received()[0]);
  expect(text).toContain('eine Zahlung Ihrer Rechnung INV-000001 ist fehlgeschlagen. Offen sind noch 10,00 EUR.');
  expect(text).toContain('Die Zahlung wird nicht automatisch wiederholt.');
});

test('an invoice that is paid twice is mailed one receipt, and nothing about payments that come too late', async () => {
  const { as, channelId } = await shop();
  const customerId = await makeCustomer(florin, as, { email: 'ada@home.example' });
  const id = await makeInvoice(florin, as, customerId, {});
  const begin = async (): Promise<string> =>
    dataOf(await florin.post('/api/invoice/pay', { id, channelId }, as)).transactionId;
  const [first, second, third] = [await begin(), await begin(), await begin()];
  for (const [transactionId, status] of [
    [first, 'SUCCESS'],
    [second, 'SUCCESS'],
    [third, 'FAILED'],
  ]) {
    dataOf(await florin.post('/api/transaction/update', { id: transactionId, status }, as));
  }
  const kinds = () =>
    db.query('select kind, state from invoice_mail where invoice_id = $1 and state = $2', [id, 'OPEN']);
  await eventually('every mail is done', async () => (await kinds()).length === 0);
  expect(received().map((mail) => plainOf(mail))).toEqual([expect.stringContaining('we received your payment')]);
});

test('the mail about a failed payment of a subscription names the day of the next retry', async () => {
  const { as, channelId } = await shop();
  const customerId = await makeCustomer(florin, as, { email: 'bob@home.example', defaultChannelId: channelId });
  const plan = { name: 'Daily bread', amount: 300, currency: 'USD', interval: 'month', state: true };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, as));
  dataOf(await florin.post('/api/subscription/create', { customerId, planId }, as));
  const payment = await eventually('the first payment is created', async () => {
    const [found] = dataOf(await florin.get('/api/transaction/list', as));
    return found;
  });
  dataOf(await florin.post('/api/transaction/update', { id: payment.id, status: 'FAILED' }, as));
  await eventually('the mail is sent', () => received().length === 1);
  const [invoice] = dataOf(await florin.get('/api/invoice/list', as));
  const day = new Date(invoice.nextPaymentAttempt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  expect(plainOf(received()[0])).toContain(`The payment will be retried on ${day}.`);
});

test.each([
  ['authentication_required', 'your bank wants you to confirm the payment of your invoice INV-000001 yourself.'],
  ['expired_card', 'could not be charged, because there is no payment method that works.'],
])('the mail about %s asks for what is needed, with the page of the invoice', async (failureCode, words) => {
  const { as, channelId } = await shop();
  const customerId = await makeCustomer(florin, as, { email: 'ada@home.example', defaultChannelId: channelId });
  const plan = { name: 'Daily bread', amount: 300, currency: 'USD', interval: 'month', state: true };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, as));
  dataOf(await florin.post('/api/subscription/create', { customerId, planId }, as));
  const payment = await eventually('the first payment is created', async () => {
    const [found] = dataOf(await florin.get('/api/transaction/list', as));
    return found;
  });
  dataOf(await florin.post('/api/transaction/update', { id: payment.id, status: 'FAILED', failureCode }, as));
  const mail = await eventually('the mail is sent', () => received()[0]);
  expect(plainOf(mail)).toContain(words);
  const [link] = linksIn(mail);
  expect((await florin.call('GET', new URL(link ?? '').pathname)).body).toContain('Pay USD');
});

test('the invoice of a subscription that waits for a transfer is mailed, and its page takes another way', async () => {
  const { as, channelId } = await shop();
  const customerId = await makeCustomer(florin, as, { email: 'eve@home.example', defaultChannelId: channelId });
  const plan = { name: 'Daily bread', amount: 300, currency: 'USD', interval: 'month', state: true };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, as));
  dataOf(await florin.post('/api/subscription/create', { customerId, planId }, as));
  const mail = await eventually('the invoice is mailed', () => smtp.received[0]);
  expect(plainOf(mail)).toContain('here is your invoice INV-000001 for USD 3.00');
  const page = await florin.call('GET', new URL(linksIn(mail)[0] ?? '').pathname);
  expect(page.body).toContain('Pay USD');
  await eventually('nothing else is mailed', async () => {
    const left = await db.query(`select from invoice_mail where state = 'OPEN'`);
    return left.length === 0;
  });
  expect(smtp.received).toHaveLength(1);
});

test('a debit is announced with its amount, its day and the mandate before it is sent', async () => {
  const { as } = await shop();
  // Its debit is not sent in this test.
  const channelId = await makeChannel(florin, as, { provider: 'mollie', apiKey: 'live_abc' });
  const customerId = await makeCustomer(florin, as, { email: 'ada@home.example' });
  await insertDefaultMethod(db, customerId, channelId);
  await db.query(
    `update payment_method set type = 'sepa_debit', mandate_reference = 'SD-1234' where customer_id = $1`,
    [customerId],
  );
  const plan = { name: 'Daily bread', amount: 300, currency: 'USD', interval: 'month', state: true };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, as));
  dataOf(await florin.post('/api/subscription/create', { customerId, planId }, as));
  const mail = await eventually('the debit is announced', () => smtp.received[0]);
  const [invoice] = dataOf(await florin.get('/api/invoice/list', as));
  const day = new Date(invoice.nextPaymentAttempt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  expect(plainOf(mail)).toContain(
    `here is your invoice INV-000001 for USD 3.00. We will collect it by direct debit on ${day}, ` +
      'with the mandate reference SD-1234.',
  );
  expect(dataOf(await florin.get('/api/transaction/list', as))).toEqual([]);
});

test('no mail is sent without customerMails or an address, about a test invoice, or a total of 0', async () => {
  const [off, on] = [await shop({ customerMails: false }), await shop()];
  const free = [{ description: 'Gift', quantity: 1, unitAmount: 0 }];
  const customerId = await makeCustomer(florin, on.as, { email: 'ada@home.example' });
  const testChannel = await makeChannel(florin, on.as, { livemode: false });
  const ids = [
    await paid(off, 'SUCCESS'),
    await paid(on, 'SUCCESS', { email: null }),
    await paid({ ...on, channelId: testChannel }, 'SUCCESS', { livemode: false }),
    await makeInvoice(florin, on.as, customerId, { lines: free }),
  ];
  await eventually('every invoice is paid', async () => {
    const unpaid = await db.query(`select from invoice where id = any ($1) and status <> 'PAID'`, [ids]);
    return unpaid.length === 0;
  });
  for (const id of ids) expect(await mailsOf(id)).toEqual([]);
});

test('a finalized invoice is mailed with a link to its page, which takes the payment', async () => {
  const { as, channelId } = await shop({ mailLanguage: 'de' });
  const customerId = await makeCustomer(florin, as, { email: 'ada@home.example', defaultChannelId: channelId });
  const id = await makeInvoice(florin, as, customerId, { currency: 'EUR', dueDate: '2099-01-31' });
  const mail = await eventually('the invoice is mailed', () => smtp.received[0]);
  expect(plainOf(mail)).toContain('hier ist Ihre Rechnung INV-000001 über 10,00 EUR, fällig am 31. Januar 2099.');
  const [link = ''] = linksIn(mail);
  expect(bodiesOf(mail)['text/html']).toContain(`<a href="${link}">${link}</a>`);
  const path = new URL(link).pathname;
  const page = await florin.call('GET', path);
  expect([page.status, page.body.includes('Invoice INV-000001')]).toEqual([200, true]);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  await florin.call('POST', path, { headers: form, body: `channel=${channelId}` });
  const [payment] = dataOf(await florin.get(`/api/transaction/list?invoiceId=${id}`, as));
  dataOf(await florin.post('/api/transaction/update', { id: payment.id, status: 'SUCCESS' }, as));
  await until(id, 'SENT');
  expect(linksIn(received()[0])).toEqual([link]);
  expect((await florin.call('GET', path)).body).toContain('Thank you for your payment');
});

test('a tenant can write its own texts, and filled-in values become neither markup nor placeholders', async () => {
  const { id: tenantId, as, channelId } = await shop();
  const receipt = {
    subject: 'Danke {customer} – {number}',
    body: 'Hallo <{customer}>\n\n\n{amount} am {paidOn}\nSiehe {link}.',
  };
  const seller = { id: tenantId, mailLanguage: 'de', mailTexts: { de: { receipt } } };
  dataOf(await florin.post('/api/seller/modify', seller, as));
  const id = await paid({ id: tenantId, as, channelId }, 'SUCCESS', { name: 'Bob {number} <i>' }, { currency: 'EUR' });
  await until(id, 'SENT');
  const [mail] = received() as [ReceivedMail];
  const [link] = linksIn(mail);
  const today = new Date().toLocaleDateString('de-DE', { dateStyle: 'long', timeZone: 'UTC' });
  expect(plainOf(mail)).toBe(`Hallo <Bob {number} <i>>\n\n10,00 EUR am ${today}\nSiehe ${link}.`);
  const html = bodiesOf(mail)['text/html'] ?? '';
  expect(html).toContain('<title>Danke Bob {number} &lt;i&gt; – INV-000001</title>');
  expect(html).toContain('<p>Hallo &lt;Bob {number} &lt;i&gt;&gt;</p>');
  expect(html).toContain(`<br>Siehe <a href="${link}">${link}</a>.</p>`);
});

test('a name of several lines, stored before names were checked, writes no paragraph of its own', async () => {
  const { id: tenantId, as, channelId } = await shop();
  const receipt = { subject: 'Paid: {customer}', body: 'Dear {customer},\n\nthank you.' };
  dataOf(await florin.post('/api/seller/modify', { id: tenantId, mailTexts: { en: { receipt } } }, as));
  const customerId = await makeCustomer(florin, as, { email: 'bob@example.com' });
  await db.query(`update customer set name = e'Bob\\r\\n\\r\\nPay to another account\\u202e' where id = $1`, [
    customerId,
  ]);
  const id = await makeInvoice(florin, as, customerId);
  const { transactionId } = dataOf(await florin.post('/api/invoice/pay', { id, channelId }, as));
  dataOf(await florin.post('/api/transaction/update', { id: transactionId, status: 'SUCCESS' }, as));
  await until(id, 'SENT');
  const [mail] = received() as [ReceivedMail];
  expect(plainOf(mail)).toMatch(/^Dear Bob Pay to another account,\n\nthank you\./);
  expect(bodiesOf(mail)['text/html']).toContain('<title>Paid: Bob Pay to another account</title>');
});

test('mails wait while the mail server is down, and each is sent once when it is back', async () => {
  const { port } = smtp;
  await smtp.close();
  const id = await paid(await shop(), 'SUCCESS');
  await until(id, 'OPEN', 1);
  smtp = await startSmtpServer({ port, refuses });
  aheadMs += minuteMs;
  await until(id, 'SENT', 1);
  expect(received()).toHaveLength(1);
});

test('an address that the mail server refuses is given up at once', async () => {
  const id = await paid(await shop(), 'SUCCESS', { email: 'unknown@home.example' });
  await until(id, 'FAILED', 1);
  expect(received()).toEqual([]);
});

test('a process that dies after sending sends again under the same Message-ID', async () => {
  const id = await paid(await shop(), 'SUCCESS');
  await until(id, 'SENT');
  // The state after a process died before it recorded the result: the lease has expired.
  await db.query(`update invoice_mail set state = 'OPEN', ended_at = null where invoice_id = $1 and kind = 'RECEIPT'`, [
    id,
  ]);
  await eventually('it is sent again', () => received().length === 2);
  const named = received().map(({ text }) => /^Message-ID: (.*)$/im.exec(text)?.[1]?.trim());
  expect(named[0]).toMatch(/^<[0-9a-f-]{36}@florin>$/);
  expect(named[1]).toBe(named[0]);
});

test('mails are deleted 30 days after they ended', async () => {
  const id = await paid(await shop(), 'SUCCESS');
  await until(id, 'SENT');
  await sweepMails(invoiceMails, db.database, Date.now() + aheadMs + 29 * 24 * 60 * minuteMs);
  expect(await mailsOf(id)).toHaveLength(1);
  await sweepMails(invoiceMails, db.database, Date.now() + aheadMs + 30 * 24 * 60 * minuteMs);
  expect(await mailsOf(id)).toEqual([]);
});
