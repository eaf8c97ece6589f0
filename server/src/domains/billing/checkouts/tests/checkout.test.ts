import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  makeCheckout,
  makeShop,
  pagesOf,
  pathOf,
  paymentsOf,
  type Shop,
} from '../../../../../tests/support/billing/checkouts.ts';
import { makeCustomer, makeInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { administratorOf, dataOf, makeChannel, makeKey } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { aRefusal } from '../../../../../tests/support/shapes.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';
import { offendersOf } from '../../../../platform/postgres/check.ts';
import { checkoutChecks } from '../integrity.ts';
import { sweepExpired } from '../sweep.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let shop: Shop;
let pages: ReturnType<typeof pagesOf>;
let aheadMs = 0;
const dayMs = 86_400_000;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, {}, () => Date.now() + aheadMs);
  admin = await administratorOf(florin);
  shop = await makeShop(florin, admin);
  pages = pagesOf(florin);
});

afterAll(async () => {
  for (const check of checkoutChecks) expect(await offendersOf(db.database, check, 5), check.claim).toEqual([]);
  await florin.stop();
  await db.drop();
});

const detail = async (id: number) => dataOf(await florin.get(`/api/checkout/detail?id=${id}`, shop.as));
const missing = async (path: string) => (await pages.open(path)).status;
const settle = async (id: string, status: string) =>
  dataOf(await florin.post('/api/transaction/update', { id, status }, shop.as));

test('a caller who may only read does not see the URL on which payments are made and given up', async () => {
  const { id, url } = await makeCheckout(florin, shop);
  const reader = await makeKey(florin, shop.as, 'transaction_read', false);
  const shown = dataOf(await florin.get(`/api/checkout/detail?id=${id}`, reader.as));
  const [listed] = dataOf(await florin.get('/api/checkout/list?pageSize=1', reader.as));
  expect([shown, listed]).toMatchObject([
    { id, url: null },
    { id, url: null },
  ]);
  expect((await detail(id)).url).toBe(url);
});

test('a payer sees the amount, chooses a channel, and pays once however often the button is pressed', async () => {
  const checkout = await makeCheckout(florin, shop, { metadata: { order: '17' }, customerId: 5 });
  expect(checkout).toMatchObject({ status: 'OPEN', livemode: false, amount: 1999, transactionId: null });
  const page = await pages.open(checkout.path);
  expect(page.status).toBe(200);
  expect(page.body).toContain('EUR&nbsp;19.99'.replace('&nbsp;', '\u00a0'));
  expect(page.body).toContain('A &lt;b&gt;chair&lt;/b&gt;');
  expect(page.body).toContain('Bank &lt;transfer&gt;');
  expect(page.body).toContain('Mühle &amp; Söhne');
  expect(page.body).not.toContain('<script');
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => pages.submit(checkout.path, { channel: shop.bank })),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([303]));
  const payments = await paymentsOf(db, checkout.id);
  expect(payments).toMatchObject([{ status: 'PENDING', amount: 1999, metadata: { order: '17' } }]);
  const { status, transactionId } = await detail(checkout.id);
  expect(status).toBe('PROCESSING');
  expect(dataOf(await florin.get(`/api/transaction/detail?id=${transactionId}`, shop.as))).toMatchObject({
    ...{ channelId: shop.bank, description: 'A <b>chair</b>', customerId: 5, currency: 'EUR', livemode: false },
  });
  expect((await pages.open(checkout.path)).body).toContain('is recorded. The seller will confirm');
  await settle(transactionId, 'SUCCESS');
  expect(await detail(checkout.id)).toMatchObject({ status: 'PAID', url: checkout.url });
  const receipt = (await pages.open(checkout.path, 'de-CH, en;q=0.5')).body;
  expect(receipt).toContain('Vielen Dank für Ihre Zahlung');
  expect(receipt).toContain('19,99\u00a0EUR bezahlt.');
  expect((await pages.submit(checkout.path, { channel: shop.bank })).status).toBe(303);
  expect(await paymentsOf(db, checkout.id)).toHaveLength(1);
});

