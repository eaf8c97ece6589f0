import { administratorOf, dataOf } from '../factories.ts';
import type { TestFlorin } from '../service/florin.ts';
import { makeShop, pathOf, type Shop } from './checkouts.ts';
import { makeCustomer, makeDraft, makeInvoice } from './invoices.ts';

/** A picture of one pixel. */
const logo = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A shop whose pages have a logo, a colour and an address. */
export async function makeBrandedShop(florin: TestFlorin): Promise<Shop> {
  const shop = await makeShop(florin, await administratorOf(florin));
  const seller = { id: shop.tenantId, logo, brandColor: '#facc15', address: { line1: 'Quay 1', city: 'Hull' } };
  dataOf(await florin.post('/api/seller/modify', seller, shop.as));
  return shop;
}

/** A customer with an open invoice, a draft and a subscription. */
export async function makeAda(florin: TestFlorin, { as, bank }: Shop) {
  const facts = { name: 'Ada <i>', livemode: false, defaultChannelId: bank };
  const customerId = await makeCustomer(florin, as, facts);
  const invoiceId = await makeInvoice(florin, as, customerId, { currency: 'EUR' });
  await makeDraft(florin, as, customerId, { lines: [{ description: 'x', quantity: 1, unitAmount: 77_777 }] });
  const plan = { name: 'Daily <bread>', amount: 300, currency: 'USD', interval: 'month', state: true, livemode: false };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, as));
  const { id: subscriptionId } = dataOf(await florin.post('/api/subscription/create', { customerId, planId }, as));
  return { customerId, invoiceId, subscriptionId };
}

/** The path of a new portal of the customer. */
export async function makePortal(florin: TestFlorin, { as }: Shop, customerId: number): Promise<string> {
  const input = { customerId, returnUrl: 'https://shop.example/' };
  return pathOf(dataOf(await florin.post('/api/customer/portal', input, as)).url);
}
