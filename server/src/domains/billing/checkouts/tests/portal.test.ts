import { afterAll, beforeAll, expect, test } from 'vitest';
import { pagesOf, type Shop } from '../../../../../tests/support/billing/checkouts.ts';
import { makeAda, makeBrandedShop, makePortal } from '../../../../../tests/support/billing/portals.ts';
import { dataOf, makeKey } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { sweepExpired } from '../sweep.ts';

let db: TestDatabase;
let florin: TestFlorin;
let shop: Shop;
let pages: ReturnType<typeof pagesOf>;
let aheadMs = 0;
const hourMs = 3_600_000;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, {}, () => Date.now() + aheadMs);
  shop = await makeBrandedShop(florin);
  pages = pagesOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const subscriptionOf = async (id: number) => dataOf(await florin.get(`/api/subscription/detail?id=${id}`, shop.as));

test('a customer sees invoices and subscriptions, pays, and cancels at the end of the period', async () => {
  const { customerId, invoiceId, subscriptionId } = await makeAda(florin, shop);
  const path = await makePortal(florin, shop, customerId);
  const { status, body } = await pages.open(path);
  expect(status).toBe(200);
  for (const words of [
    'For Ada &lt;i&gt;',
    'Daily &lt;bread&gt;',
    'EUR\u00a010.00',
    'No payment method is stored',
    'Renews on',
  ]) {
    expect(body).toContain(words);
  }
  expect(body).toContain(`<link rel="icon" href="${path.split('/').at(-1)}/logo">`);
  expect(body).not.toContain('777.77');
  expect(body).not.toContain('pm_1');
  const pdf = await pages.open(`${path}/invoice/${invoiceId}.pdf`);
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const picture = await pages.open(`${path}/logo`);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(picture.headers.get('x-content-type-options')).toBe('nosniff');
  const paying = await pages.submit(`${path}/pay`, { invoice: invoiceId });
  expect(paying.status).toBe(303);
  const page = new URL(paying.headers.get('location') as string, `${florin.address}${path}/pay`);
  expect((await pages.open(page.pathname)).body).toContain('Pay EUR\u00a010.00');
  const asked = await pages.open(`${path}?cancel=${subscriptionId}`);
  expect(asked.body).toContain('Cancel Daily &lt;bread&gt;?');
  expect((await subscriptionOf(subscriptionId)).cancelAtPeriodEnd).toBe(false);
  for (let i = 0; i < 2; i++) {
    const cancelled = await pages.submit(`${path}/cancel`, { subscription: subscriptionId });
    expect([cancelled.status, cancelled.headers.get('location')]).toEqual([303, `../${path.split('/').at(-1)}`]);
  }
  expect(await subscriptionOf(subscriptionId)).toMatchObject({ state: 'ACTIVE', cancelAtPeriodEnd: true });
  expect((await pages.open(path, 'de')).body).toContain('Das Abonnement endet mit seinem laufenden Zeitraum.');
  const [entry] = dataOf(await florin.get(`/api/audit/list?action=subscription.cancel`, shop.as));
  expect(entry).toMatchObject({ by: 'nobody', userId: null, address: '127.0.0.1', recordId: String(subscriptionId) });
});

test('a portal shows only one customer, for one hour, and is not found afterwards', async () => {
  const [ada, bob] = [await makeAda(florin, shop), await makeAda(florin, shop)];
  const path = await makePortal(florin, shop, ada.customerId);
  const unknown = await pages.open(`/p/portal/${'x'.repeat(43)}`);
  const missing = { status: 404, body: unknown.body };
  expect(await pages.open(`${path}/invoice/${bob.invoiceId}.pdf`)).toMatchObject(missing);
  expect(await pages.submit(`${path}/pay`, { invoice: bob.invoiceId })).toMatchObject(missing);
  expect(await pages.submit(`${path}/cancel`, { subscription: bob.subscriptionId })).toMatchObject(missing);
  expect((await subscriptionOf(bob.subscriptionId)).cancelAtPeriodEnd).toBe(false);
  const kept = await db.query('select token_hash from customer_portal');
  aheadMs = hourMs;
  for (const below of ['', '/logo', `/invoice/${ada.invoiceId}.pdf`]) {
    expect(await pages.open(path + below)).toMatchObject(missing);
  }
  expect(await pages.submit(`${path}/cancel`, { subscription: ada.subscriptionId })).toMatchObject(missing);
  await sweepExpired(db.database, Date.now() + aheadMs + 1);
  expect(await db.query('select token_hash from customer_portal')).toHaveLength(0);
  expect(kept.length).toBeGreaterThan(0);
  aheadMs = 0;
});

test('a portal link needs the scopes for everything that it allows', async () => {
  const { customerId } = await makeAda(florin, shop);
  for (const [scope, missing] of [
    ['transaction_write,subscription_write', 'invoice_read'],
    ['transaction_write,invoice_read', 'subscription_write'],
  ]) {
    const { as } = await makeKey(florin, shop.as, scope, false);
    const { status, body } = await florin.post('/api/customer/portal', { customerId }, as);
    expect([status, body.error.details]).toMatchObject([403, { scope: missing }]);
  }
});

test('guessed URLs are refused after a while, and payers are not', async () => {
  const { customerId } = await makeAda(florin, shop);
  const path = await makePortal(florin, shop, customerId);
  let status = 404;
  for (let i = 0; i < 101 && status === 404; i++) ({ status } = await pages.open(`/p/${'y'.repeat(43)}`));
  expect(status).toBe(429);
  expect((await pages.open(path)).status).toBe(200);
  aheadMs = 16 * 60_000;
  expect((await pages.open(`/p/${'y'.repeat(43)}`)).status).toBe(404);
  aheadMs = 0;
});
