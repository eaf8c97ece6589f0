import { expect } from 'vitest';
import { makeCheckout, makeShop, pagesOf } from '../../billing/checkouts.ts';
import { makeCustomer, makeInvoice, makePayingCustomer } from '../../billing/invoices.ts';
import { administratorOf, dataOf, makeChannel } from '../../factories.ts';
import { eventually } from '../../postgres/database.ts';
import type { Scenario } from './scenario.ts';
import type { Kills } from './situations.ts';

export function billingKills(
  scenario: Scenario,
): Kills<
  | 'checkouts'
  | 'holds'
  | 'invoices'
  | 'overdue invoices'
  | 'invoice mails'
  | 'search entries'
  | 'subscriptions'
  | 'test clocks'
> {
  const { node, count, reaches, isNone, killPostgres, lock, waits } = scenario;
  return {
    invoices: {
      settling: () =>
        invoicesPaid(async (pay) => {
          const records = await lock('sandbox_operation');
          await pay();
          await lock('invoice');
          await records.release();
          await waits('invoice');
          await killPostgres();
        }),
      ending: () =>
        invoicesPaid(async (pay) => {
          const records = await lock('sandbox_operation');
          await pay();
          await lock('invoice_payment');
          await records.release();
          await waits('invoice_payment');
          await killPostgres();
        }),
      waiting: () =>
        invoicesPaid(async (pay) => {
          await pay();
          await killPostgres();
        }),
    },
    checkouts: {
      judging: async () => {
        const shop = await makeShop(node.service, await administratorOf(node.service), 'Payments beside each other');
        const pages = pagesOf(node.service);
        const { id, path } = await makeCheckout(node.service, shop, { metadata: { sandbox: 'payer' } });
        await pages.submit(path, { channel: shop.cards });
        await reaches('the first payment waits for its payer', `provider_operation where state = 'WAITING'`);
        await pages.submit(path, { channel: shop.bank, besides: 1 });
        const { transactionId } = dataOf(await node.service.get(`/api/checkout/detail?id=${id}`, shop.as));
        await lock('checkout');
        dataOf(await node.service.post('/api/transaction/update', { id: transactionId, status: 'SUCCESS' }, shop.as));
        await waits('checkout');
        await killPostgres();
        await reaches(
          'it is known what paid',
          `checkout_payment where checkout_id = ${id} and judged_at is not null`,
          1,
        );
      },
    },
    holds: {
      judging: async () => {
        const cards = await scenario.makeChannel();
        const bank = await makeChannel(node.service, node.as, { type: 'OFFLINE', livemode: false });
        const customerId = await makeCustomer(node.service, node.as, { livemode: false });
        const id = await makeInvoice(node.service, node.as, customerId);
        const transfer = (await scenario.post('invoice/pay', { id, channelId: bank })).transactionId;
        const manual = { id, channelId: cards, captureMethod: 'MANUAL' };
        const held = (await scenario.post('invoice/pay', manual)).transactionId;
        const payment = `transaction where replace(id::text, '-', '') = '${held.slice('txn_'.length)}'`;
        await reaches('it is authorized', `${payment} and amount_capturable > 0`);
        await lock('provider_operation');
        await scenario.post('transaction/update', { id: transfer, status: 'SUCCESS' });
        await scenario.waitsBesideClaims('provider_operation');
        await killPostgres();
        await reaches('it is released', `${payment} and status = 'CANCELLED'`);
        expect(await count(`event where type = 'transaction.cancelled' and object_id = '${held}'`)).toBe(1);
      },
    },
    'search entries': {
      writing: async () => {
        await lock('search_entry');
        await makeCustomer(node.service, await administratorOf(node.service), { name: 'Sought' });
        await waits('search_entry');
        await killPostgres();
        await reaches('the customer is found', `search_entry where kind = 'customer' and words like '%sought%'`);
      },
    },
    'overdue invoices': {
      marking: async () => {
        const customerId = await makeCustomer(node.service, node.as);
        const id = await makeInvoice(node.service, node.as, customerId);
        await lock('event');
        await node.query(`update invoice set due_date = due_date - 60 where id = ${id}`);
        await waits('event');
        await killPostgres();
        await reaches('the invoice is overdue', `invoice where id = ${id} and overdue_at is not null`, 1);
        expect(await count(`event where type = 'invoice.overdue' and object_id = 'inv_${id}'`)).toBe(1);
        // `npm run verify` compares it with the event.
        await node.query(`update invoice set due_date = due_date + 60 where id = ${id}`);
      },
    },
    'invoice mails': {
      sending: () =>
        receiptSent(async (pay) => {
          await pay();
          await reaches('the receipt is written', `invoice_mail where kind = 'RECEIPT'`);
          await killPostgres();
        }),
      writing: () =>
        receiptSent(async (pay) => {
          await lock('invoice_mail');
          const paying = pay();
          await waits('invoice_mail');
          await killPostgres();
          await paying;
        }),
    },
    subscriptions: {
      renewing: () =>
        renewed(1, async (advance) => {
          await lock('subscription_period');
          await advance();
          await waits('subscription_period');
          await killPostgres();
        }),
      collecting: () =>
        renewed(1, async (advance) => {
          await lock('transaction');
          await advance();
          await waits('transaction');
          await killPostgres();
        }),
      'renewing a year': () =>
        renewed(12, async (advance, invoices) => {
          await advance();
          for (const made of [10, 20, 30, 40, 50]) {
            await reaches(`${made} invoices are raised`, invoices, made);
            await killPostgres();
          }
        }),
    },
    'test clocks': {
      moving: () =>
        renewed(1, async (advance) => {
          const periods = await lock('subscription_period');
          await advance();
          await waits('subscription_period');
          await lock('clock');
          await periods.release();
          await waits('clock');
          await killPostgres();
        }),
      waiting: () =>
        renewed(1, async (advance, invoices) => {
          await lock('provider_operation');
          await advance();
          await reaches('the invoices are raised, and their payments wait', invoices, 10);
          await waits('provider_operation');
          await killPostgres();
        }),
    },
  };

  /** Invoices, each paid by one payment, with a kill in between. */
  async function invoicesPaid(kill: (pay: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const channelId = await scenario.makeChannel();
    const customerId = await makeCustomer(node.service, node.as, { defaultChannelId: channelId });
    const ids = await Promise.all(Array.from({ length: 8 }, () => makeInvoice(node.service, node.as, customerId)));
    await kill(async () => {
      for (const id of ids) await scenario.post('invoice/pay', { id });
    });
    await isNone('every invoice is paid', `invoice where customer_id = ${customerId} and status <> 'PAID'`);
    expect(await count(`invoice_payment where invoice_id in (${ids.join()}) and state = 'SUCCEEDED'`)).toBe(8);
    const invoices = ids.map((id) => `'inv_${id}'`).join();
    expect(await count(`event where type = 'invoice.paid' and object_id in (${invoices})`)).toBe(8);
  }

  /**
   * A paid invoice, with a kill while its receipt is written, in the request that pays it, or sent: the receipt is sent
   * once.
   */
  async function receiptSent(kill: (pay: () => Promise<void>) => Promise<void>): Promise<void> {
    const admin = await administratorOf(node.service);
    dataOf(await node.service.post('/api/tenant/modify', { id: 0, customerMails: true }, admin));
    const channelId = await makeChannel(node.service, admin);
    const customerId = await makeCustomer(node.service, admin, { email: 'ada@home.example' });
    const id = await makeInvoice(node.service, admin, customerId);
    const { transactionId } = dataOf(await node.service.post('/api/invoice/pay', { id, channelId }, admin));
    const pay = () => node.service.post('/api/transaction/update', { id: transactionId, status: 'SUCCESS' }, admin);
    let answer = 0;
    await kill(async () => {
      answer = (await pay()).status;
    });
    if (answer !== 200) expect((await pay()).status).toBe(200);
    // A mail that was being sent is due again when its lease of two minutes has expired.
    const receipt = `invoice_mail where invoice_id = ${id} and kind = 'RECEIPT'`;
    await eventually('the receipt is sent', async () => (await count(`${receipt} and state = 'SENT'`)) === 1, 180_000);
    expect(await count(receipt)).toBe(1);
  }

  /**
   * Five subscriptions whose clock advances by months, with kills in between: each period is invoiced and paid once.
   */
  async function renewed(
    months: number,
    kill: (advance: () => Promise<unknown>, invoices: string) => Promise<void>,
  ): Promise<void> {
    const channelId = await scenario.makeChannel();
    const { id: clockId } = await scenario.post('clock/create', { name: 'Months', nowTime: '2027-01-31T09:30:00Z' });
    const customerId = await makePayingCustomer(node.service, node.as, { clockId, defaultChannelId: channelId });
    const plan = { name: 'Gold', currency: 'USD', amount: 3100, interval: 'month', livemode: false, state: true };
    const { id: planId } = await scenario.post('plan/modify', plan);
    for (let i = 0; i < 5; i++) await scenario.post('subscription/create', { customerId, planId });
    const invoices = `invoice where customer_id = ${customerId}`;
    await reaches('the first invoices are raised', invoices, 5);
    await isNone('the first invoices are paid', `${invoices} and status <> 'PAID'`);
    const toTime = months === 12 ? '2028-01-31T09:30:00Z' : '2027-02-28T09:30:00Z';
    await kill(() => scenario.post('clock/advance', { id: clockId, toTime }), invoices);
    await isNone('the clock has arrived', `clock where id = ${clockId} and target_at is not null`);
    await isNone('every invoice is paid', `${invoices} and status <> 'PAID'`);
    expect(await count(invoices)).toBe(5 * (months + 1));
    const paid = `transaction where channel_id = ${channelId} and status = 'SUCCESS'`;
    expect(await count(paid)).toBe(5 * (months + 1));
  }
}