test('a payer is sent to the provider and back to the page, and can retry a failed payment', async () => {
  const changes = {
    metadata: { sandbox: 'payer' },
    channelIds: [shop.cards],
    returnUrl: 'https://shop.example/thanks?a=1&b=2',
  };
  const checkout = await makeCheckout(florin, shop, changes);
  await pages.submit(checkout.path, { channel: shop.cards });
  const sent = await eventually('the page leads to the provider', async () => {
    const { headers } = await pages.open(`${checkout.path}?go`);
    return /^0; url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1];
  });
  const decide = async (address: string, decision: string) => {
    await pages.submit(pathOf(address), { decision });
    aheadMs += 6_000; // The provider is asked again five seconds after the charge.
  };
  await decide(sent, 'fail');
  const [{ return_url } = { return_url: '' }] = await paymentsOf(db, checkout.id);
  const back = await pages.open(pathOf(return_url));
  expect([back.status, back.headers.get('location')]).toEqual([303, `../${checkout.path.split('/').at(-1)}`]);
  await eventually('the failure is shown', async () =>
    (await pages.open(checkout.path)).body.includes('The last payment did not succeed'),
  );
  expect((await pages.submit(checkout.path, { channel: shop.cards })).status).toBe(303);
  const again = await eventually('the second payment leads to the provider', async () => {
    const { headers } = await pages.open(`${checkout.path}?go`);
    return /^0; url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1];
  });
  expect(again).not.toBe(sent);
  // A payer who comes back before the outcome is known waits, and is not redirected again.
  const waiting = await pages.open(checkout.path);
  expect(waiting.headers.get('refresh')).toBe('2');
  await decide(again, 'pay');
  const paid = await eventually('the receipt is shown', async () => {
    const page = await pages.open(checkout.path);
    return page.body.includes('Thank you for your payment') ? page : undefined;
  });
  expect(paid.headers.get('refresh')).toBeNull();
  expect(paid.body).toContain('href="https://shop.example/thanks?a=1&amp;b=2"');
  aheadMs += 3 * 3_600_000;
  expect(await missing(pathOf(return_url))).toBe(404);
  aheadMs = 0;
});

test('unknown, expired, closed and used links, and those of a disabled tenant, show the same page', async () => {
  const closed = await makeCheckout(florin, shop);
  expect(dataOf(await florin.post('/api/checkout/expire', { id: closed.id }, shop.as))).toMatchObject({
    ...{ status: 'EXPIRED', url: null },
  });
  expect((await florin.post('/api/checkout/expire', { id: closed.id }, shop.as)).status).toBe(200);
  const short = await makeCheckout(florin, shop, { expiresIn: 60 });
  const paid = await makeCheckout(florin, shop, { expiresIn: 60 });
  await pages.submit(paid.path, { channel: shop.bank });
  const { transactionId } = await detail(paid.id);
  const elsewhere = await makeShop(florin, admin, 'Elsewhere');
  const foreign = await makeCheckout(florin, elsewhere);
  dataOf(await florin.post('/api/tenant/modify', { id: elsewhere.tenantId, state: false }, admin));
  aheadMs = 61_000;
  // A payment in progress can end after the link has expired, and its receipt is shown for a day.
  expect((await detail(paid.id)).status).toBe('PROCESSING');
  await settle(transactionId, 'SUCCESS');
  expect((await pages.open(paid.path)).body).toContain('Thank you for your payment');
  aheadMs += 2 * dayMs;
  const unknown = await pages.open(`/p/${'x'.repeat(43)}`);
  for (const path of [closed.path, short.path, paid.path, foreign.path, '/p/short', `${short.path}/logo`]) {
    const { status, body } = await pages.open(path);
    expect({ path, status, body }).toEqual({ path, status: 404, body: unknown.body });
  }
  expect((await pages.submit(short.path, { channel: shop.bank })).status).toBe(404);
  aheadMs = 0;
  expect((await detail(short.id)).status).toBe('OPEN');
});

