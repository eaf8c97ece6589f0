import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs } from '../../src/core/clock.ts';
import { makeCustomer } from '../support/billing/invoices.ts';
import { type LiveShop, openLiveShop } from '../support/billing/live-shop.ts';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { eventually } from '../support/postgres/database.ts';
import { type StripeSimulator, simulatedLiveApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/**
 * A payer with a browser, without script, at the pages of Florin, of Stripe's simulator and of the bank. No callback
 * arrives.
 */
let shop: LiveShop;
let stripe: StripeSimulator;
/** Both services live as much later. */
let aheadMs = 0;

beforeAll(async () => {
  const clock = () => Date.now() + aheadMs;
  stripe = await startStripeSimulator({ webhookSecret: channelSecret, clock });
  const channel = { provider: 'stripe', apiKey: simulatedLiveApiKey };
  shop = await openLiveShop({ channel, environment: { APP_PROVIDER_STRIPE_URL: stripe.url }, clock });
});

afterAll(async () => {
  await shop.close();
  await stripe.close();
});

/** Adds a method through the portal, on Stripe's page, and through the bank's where the bank wants that. */
async function addThroughPortal(page: Page, portal: string, card: string): Promise<void> {
  await page.goto(portal);
  await page.locator('form[action$="method-add"] button').first().click();
  await page.waitForURL(`${stripe.url}/c/pay/**`);
  await page.selectOption('select[name=method]', card);
  await page.getByRole('button').click();
  await page.waitForURL(`${portal}**`);
}

test.skipIf(chromiumPath === undefined)(
  'a renewal that wants the payer is paid in person from the mail, the method stays, and the portal changes methods',
  async () => {
    const { post, get, methodsOf, methodIs, stateIs, portalOf, addressIn } = shop;
    const facts = { name: 'Ada Lovelace', email: 'ada@example.org', defaultChannelId: shop.channelId };
    const customerId = await makeCustomer(shop.florin, shop.key, facts);
    const browser = await openBrowser();
    try {
      const page = await (await browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' })).newPage();

      // 1. The payer saves a card on Stripe's page, and confirms that with the bank. The first period is paid with it.
      await addThroughPortal(page, await portalOf(customerId), 'pm_card_authenticationRequiredOnSetup');
      const [kept] = await methodsOf(customerId);
      expect(kept).toMatchObject({ status: 'ACTIVE', isDefault: true });
      const plan = { name: 'Gold', currency: 'EUR', amount: 1000, interval: 'month', state: true };
      const { id: planId } = await post('plan/modify', plan);
      const { id } = await post('subscription/create', { customerId, planId });
      const invoices = () => get(`invoice/list?customerId=${customerId}`);
      await eventually('the first period is paid', async () => (await invoices())[0]?.status === 'PAID');

      // 2. A month later the bank wants the payer, and nobody is there: the payment has failed at once.
      for (const method of stripe.account.methods.all) method.isAuthenticated = false;
      aheadMs = 32 * dayMs;
      await stateIs(id, 'PAST_DUE');
      const [{ transactionId, failureCode }] = (await get(`invoice/detail?id=${(await invoices())[0].id}`)).payments;
      expect(failureCode).toBe('authentication_required');
      expect(await get(`transaction/detail?id=${transactionId}`)).toMatchObject({
        status: 'FAILED',
        initiator: 'MERCHANT',
        methodId: kept?.id,
      });

      // 3. The mail leads to a page that offers the card. The payer confirms the payment with the bank.
      await page.goto(await addressIn('your bank wants you to confirm'));
      const card = page.locator(`input[name=channel][value="method:${kept?.id}"]`);
      await card.check();
      await page.locator('form button').first().click();
      await page.getByText('Thank you for your payment').waitFor({ timeout: 20_000 });
      await stateIs(id, 'ACTIVE');
      await methodIs(customerId, kept?.id, { status: 'ACTIVE', isDefault: true });
      const paid = (await invoices())[0];
      const [last] = (await get(`invoice/detail?id=${paid.id}`)).payments;
      expect(paid.status).toBe('PAID');
      expect(await get(`transaction/detail?id=${last.transactionId}`)).toMatchObject({ initiator: 'PAYER' });

      // 4. The portal lists methods, adds one, chooses the default, and removes the first one.
      const portal = await portalOf(customerId);
      await addThroughPortal(page, portal, 'pm_card_visa');
      await page.goto(portal);
      expect(await page.locator('form[action$="/method"]').count()).toBe(2);
      const second = (await methodsOf(customerId)).find((one) => one.id !== kept?.id);
      const formOf = (method: string | undefined) =>
        page.locator('form', { has: page.locator(`input[name=method][value="${method}"]`) });
      await formOf(second?.id).locator('button[value=default]').click();
      await methodIs(customerId, second?.id, { status: 'ACTIVE', isDefault: true });
      await page.goto(portal);
      await formOf(kept?.id).locator('button[value=remove]').click();
      await methodIs(customerId, kept?.id, { status: 'DETACHED' });
      await page.goto(portal);
      expect(await page.locator('form[action$="/method"]').count()).toBe(1);

      // 5. The next period is paid with the new default.
      aheadMs = 63 * dayMs;
      await eventually('three periods are paid', async () => {
        const all: { status: string }[] = await invoices();
        return all.length === 3 && all.every(({ status }) => status === 'PAID');
      });
    } finally {
      await browser.close();
    }
  },
);
