import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCheckout, makeShop, pagesOf, pathOf, type Shop } from '../../../../testing/billing/checkouts.ts';
import { makeCustomer, makeDraft, makeInvoice } from '../../../../testing/billing/invoices.ts';
import { axeViolations, chromiumPath, openBrowser } from '../../../../testing/browser.ts';
import { administratorOf, dataOf, makeKey } from '../../../../testing/cast.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../testing/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../testing/service/florin.ts';
import { sweepExpired } from '../sweep.ts';

let db: TestDatabase;
let florin: TestFlorin;
let shop: Shop;
let pages: ReturnType<typeof pagesOf>;
let aheadMs = 0;
const hourMs = 3_600_000;
/** A picture of one pixel. */
const logo = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

beforeAll(async () => {
  db = await databaseFromTemplate();
  // The URL of the sandbox's page, to which the browser is redirected, contains the port.
  florin = await florinOn(db, { APP_SERVER_PORT: await freePort() }, () => Date.now() + aheadMs);
  shop = await makeShop(florin, await administratorOf(florin));
  pages = pagesOf(florin);
  const seller = { id: shop.tenantId, logo, brandColor: '#facc15', address: { line1: 'Quay 1', city: 'Hull' } };
  dataOf(await florin.post('/api/seller/modify', seller, shop.as));
});

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return String(port);
}

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

async function makeAda() {
  const { as, bank } = shop;
  const facts = { name: 'Ada <i>', livemode: false, defaultChannelId: bank, paymentMethod: 'pm_1' };
  const customerId = await makeCustomer(florin, as, facts);
  const invoiceId = await makeInvoice(florin, as, customerId, { currency: 'EUR' });
  await makeDraft(florin, as, customerId, { lines: [{ description: 'x', quantity: 1, unitAmount: 77_777 }] });
  const plan = { name: 'Daily <bread>', amount: 300, currency: 'USD', interval: 'month', state: true, livemode: false };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, as));
  const { id: subscriptionId } = dataOf(await florin.post('/api/subscription/create', { customerId, planId }, as));
  return { customerId, invoiceId, subscriptionId };
}

async function portalOf(customerId: number): Promise<string> {
  const portal = dataOf(
    await florin.post('/api/customer/portal', { customerId, returnUrl: 'https://shop.example/' }, shop.as),
  );
  expect(portal).toMatchObject({ customerId, livemode: false });
  return pathOf(portal.url);
}

const subscriptionOf = async (id: number) => dataOf(await florin.get(`/api/subscription/detail?id=${id}`, shop.as));

test('a customer sees invoices and subscriptions, pays, and cancels at the end of the period', async () => {
  const { customerId, invoiceId, subscriptionId } = await makeAda();
  const path = await portalOf(customerId);
  const { status, body } = await pages.open(path);
  expect(status).toBe(200);
  for (const words of [
    'For Ada &lt;i&gt;',
    'Daily &lt;bread&gt;',
    'EUR\u00a010.00',
    'A payment method is stored',
    'Renews on',
  ]) {
    expect(body).toContain(words);
  }
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
  const [ada, bob] = [await makeAda(), await makeAda()];
  const path = await portalOf(ada.customerId);
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
  const { customerId } = await makeAda();
  for (const [scope, missing] of [
    ['transaction_write,subscription_write', 'invoice_read'],
    ['transaction_write,invoice_read', 'subscription_write'],
  ]) {
    const { as } = await makeKey(florin, shop.as, scope, false);
    const { status, body } = await florin.post('/api/customer/portal', { customerId }, as);
    expect([status, body.error.details]).toEqual([403, { scope: missing }]);
  }
});

test('guessed URLs are refused after a while, and payers are not', async () => {
  const { customerId } = await makeAda();
  const path = await portalOf(customerId);
  let status = 404;
  for (let i = 0; i < 101 && status === 404; i++) ({ status } = await pages.open(`/p/${'y'.repeat(43)}`));
  expect(status).toBe(429);
  expect((await pages.open(path)).status).toBe(200);
  aheadMs = 16 * 60_000;
  expect((await pages.open(`/p/${'y'.repeat(43)}`)).status).toBe(404);
  aheadMs = 0;
});

test.skipIf(chromiumPath === undefined)(
  'in a browser without script, an invoice is paid by keyboard, and no page violates a rule of accessibility',
  async () => {
    const { customerId, invoiceId, subscriptionId } = await makeAda();
    const input = { invoiceId, channelIds: [shop.bank, shop.cards], returnUrl: 'https://shop.example/' };
    const checkout = dataOf(await florin.post('/api/checkout/create', input, shop.as));
    const at = (url: string) => florin.address + pathOf(url);
    const portal = florin.address + (await portalOf(customerId));
    const browser = await openBrowser();
    const shots = process.env.SCREENSHOTS;
    try {
      const requested: string[] = [];
      const narrow = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'de-DE' });
      const looked = await narrow.newPage();
      looked.on('request', (request) => requested.push(request.url()));
      for (const [name, url] of Object.entries({
        checkout: at(checkout.url),
        portal,
        cancel: `${portal}?cancel=${subscriptionId}`,
        missing: `${florin.address}/p/none`,
      })) {
        await looked.goto(url);
        for (const colorScheme of ['light', 'dark'] as const) {
          await looked.emulateMedia({ colorScheme });
          if (shots) await looked.screenshot({ path: `${shots}/${name}-${colorScheme}-360.png`, fullPage: true });
          expect(await axeViolations(looked), `${name} ${colorScheme}`).toEqual([]);
          const width = await looked.evaluate('document.documentElement.scrollWidth');
          expect(width, name).toBe(360);
          if (shots) {
            await looked.setViewportSize({ width: 1280, height: 900 });
            await looked.screenshot({ path: `${shots}/${name}-${colorScheme}-1280.png` });
            await looked.setViewportSize({ width: 360, height: 740 });
          }
        }
      }
      await narrow.close();
      const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' });
      const page = await context.newPage();
      await page.goto(at(checkout.url));
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('is recorded').waitFor();
      if (shots) await page.screenshot({ path: `${shots}/recorded.png`, fullPage: true });
      const { transactionId } = dataOf(await florin.get(`/api/checkout/detail?id=${checkout.id}`, shop.as));
      dataOf(await florin.post('/api/transaction/update', { id: transactionId, status: 'SUCCESS' }, shop.as));
      await eventually('the receipt is shown', async () => {
        await page.reload();
        return page.getByText('Thank you for your payment').isVisible();
      });
      if (shots) await page.screenshot({ path: `${shots}/receipt.png`, fullPage: true });

      const card = await makeCheckout(florin, shop, { channelIds: [shop.cards], metadata: { sandbox: 'payer' } });
      await page.goto(florin.address + card.path);
      await page.getByRole('button', { name: 'Pay EUR' }).click();
      await page.getByRole('button', { name: 'Pay', exact: true }).click({ timeout: 15_000 });
      aheadMs = 6_000; // The provider is asked again five seconds after the charge.
      // Without a click: the provider's page redirects back, and the payer's page shows the outcome.
      await page.getByText('Thank you for your payment').waitFor({ timeout: 20_000 });
      expect(new URL(page.url()).pathname).toBe(card.path);
      await context.close();
      expect(requested.filter((url) => !url.startsWith(florin.address))).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);