test('an invoice is shown with its lines and taxes, offered as PDF, and its remaining amount is paid', async () => {
  const customerId = await makeCustomer(florin, shop.as, { livemode: false, name: 'Ada', email: 'ada@home.example' });
  const lines = [
    { description: 'Bread', quantity: 3, unitAmount: 333, taxRate: 700 },
    { description: 'Delivery', quantity: 1, unitAmount: 500 },
  ];
  const invoiceId = await makeInvoice(florin, shop.as, customerId, { lines, currency: 'EUR' });
  dataOf(await florin.post('/api/invoice/pay', { id: invoiceId, amount: 100, channelId: shop.bank }, shop.as));
  const [first] = dataOf(await florin.get(`/api/transaction/list?livemode=false&invoiceId=${invoiceId}`, shop.as));
  await settle(first.id, 'SUCCESS');
  const left = await eventually('the part is settled', async () => {
    const { amountPaid, amountRemaining } = dataOf(await florin.get(`/api/invoice/detail?id=${invoiceId}`, shop.as));
    return amountPaid === 100 && amountRemaining;
  });
  const input = { invoiceId, channelIds: [shop.bank] };
  const checkout = dataOf(await florin.post('/api/checkout/create', input, shop.as));
  expect(checkout).toMatchObject({ amount: null, currency: 'EUR', customerId, livemode: false });
  const path = pathOf(checkout.url);
  const { body } = await pages.open(path, 'de');
  for (const words of [
    'Rechnung TEST-0000',
    '<td>Bread</td><td>3</td><td>9,99',
    'Steuer 7',
    'Bereits bezahlt',
    'Fällig am',
  ]) {
    expect(body).toContain(words);
  }
  const pdf = await pages.open(`${path}/invoice.pdf`);
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect(pdf.body.slice(0, 5)).toBe('%PDF-');
  await pages.submit(path, { channel: shop.bank });
  const { transactionId } = await detail(checkout.id);
  const payment = dataOf(await florin.get(`/api/transaction/detail?id=${transactionId}`, shop.as));
  expect(payment).toMatchObject({ amount: left, invoiceId, customerId });
  await settle(transactionId, 'SUCCESS');
  await eventually('the receipt is shown', async () =>
    (await pages.open(path)).body.includes('Thank you for your payment'),
  );
  expect((await florin.post('/api/checkout/create', input, shop.as)).body.error).toMatchObject({
    type: 'invoice_not_payable',
    field: 'invoiceId',
  });
});

test('a payer can give up a waiting payment and pay on another channel; an ended payment does not change', async () => {
  const checkout = await makeCheckout(florin, shop, { metadata: { sandbox: 'payer' } });
  const giveUp = () => pages.submit(checkout.path, { action: 'give-up' });
  expect((await giveUp()).headers.get('location')).toBe('?');
  await pages.submit(checkout.path, { channel: shop.cards });
  await eventually('the page leads to the provider', async () =>
    (await pages.open(`${checkout.path}?go`)).headers.get('refresh')?.startsWith('0; url='),
  );
  expect((await pages.open(checkout.path)).body).toContain('Choose another payment method');
  await giveUp();
  await eventually('the provider has confirmed it', async () => (await detail(checkout.id)).status === 'OPEN');
  await pages.submit(checkout.path, { channel: shop.bank });
  expect((await pages.open(checkout.path)).body).toContain('Choose another payment method');
  await giveUp();
  await pages.submit(checkout.path, { channel: shop.bank });
  await settle((await detail(checkout.id)).transactionId, 'SUCCESS');
  await giveUp();
  expect((await paymentsOf(db, checkout.id)).map(({ status }) => status)).toEqual([
    'CANCELLED',
    'CANCELLED',
    'SUCCESS',
  ]);
  const [entry] = dataOf(await florin.get('/api/audit/list?action=transaction.update&pageSize=2', shop.as)).slice(-1);
  expect(entry).toMatchObject({ by: 'nobody', userId: null, details: { requestedStatus: 'CANCELLED' } });
});

/**
 * A payment on the page that waits for its payer at the provider, and the page's field for another payment beside it.
 */
