import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs } from '../../src/core/clock.ts';
import { makeCustomer } from '../support/billing/invoices.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { administratorOf, dataOf, makeChannel, makeKey, makeMember, makeTenant } from '../support/factories.ts';
import { bodiesOf, startSmtpServer, type TestSmtpServer } from '../support/mail/smtp-server.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { type StripeSimulator, simulatedLiveApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/**
 * A payer with a browser, without script, at the pages of Florin, of Stripe's simulator and of the bank. In live mode,
 * because test customers get no mails. No callback arrives.
 */
let db: TestDatabase;
let florin: TestFlorin;
let key: string;
let stripe: StripeSimulator;
let smtp: TestSmtpServer;
let channelId: number;
/** Both services live as much later. */
let aheadMs = 0;

beforeAll(async () => {
  const clock = () => Date.now() + aheadMs;
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator({ webhookSecret: channelSecret, clock });
  smtp = await startSmtpServer();
  // The addresses to which the browser is redirected contain the port.
  const port = await freePort();
  const environment = {
    APP_SERVER_PORT: port,
    APP_PUBLIC_URL: `http://127.0.0.1:${port}`,
    APP_PROVIDER_STRIPE_URL: stripe.url,
    APP_MAIL_URL: smtp.url,
  };
  florin = await florinOn(db, environment, clock);
  const admin = await administratorOf(florin);
  const tenantId = await makeTenant(florin, admin, 'Books');
  const tenant = { id: tenantId, name: 'Books', state: true, customerMails: true };
  dataOf(await florin.post('/api/tenant/modify', tenant, admin));
  const { as } = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const facts = { provider: 'stripe', livemode: true, apiKey: simulatedLiveApiKey, webhookSecret: channelSecret };
  channelId = await makeChannel(florin, as, { ...facts, name: 'Stripe', currency: 'EUR' });
  // Sessions end before the second month.
  key = (await makeKey(florin, as, '*')).as;
});

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return String(port);
}

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await smtp.close();
  await stripe.close();
  await db.drop();
});

const post = async (path: string, body: unknown) => dataOf(await florin.post(`/api/${path}`, body, key));
const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, key));

interface Method {
  id: string;
  status: string;
  isDefault: boolean;
}

const methodsOf = async (customerId: number): Promise<Method[]> => get(`payment-method/list?customerId=${customerId}`);
const methodIs = (customerId: number, id: string | undefined, facts: Partial<Method>) =>
  eventually(`the method is ${JSON.stringify(facts)}`, async () => {
    const found = (await methodsOf(customerId)).find((one) => one.id === id);
    return Object.entries(facts).every(([name, value]) => found?.[name as keyof Method] === value);
  });
const stateIs = (id: number, state: string) =>
  eventually(`the subscription is ${state}`, async () => (await get(`subscription/detail?id=${id}`)).state === state);

/** Adds a method through the portal, on Stripe's page, and through the bank's where the bank wants that. */
async function addThroughPortal(page: Page, portal: string, card: string): Promise<void> {
  await page.goto(portal);
  await page.locator('form[action$="method-add"] button').first().click();
  await page.waitForURL(`${stripe.url}/c/pay/**`);
  await page.selectOption('select[name=method]', card);
  await page.getByRole('button').click();
  await page.waitForURL(`${portal}**`);
}

/** The address in the newest mail of this kind. */
const addressIn = (kind: string) =>
  eventually(`a mail says: ${kind}`, () => {
    const texts = smtp.received.flatMap((mail) => bodiesOf(mail)['text/plain'] ?? '');
    const text = texts.findLast((one) => one.includes(kind));
    return /http:\/\/127\.0\.0\.1:\d+\/p\/[\w-]+/.exec(text ?? '')?.[0];
  });

test.skipIf(chromiumPath === undefined)(
  'a renewal that wants the payer is paid in person from the mail, the method stays, and the portal changes methods',
  async () => {
    const facts = { name: 'Ada Lovelace', email: 'ada@example.org', defaultChannelId: channelId };
    const customerId = await makeCustomer(florin, key, facts);
    const openPortal = async (): Promise<string> => (await post('customer/portal', { customerId })).url;
    const browser = await openBrowser();
    try {
      const page = await (await browser.newContext({ javaScriptEnabled: false, locale: 'en-GB' })).newPage();

      // 1. The payer saves a card on Stripe's page, and confirms that with the bank. The first period is paid with it.
      await addThroughPortal(page, await openPortal(), 'pm_card_authenticationRequiredOnSetup');
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
      const portal = await openPortal();
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
