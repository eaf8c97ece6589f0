import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs } from '../../src/core/clock.ts';
import { makeCustomer } from '../support/billing/invoices.ts';
import { type LiveShop, openLiveShop } from '../support/billing/live-shop.ts';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { eventually } from '../support/postgres/database.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';

/** A payer with a browser, without script, at the pages of Florin and of Mollie's simulator. No callback arrives. */
let shop: LiveShop;
let mollie: MollieSimulator;
/** Both services live as much later. */
let aheadMs = 0;

beforeAll(async () => {
  const clock = () => Date.now() + aheadMs;
  mollie = await MollieSimulator.start({ now: clock });
  const channel = { provider: 'mollie', apiKey: 'live_simulated' };
  shop = await openLiveShop({ channel, environment: { APP_PROVIDER_MOLLIE_URL: mollie.url }, clock });
});

afterAll(async () => {
  await shop.close();
  await mollie.close();
});

/** Does something on Mollie's page, with a method where the payer chooses one. */
async function choose(page: Page, choice: 'pay' | 'fail', method?: string): Promise<void> {
  await page.waitForURL(`${mollie.url}/checkout/**`);
  if (method !== undefined) await page.selectOption('select[name=method]', method);
  await page.locator(`button[value=${choice}]`).click();
}

test.skipIf(chromiumPath === undefined)(
  'a payer who is told why a payment failed pays by iDEAL and agrees to be remembered; the account pays the renewal, ' +
    'and a card that is added in the portal the next one',
  async () => {
    const { post, get, methodsOf, methodIs, stateIs, portalOf, lookUpNow } = shop;
    const facts = { name: 'Ada Lovelace', email: 'ada@example.org', defaultChannelId: shop.channelId };
    const customerId = await makeCustomer(shop.florin, shop.key, facts);
    const invoices = () => get(`invoice/list?customerId=${customerId}`);
    const allArePaid = (count: number) =>
      eventually(`${count} periods are paid`, async () => {
        await lookUpNow();
        const all: { status: string }[] = await invoices();
        return all.length === count && all.every(({ status }) => status === 'PAID');
      });
    const browser = await openBrowser();
    try {
      const page = await (await browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' })).newPage();

      // 1. Nothing can be charged yet: the mail leads to the page. A payment fails there, and the page says why.
      const plan = { name: 'Gold', currency: 'EUR', amount: 1000, interval: 'month', state: true };
      const { id: planId } = await post('plan/modify', plan);
      const { id } = await post('subscription/create', { customerId, planId });
      await eventually('there is an invoice', async () => (await invoices()).length === 1);
      await page.goto(await portalOf(customerId));
      await page.locator('form[action$="/pay"] button').first().click();
      await page.getByRole('button', { name: 'Pay' }).click();
      await choose(page, 'fail', 'ideal');
      await page.getByRole('alert').getByText('There was a technical problem').waitFor({ timeout: 20_000 });

      // 2. The payer pays by iDEAL, and agrees: the account is remembered, as the default because it is the first.
      await page.getByRole('checkbox').first().check();
      await page.getByRole('button', { name: 'Pay' }).click();
      await choose(page, 'pay', 'ideal');
      await page.getByText('Thank you for your payment').waitFor({ timeout: 20_000 });
      await stateIs(id, 'ACTIVE');
      const [account] = await methodsOf(customerId);
      expect(account).toMatchObject({ status: 'ACTIVE', isDefault: true, type: 'sepa_debit' });

      // 3. A month later nobody is there. The debit is announced, sent some days later, and paid by the bank.
      aheadMs = 32 * dayMs;
      await eventually('the second period is billed', async () => (await invoices()).length === 2);
      // A debit whose mail is not sent yet waits for it.
      await shop.addressIn('We will collect it by direct debit');
      aheadMs = 40 * dayMs;
      const debit = await eventually('the account is debited', () =>
        mollie.payments.find(({ sequenceType }) => sequenceType === 'recurring'),
      );
      await page.goto(`${mollie.url}/checkout/${debit.id}`);
      await choose(page, 'pay');
      await allArePaid(2);

      // 4. The portal adds a card, on Mollie's page and without money, makes it the default, and removes the account.
      await page.goto(await portalOf(customerId));
      await page.locator('form[action$="method-add"] button').first().click();
      await choose(page, 'pay', 'creditcard');
      await page.waitForURL(/\/portal|\/p\//);
      const card = await eventually('the card is kept', async () =>
        (await methodsOf(customerId)).find((one) => one.id !== account?.id && one.status === 'ACTIVE'),
      );
      const formOf = (method: string | undefined) =>
        page.locator('form', { has: page.locator(`input[name=method][value="${method}"]`) });
      await page.goto(await portalOf(customerId));
      await formOf(card.id).locator('button[value=default]').click();
      await methodIs(customerId, card.id, { status: 'ACTIVE', isDefault: true });
      await page.goto(await portalOf(customerId));
      await formOf(account?.id).locator('button[value=remove]').click();
      await methodIs(customerId, account?.id, { status: 'DETACHED' });
      await page.goto(await portalOf(customerId));
      expect(await page.locator('form[action$="/method"]').count()).toBe(1);

      // 5. The next period is paid with the card.
      aheadMs = 70 * dayMs;
      await allArePaid(3);
      const last = mollie.payments.findLast(({ sequenceType }) => sequenceType === 'recurring');
      expect(last).toMatchObject({ method: 'creditcard', status: 'paid' });
    } finally {
      await browser.close();
    }
  },
);