async function waitingAtProvider() {
  const checkout = await makeCheckout(florin, shop, { metadata: { sandbox: 'payer' } });
  await pages.submit(checkout.path, { channel: shop.cards });
  const url = await eventually('the page leads to the provider', async () => {
    const { headers } = await pages.open(`${checkout.path}?go`);
    return /^0; url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1];
  });
  const { transactionId } = await detail(checkout.id);
  const decide = async (decision: string) => {
    await pages.submit(pathOf(url), { decision });
    // Looked up now instead of after 5 s.
    await db.query(`update provider_operation set due_at = now() where state = 'WAITING'`);
  };
  return { ...checkout, first: transactionId as string, decide };
}
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, shop.as));
const refundsOf = async (id: string) => dataOf(await florin.get(`/api/refund/list?transactionId=${id}`, shop.as));

/** The payments with UNAPPLIED money, and its balance. */
const unappliedOf = () =>
  db.query(
    `select transaction_id, sum(case when debit = 'UNAPPLIED' then amount else -amount end)::bigint as amount
       from ledger_transfer where 'UNAPPLIED' in (debit, credit)
      group by 1 having sum(case when debit = 'UNAPPLIED' then amount else -amount end) <> 0`,
  );

const isJudged = (id: number, number: number) =>
  eventually('it is known whether the payment pays the checkout', async () => {
    const [row] = await db.query<{ judged: boolean }>(
      'select judged_at is not null as judged from checkout_payment where checkout_id = $1 and number = $2',
      [id, number],
    );
    return row?.judged;
  });

test('an amount is paid in another way beside a waiting payment, which is refunded if paid later', async () => {
  const { id, path, first, decide } = await waitingAtProvider();
  expect((await pages.open(path)).body).toContain('name="besides" value="1"');
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => pages.submit(path, { channel: shop.bank, besides: 1 })),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([303]));
  expect(await paymentsOf(db, id)).toMatchObject([{ status: 'PROCESSING' }, { status: 'PENDING' }]);
  const second = (await detail(id)).transactionId;
  await settle(second, 'SUCCESS');
  expect(await detail(id)).toMatchObject({ status: 'PAID', transactionId: second, amountToReturn: 0 });
  await isJudged(id, 2);
  await decide('pay');
  await eventually('it is refunded', async () => (await payment(first)).status === 'REFUNDED');
  expect(await refundsOf(first)).toMatchObject([{ amount: 1999, reason: 'duplicate', status: 'SUCCESS' }]);
  expect(await refundsOf(second)).toEqual([]);
  expect(await detail(id)).toMatchObject({ status: 'PAID', transactionId: second, amountToReturn: 0 });
  expect((await pages.open(path)).body).toContain('Thank you for your payment');
});

test('an amount paid twice without a provider stands to be given back, and an operator sees it', async () => {
  const { id, path, first, decide } = await waitingAtProvider();
  await pages.submit(path, { channel: shop.bank, besides: 1 });
  const second = (await detail(id)).transactionId;
  await decide('pay');
  await eventually('it is paid', async () => (await detail(id)).status === 'PAID');
  await isJudged(id, 1);
  await settle(second, 'SUCCESS');
  await eventually('it is to be given back', async () => (await detail(id)).amountToReturn === 1999);
  expect(await detail(id)).toMatchObject({ status: 'PAID', transactionId: first });
  const toReturn = async () =>
    dataOf(await florin.get('/api/checkout/list?toReturn=true&livemode=false', shop.as)).map(
      (row: { id: number }) => row.id,
    );
  expect(await toReturn()).toEqual([id]);
  expect((await florin.get('/metrics')).body).toMatch(/^florin_excess_payments_total\{result="to_return"\} 1$/m);
  expect([await refundsOf(first), await refundsOf(second)]).toEqual([[], []]);
  expect(await unappliedOf()).toEqual([{ transaction_id: uuidOfPublicId('txn', second), amount: -1999 }]);
  dataOf(await florin.post('/api/refund/create', { transactionId: second }, shop.as));
  expect(await toReturn()).toEqual([]);
  expect(await unappliedOf()).toEqual([]);
  expect(await detail(id)).toMatchObject({ status: 'PAID', transactionId: first, amountToReturn: 0 });
});

