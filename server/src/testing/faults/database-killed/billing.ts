import { expect } from 'vitest';
import { makeCustomer, makeInvoice } from '../../billing/invoices.ts';
import type { Scene } from './scene.ts';
import type { Kills } from './situations.ts';

export function billingKills(scene: Scene): Kills<'invoices' | 'subscriptions' | 'test clocks'> {
  const { node, count, reaches, isNone, killPostgres, lock, waits } = scene;
  return {
    invoices: {
      claiming: () =>
        invoicesPaid(async (pay) => {
          const records = await lock('sandbox_operation');
          await pay();
          await lock('invoice_payment');
          await records.release();
          // A claim, and the outcomes of the payments.
          await waits('invoice_payment', 2);
          await killPostgres();
        }),
      settling: () =>
        invoicesPaid(async (pay) => {
          const records = await lock('sandbox_operation');
          await pay();
          await lock('invoice');
          await records.release();
          await waits('invoice');
          await killPostgres();
        }),
      waiting: () =>
        invoicesPaid(async (pay) => {
          await pay();
          await killPostgres();
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

  /** Invoices that a payment each pays, and a kill in between. */
  async function invoicesPaid(kill: (pay: () => Promise<unknown>) => Promise<void>): Promise<void> {
    const channelId = await scene.makeChannel();
    const customerId = await makeCustomer(node.service, node.as, { defaultChannelId: channelId });
    const ids = await Promise.all(Array.from({ length: 8 }, () => makeInvoice(node.service, node.as, customerId)));
    await kill(async () => {
      for (const id of ids) await scene.post('invoice/pay', { id });
    });
    await isNone('every invoice is paid', `invoice where customer_id = ${customerId} and status <> 'PAID'`);
    expect(await count(`invoice_payment where invoice_id in (${ids.join()}) and state = 'SUCCEEDED'`)).toBe(8);
    const invoices = ids.map((id) => `'inv_${id}'`).join();
    expect(await count(`event where type = 'invoice.paid' and object_id in (${invoices})`)).toBe(8);
  }

  /** Five subscriptions whose clock advances by months, with kills in between: each period is invoiced and paid once. */
  async function renewed(
    months: number,
    kill: (advance: () => Promise<unknown>, invoices: string) => Promise<void>,
  ): Promise<void> {
    const channelId = await scene.makeChannel();
    const { id: clockId } = await scene.post('clock/create', { name: 'Months', nowTime: '2027-01-31T09:30:00Z' });
    const customerId = await makeCustomer(node.service, node.as, { clockId, defaultChannelId: channelId });
    const plan = { name: 'Gold', currency: 'USD', amount: 3100, interval: 'month', livemode: false, state: true };
    const { id: planId } = await scene.post('plan/modify', plan);
    for (let i = 0; i < 5; i++) await scene.post('subscription/create', { customerId, planId });
    const invoices = `invoice where customer_id = ${customerId}`;
    await reaches('the first invoices are raised', invoices, 5);
    await isNone('the first invoices are paid', `${invoices} and status <> 'PAID'`);
    const toTime = months === 12 ? '2028-01-31T09:30:00Z' : '2027-02-28T09:30:00Z';
    await kill(() => scene.post('clock/advance', { id: clockId, toTime }), invoices);
    await isNone('the clock has arrived', `clock where id = ${clockId} and target_at is not null`);
    await isNone('every invoice is paid', `${invoices} and status <> 'PAID'`);
    expect(await count(invoices)).toBe(5 * (months + 1));
    const paid = `transaction where channel_id = ${channelId} and status = 'SUCCESS'`;
    expect(await count(paid)).toBe(5 * (months + 1));
  }
}
