import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCheckout, makeShop, pagesOf, pathOf, type Shop } from '../../../../../tests/support/billing/checkouts.ts';
import { makeCustomer, makeInvoice } from '../../../../../tests/support/billing/invoices.ts';
import { makePortal } from '../../../../../tests/support/billing/portals.ts';
import { administratorOf, dataOf } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let shop: Shop;
let pages: ReturnType<typeof pagesOf>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  shop = await makeShop(florin, await administratorOf(florin));
  pages = pagesOf(florin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const get = async (path: string) => dataOf(await florin.get(`/api/${path}`, shop.as));
const post = async (path: string, body: object) => dataOf(await florin.post(`/api/${path}`, body, shop.as));
const customer = () => makeCustomer(florin, shop.as, { name: 'Ada', livemode: false, defaultChannelId: shop.cards });
const invoice = (customerId: number) => makeInvoice(florin, shop.as, customerId, { currency: 'EUR' });
const methodsOf = (customerId: number) => get(`payment-method/list?customerId=${customerId}`);

async function kept(customerId: number, word = 'succeed'): Promise<string> {
  const setup = { customerId, channelId: shop.cards, token: `sandbox:${word}` };
  const { id } = await post('payment-method/setup', setup);
  await eventually(
    `${id} can be charged`,
    async () => (await get(`payment-method/detail?id=${id}`)).status === 'ACTIVE',
  );
  return id;
}

/** The page of an invoice to which the mail and the portal lead. */
async function mailedPage(customerId: number, invoiceId: number): Promise<string> {
  const portal = await makePortal(florin, shop, customerId);
  const { headers } = await pages.submit(`${portal}/pay`, { invoice: invoiceId });
  return new URL(headers.get('location') as string, `${florin.address}${portal}/pay`).pathname;
}

/** Pays on the sandbox's page. */
async function approve(invoiceId: number): Promise<void> {
  const url = await eventually('the payer is awaited', async () => {
    const [{ transactionId }] = (await get(`invoice/detail?id=${invoiceId}`)).payments;
    return (await get(`transaction/detail?id=${transactionId}`)).nextAction?.url;
  });
  await pages.submit(pathOf(url), { decision: 'pay' });
  await db.query(`update provider_operation set due_at = now() where state = 'WAITING'`);
}

const isPaid = (id: number) =>
  eventually(`invoice ${id} is paid`, async () => (await get(`invoice/detail?id=${id}`)).status === 'PAID');

describe('the page of an invoice', () => {
  test('remembers what the payer pays with, where the payer agrees, and keeps the consent', async () => {
    const customerId = await customer();
    const id = await invoice(customerId);
    const { path } = await makeCheckout(florin, shop, {
      ...{ invoiceId: id, amount: undefined, currency: undefined, description: undefined },
      channelIds: [shop.cards],
    });
    const { body } = await pages.open(path);
    expect(body).toContain('Remember this payment method. Mühle &amp; Söhne may charge it');
    expect(body).not.toMatch(/name="remember"[^>]*checked/);
    await pages.submit(path, { channel: shop.cards, remember: 'yes' });
    await isPaid(id);
    const [method] = await eventually('the method is kept', async () => {
      const found = await methodsOf(customerId);
      return found.length > 0 && found;
    });
    expect(method).toMatchObject({ status: 'ACTIVE', agreement: 'UNSCHEDULED', isDefault: true });
    const [stored] = await db.query<{ consent: object }>('select consent from payment_method where customer_id = $1', [
      customerId,
    ]);
    expect(stored?.consent).toEqual({
      ipAddress: expect.stringMatching(/127\.0\.0\.1/),
      userAgent: expect.any(String),
      acceptedTime: expect.stringMatching(/^\d{4}-/),
    });
  });

  test('remembers nothing without the tick', async () => {
    const customerId = await customer();
    const id = await invoice(customerId);
    const path = await mailedPage(customerId, id);
    expect((await pages.open(path)).status).toBe(200);
    const checkout = await makeCheckout(florin, shop, {
      ...{ invoiceId: id, amount: undefined, currency: undefined, description: undefined },
      channelIds: [shop.cards],
    });
    await pages.submit(checkout.path, { channel: shop.cards });
    await isPaid(id);
    expect(await methodsOf(customerId)).toEqual([]);
  });

  test('says why the last payment failed, in both languages and without what the bank suspects', async () => {
    const customerId = await customer();
    const id = await invoice(customerId);
    const path = await mailedPage(customerId, id);
    const fail = async (code: string) => {
      const input = { id, channelId: shop.cards, paymentMethod: `sandbox:decline:${code}` };
      const { transactionId } = await post('invoice/pay', input);
      await eventually('it has failed', async () => {
        return (await get(`transaction/detail?id=${transactionId}`)).status === 'FAILED';
      });
    };
    await fail('insufficient_funds');
    expect((await pages.open(path)).body).toContain(
      'The last payment did not succeed. There is not enough money on the account or card. You can try again.',
    );
    await fail('expired_card');
    expect((await pages.open(path, 'de')).body).toContain(
      'Die letzte Zahlung ist nicht gelungen. Die Karte ist abgelaufen. Bitte wählen Sie eine andere Zahlungsart.',
    );
    await fail('suspected_fraud');
    expect((await pages.open(path)).body).toContain('Your bank declined it. Please choose another way to pay.');
  });

  test('that Florin sends to the customer offers the stored method, and charges it with the payer', async () => {
    const customerId = await customer();
    const methodId = await kept(customerId, 'offsession:authentication_required');
    const id = await invoice(customerId);
    const path = await mailedPage(customerId, id);
    expect((await pages.open(path)).body).toContain('Visa, ending in 4242');
    await pages.submit(path, { channel: `method:${methodId}` });
    await approve(id);
    await isPaid(id);
    const [{ transactionId }] = (await get(`invoice/detail?id=${id}`)).payments;
    expect(await get(`transaction/detail?id=${transactionId}`)).toMatchObject({ methodId, initiator: 'PAYER' });
    expect(await get(`payment-method/detail?id=${methodId}`)).toMatchObject({ status: 'ACTIVE' });
  });

  test('that the merchant passes on offers no stored method, and charges none', async () => {
    const customerId = await customer();
    const methodId = await kept(customerId);
    const id = await invoice(customerId);
    const { path } = await makeCheckout(florin, shop, {
      ...{ invoiceId: id, amount: undefined, currency: undefined, description: undefined },
      channelIds: [shop.cards],
    });
    expect((await pages.open(path)).body).not.toContain('4242');
    const { body } = await pages.submit(path, { channel: `method:${methodId}` });
    expect(body).toContain('Choose how you want to pay.');
    expect((await get(`invoice/detail?id=${id}`)).payments).toEqual([]);
  });
});

describe('the portal', () => {
  test('lists the payment methods, chooses the default, and removes one', async () => {
    const customerId = await customer();
    const [one, two] = [await kept(customerId), await kept(customerId)];
    const path = await makePortal(florin, shop, customerId);
    const { body } = await pages.open(path);
    expect(body.match(/Visa, ending in 4242<\/strong>/g)).toHaveLength(2);
    expect(body).toContain('Used for automatic payments');
    expect((await pages.submit(`${path}/method`, { method: two, action: 'default' })).status).toBe(303);
    expect((await get(`customer/detail?id=${customerId}`)).defaultMethodId).toBe(two);
    expect((await pages.submit(`${path}/method`, { method: one, action: 'remove' })).status).toBe(303);
    expect((await get(`payment-method/detail?id=${one}`)).status).toBe('DETACHED');
    expect((await pages.open(path)).body.match(/Visa, ending in 4242<\/strong>/g)).toHaveLength(1);
  });

  test('removes no method that a subscription names, and says so', async () => {
    const customerId = await customer();
    const method = await kept(customerId);
    const plan = { name: 'Bread', amount: 300, currency: 'USD', interval: 'month', state: true, livemode: false };
    const { id: planId } = await post('plan/modify', plan);
    await post('subscription/create', { customerId, planId, methodId: method });
    const path = await makePortal(florin, shop, customerId);
    const { status, body } = await pages.submit(`${path}/method`, { method, action: 'remove' });
    expect([status, body]).toEqual([409, expect.stringContaining('A subscription is paid with this payment method.')]);
    expect((await get(`payment-method/detail?id=${method}`)).status).toBe('ACTIVE');
  });

  test('adds a method on the page of the provider', async () => {
    const customerId = await customer();
    const path = await makePortal(florin, shop, customerId);
    expect((await pages.open(path)).body).toContain('Add a payment method');
    const begun = await pages.submit(`${path}/method-add`, { channel: shop.cards, default: 'yes' });
    const waiting = `${path}?${begun.headers.get('location')?.split('?')[1]}`;
    const provider = await eventually('the page leads to the provider', async () => {
      const { headers, body } = await pages.open(waiting);
      expect(body).toContain('Your payment method is being added');
      return /url=(\S+)/.exec(headers.get('refresh') ?? '')?.[1];
    });
    await pages.submit(pathOf(provider), { decision: 'pay' });
    await db.query(`update payment_method_operation set due_at = now() where state = 'WAITING'`);
    await eventually('it is the default', async () => {
      return (await get(`customer/detail?id=${customerId}`)).defaultMethodId !== null;
    });
    expect((await pages.open(waiting)).body).toContain('Used for automatic payments');
  });

  test('shows and changes no method of another customer', async () => {
    const [one, other] = [await customer(), await customer()];
    const method = await kept(other);
    const path = await makePortal(florin, shop, one);
    expect((await pages.submit(`${path}/method`, { method, action: 'remove' })).status).toBe(404);
    expect((await get(`payment-method/detail?id=${method}`)).status).toBe('ACTIVE');
  });
});