test('before another payment of an amount begins, the waiting one is looked up, and a paid one ends it', async () => {
  const { id, path, first } = await waitingAtProvider();
  await db.query(`update sandbox_operation set state = 'SUCCEEDED' where key like $1 || '%'`, [first]);
  await pages.submit(path, { channel: shop.bank, besides: 1 });
  expect(await paymentsOf(db, id)).toMatchObject([{ status: 'SUCCESS' }]);
  expect(await detail(id)).toMatchObject({ status: 'PAID', transactionId: first });
});

test('a channel that the page does not offer, or that no longer accepts payments, is refused', async () => {
  const checkout = await makeCheckout(florin, shop, { channelIds: [shop.bank] });
  const refused = await pages.submit(checkout.path, { channel: shop.cards });
  expect([refused.status, refused.body.includes('Choose how you want to pay.')]).toEqual([409, true]);
  for (const channel of ['', 'x', '-1', '9'.repeat(30)]) {
    expect((await pages.submit(checkout.path, { channel })).status).toBe(409);
  }
  const closing = await makeChannel(florin, shop.as, { livemode: false });
  const other = await makeCheckout(florin, shop, { channelIds: [closing] });
  dataOf(await florin.post('/api/channel/modify', { id: closing, state: false }, shop.as));
  expect((await pages.open(other.path)).body).toContain('cannot be paid online at the moment');
  expect((await pages.submit(other.path, { channel: closing })).status).toBe(409);
  expect(await paymentsOf(db, other.id)).toEqual([]);
});

test('after ten failed payments a page accepts no more', async () => {
  const checkout = await makeCheckout(florin, shop, { channelIds: [shop.bank] });
  for (let i = 0; i < 10; i++) {
    await pages.submit(checkout.path, { channel: shop.bank });
    await settle((await detail(checkout.id)).transactionId, 'FAILED');
  }
  expect((await pages.open(checkout.path)).body).toContain('Too many payments failed here.');
  await pages.submit(checkout.path, { channel: shop.bank });
  expect(await paymentsOf(db, checkout.id)).toHaveLength(10);
});

test('a page loads nothing from other servers, cannot be framed or indexed, and does not leak its URL', async () => {
  const { path } = await makeCheckout(florin, shop);
  const { headers, body } = await pages.open(path);
  const policy = headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; img-src 'self';/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toContain('<meta name="robots" content="noindex">');
  expect([...body.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, address]) => address)).toEqual([]);
  const token = path.split('/').at(-1) as string;
  const kept = await db.query(`select from checkout c where to_json(c)::text like '%' || $1 || '%'`, [token]);
  const audited = await db.query(`select from audit_entry a where a.body like '%' || $1 || '%'`, [token]);
  const answered = await db.query(`select from idempotency_record k where k.answer::text like '%' || $1 || '%'`, [
    token,
  ]);
  expect([kept.length, audited.length, answered.length]).toEqual([0, 0, 0]);
});

test('a repeated request with the same Idempotency-Key gets the same checkout', async () => {
  const create = () =>
    florin.call('POST', '/api/checkout/create', {
      as: shop.as,
      headers: { 'idempotency-key': 'chair' },
      body: { amount: 1, currency: 'USD', channelIds: [shop.bank] },
    });
  const [first, second] = [await create(), await create()];
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
});

test('lists are filtered by status, invoice, customer and mode, and show each tenant its own', async () => {
  const other = await makeShop(florin, admin, 'List shop');
  const ids = async (query: string, as = other.as) =>
    dataOf(await florin.get(`/api/checkout/list?livemode=false&${query}`, as)).map(({ id }: { id: number }) => id);
  const open = await makeCheckout(florin, other, { customerId: 7 });
  const paying = await makeCheckout(florin, other);
  await pages.submit(paying.path, { channel: other.bank });
  const closed = await makeCheckout(florin, other);
  dataOf(await florin.post('/api/checkout/expire', { id: closed.id }, other.as));
  expect(await ids('')).toEqual([closed.id, paying.id, open.id]);
  expect(await ids('status=OPEN')).toEqual([open.id]);
  expect(await ids('status=PROCESSING')).toEqual([paying.id]);
  expect(await ids('status=EXPIRED')).toEqual([closed.id]);
  expect(await ids('status=PAID')).toEqual([]);
  expect(await ids('customerId=7')).toEqual([open.id]);
  expect(await ids('', shop.as)).not.toContain(open.id);
  expect(dataOf(await florin.get('/api/checkout/list', other.as))).toEqual([]);
  expect((await florin.post('/api/checkout/expire', { id: paying.id }, other.as)).body.error).toMatchObject({
    type: 'illegal_transition',
    details: { from: 'PROCESSING' },
  });
});

