import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeDraft, makeInvoice } from '../support/billing/invoices.ts';
import { administratorOf, dataOf, makeChannel } from '../support/factories.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let bodies: Record<string, object>;

/** A channel that is switched off, and one for another currency. */
let channels: number[];

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await administratorOf(florin);
  channels = [
    await makeChannel(florin, as, { currency: 'EUR', state: false }),
    await makeChannel(florin, as, { currency: 'JPY' }),
  ];
  const customerId = await makeCustomer(florin, as, {
    defaultChannelId: await makeChannel(florin, as, { currency: 'EUR' }),
  });
  const plan = { name: 'Basic', currency: 'EUR', amount: 900, interval: 'month', state: true };
  const { id: planId } = dataOf(await florin.post('/api/plan/modify', plan, as));
  const { id } = dataOf(await florin.post('/api/subscription/create', { customerId, planId, trialDays: 10 }, as));
  const lines = [{ description: 'Bread', quantity: 1, unitAmount: 100 }];
  bodies = {
    'transaction/create': { amount: 100, currency: 'EUR' },
    'invoice/create': { customerId, currency: 'EUR', lines },
    'invoice/modify': { id: await makeDraft(florin, as, customerId, { currency: 'EUR' }) },
    'invoice/pay': { id: await makeInvoice(florin, as, customerId, { currency: 'EUR' }) },
    'plan/modify': plan,
    'subscription/create': { customerId, planId },
    'subscription/update': { id },
    'checkout/create': { amount: 100, currency: 'EUR' },
  };
});

afterAll(async () => {
  await florin?.stop();
  await db?.drop();
});

// The client of the tests throws if the document does not declare a refusal.
test.each([
  'transaction/create',
  'invoice/create',
  'invoice/modify',
  'invoice/pay',
  'plan/modify',
  'subscription/create',
  'subscription/update',
  'checkout/create',
])('%s says why a channel does not take the payment, as its description declares', async (path) => {
  const answers: unknown[] = [];
  for (const id of channels) {
    const channel = path === 'checkout/create' ? { channelIds: [id] } : { channelId: id };
    const { body } = await florin.post(`/api/${path}`, { ...bodies[path], ...channel }, as);
    answers.push(body.error?.type ?? body);
  }
  expect(answers).toEqual(['channel_inactive', 'currency_not_supported']);
});
