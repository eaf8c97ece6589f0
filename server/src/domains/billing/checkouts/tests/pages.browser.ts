import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCheckout, pagesOf, pathOf, type Shop } from '../../../../../tests/support/billing/checkouts.ts';
import { makeAda, makeBrandedShop, makePortal } from '../../../../../tests/support/billing/portals.ts';
import { axeViolations, chromiumPath, openBrowser } from '../../../../../tests/support/browser.ts';
import { dataOf } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let shop: Shop;
let aheadMs = 0;

beforeAll(async () => {
  db = await databaseFromTemplate();
  // The URL of the sandbox's page, to which the browser is redirected, contains the port.
  florin = await florinOn(db, { APP_SERVER_PORT: await freePort() }, () => Date.now() + aheadMs);
  shop = await makeBrandedShop(florin);
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

test.skipIf(chromiumPath === undefined)(
  'in a browser without script, an invoice is paid by keyboard, and no page violates a rule of accessibility',
  async () => {
    const { customerId, invoiceId, subscriptionId } = await makeAda(florin, shop);
    const input = { invoiceId, channelIds: [shop.bank, shop.cards], returnUrl: 'https://shop.example/' };
    const checkout = dataOf(await florin.post('/api/checkout/create', input, shop.as));
    const setup = { customerId, channelId: shop.cards, token: 'sandbox:succeed' };
    const { id: methodId } = dataOf(await florin.post('/api/payment-method/setup', setup, shop.as));
    await eventually('the payment method is kept', async () => {
      const found = await florin.get(`/api/payment-method/detail?id=${methodId}`, shop.as);
      return dataOf(found).status === 'ACTIVE';
    });
    const at = (url: string) => florin.address + pathOf(url);
    const portal = florin.address + (await makePortal(florin, shop, customerId));
    const paying = await pagesOf(florin).submit(`${pathOf(portal)}/pay`, { invoice: invoiceId });
    const mailed = new URL(paying.headers.get('location') as string, `${portal}/pay`).href;
    const browser = await openBrowser();
    const shots = process.env.SCREENSHOTS;
    try {
      const requested: string[] = [];
      const narrow = await browser.newContext({ viewport: { width: 360, height: 740 }, locale: 'de-DE' });
      const looked = await narrow.newPage();
      looked.on('request', (request) => requested.push(request.url()));
      for (const [name, url] of Object.entries({
        checkout: at(checkout.url),
        mailed,
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
      // The channels, the two ticks to remember the payment method, and the button.
      for (let stops = 0; stops < 4; stops++) await page.keyboard.press('Tab');
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