test.each([
  [{ amount: undefined }, 400, 'amount'],
  [{ currency: undefined }, 400, 'currency'],
  [{ channelIds: undefined }, 400, 'channelIds'],
  [{ channelIds: [] }, 400, 'channelIds'],
  [{ currency: 'CHF' }, 400, 'currency'],
  [{ currency: 'ZZZ' }, 400, 'currency'],
  [{ channelIds: [987_654] }, 404, 'channelIds'],
  [{ returnUrl: 'javascript:alert(1)' }, 400, 'returnUrl'],
  [{ returnUrl: 'https://bank.example@shop.example/' }, 400, 'returnUrl'],
  [{ returnUrl: 'https:///thanks' }, 400, 'returnUrl'],
  [{ returnUrl: 'http://[::1' }, 400, 'returnUrl'],
  [{ returnUrl: 'https://shop..example/' }, 400, 'returnUrl'],
  [{ returnUrl: 'https://shop.example:0/' }, 400, 'returnUrl'],
  [{ expiresIn: 59 }, 400, 'expiresIn'],
  [{ expiresTime: '2020-01-01T00:00:00Z' }, 400, 'expiresTime'],
  [{ expiresIn: 60, expiresTime: '2099-01-01T00:00:00Z' }, 400, 'expiresIn'],
  [{ invoiceId: 987_654 }, 400, 'amount'],
  [{ invoiceId: 987_654, amount: undefined, currency: undefined, description: undefined }, 404, 'invoiceId'],
])('a checkout with %j is refused with %i naming %s', async (changes, status, field) => {
  const input = { amount: 5, currency: 'USD', channelIds: [shop.bank], description: 'x', ...changes };
  const reply = await florin.post('/api/checkout/create', input, shop.as);
  expect([reply.status, reply.body.error.field]).toEqual([status, field]);
});

test('channels of both modes and a key of the other mode are refused; an invoice needs its scope', async () => {
  const live = await makeChannel(florin, shop.as);
  const create = (input: object, as = shop.as) => florin.post('/api/checkout/create', input, as);
  const mixed = { amount: 5, currency: 'USD', channelIds: [shop.bank, live] };
  const mismatch = aRefusal(409, { type: 'livemode_mismatch', field: 'channelIds' });
  expect((await create(mixed)).body).toEqual(mismatch);
  const key = await makeKey(florin, shop.as, 'transaction_write', true);
  expect((await create({ ...mixed, channelIds: [shop.bank] }, key.as)).body).toEqual(mismatch);
  const missingScope = await create({ invoiceId: 5 }, key.as);
  expect([missingScope.status, missingScope.body.error.details]).toMatchObject([403, { scope: 'invoice_write' }]);
});

test('checkouts without a payment are deleted 90 days after they expired', async () => {
  const other = await makeShop(florin, admin, 'Sweep shop');
  const [unpaid, paid] = [await makeCheckout(florin, other), await makeCheckout(florin, other)];
  await pages.submit(paid.path, { channel: other.bank });
  await sweepExpired(db.database, Date.now() + 90 * dayMs);
  const left = () => db.query<{ id: number }>('select id from checkout where id = any ($1)', [[unpaid.id, paid.id]]);
  expect(await left()).toHaveLength(2);
  await sweepExpired(db.database, Date.now() + 92 * dayMs);
  expect(await left()).toEqual([{ id: paid.id }]);
});
