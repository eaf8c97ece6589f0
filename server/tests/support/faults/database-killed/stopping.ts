import { expect } from 'vitest';
import { makePayingCustomer } from '../../billing/invoices.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import type { Scenario } from './scenario.ts';

/**
 * Stops the process while its workers have work in progress, and kills PostgreSQL at once: the process ends, and after
 * the next start all work is completed once.
 */
export async function stopWhileKilled(scenario: Scenario): Promise<void> {
  const { node, count, isNone, reaches, pay, paidOnce } = scenario;
  const receiver = await startReceiver((_received, _request, response) => {
    setTimeout(() => response.writeHead(200).end(), 500);
  });
  const hook = { url: receiver.url, events: ['transaction.created'], secret: 'our shared secret', livemode: false };
  const { id: endpointId } = await scenario.post('webhook/register', hook);

  const subscribed = await scenario.makeChannel();
  const { id: clockId } = await scenario.post('clock/create', { name: 'Months', nowTime: '2027-01-31T09:30:00Z' });
  const customerId = await makePayingCustomer(node.service, node.as, { clockId, defaultChannelId: subscribed });
  const plan = { name: 'Gold', currency: 'USD', amount: 3100, interval: 'month', livemode: false, state: true };
  const { id: planId } = await scenario.post('plan/modify', plan);
  for (let i = 0; i < 5; i++) await scenario.post('subscription/create', { customerId, planId });

  const [slow, late, contradicted] = [
    await scenario.makeChannel(),
    await scenario.makeChannel(),
    await scenario.makeChannel(),
  ];
  const contested = await pay(1, 'callback:contradiction', contradicted);
  const called = await pay(5, 'late', late);
  await reaches('callbacks are due', `sandbox_operation where channel_id = ${late}`, 5);
  await scenario.post('clock/advance', { id: clockId, toTime: '2028-01-31T09:30:00Z' });
  const since = new Date(Date.now() - 60_000).toISOString();
  await scenario.post('webhook/replay', { endpointId, since });
  const ids = await pay(5, 'slow', slow);
  await reaches('a call is under way', `provider_operation where channel_id = ${slow} and state = 'CALLING'`);

  const ended = node.service.end('SIGTERM');
  await scenario.kill().catch(() => {});
  expect(await ended).toEqual({ code: 0, signal: null });
  await node.start();
  scenario.restarted();

  await paidOnce(ids, slow);
  await paidOnce(called, late);
  await paidOnce(contested, contradicted);
  await isNone('every callback is settled', `provider_callback where state = 'RECEIVED' and tries = 0`);
  await isNone('the clock has arrived', `clock where id = ${clockId} and target_at is not null`);
  await isNone('every invoice is paid', `invoice where customer_id = ${customerId} and status <> 'PAID'`);
  expect(await count(`invoice where customer_id = ${customerId}`)).toBe(5 * 13);
  await isNone('the replay is done', `webhook_replay where endpoint_id = ${endpointId} and state = 'RUNNING'`);
  await isNone('everything is delivered', `delivery where endpoint_id = ${endpointId} and state <> 'SUCCEEDED'`);
  await isNone('all totals are rolled up', 'transaction_total_delta');
  await scenario.post('webhook/remove', { id: endpointId });
  await receiver.close();
}
