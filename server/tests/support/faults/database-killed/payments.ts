import { expect } from 'vitest';
import { makeChannel } from '../../factories.ts';
import type { Scenario } from './scenario.ts';
import type { Kills } from './situations.ts';

export function paymentKills(scenario: Scenario): Kills<'operations' | 'rollups'> {
  const {
    node,
    count,
    reaches,
    isNone,
    killPostgres,
    lock,
    waits,
    waitsBesideClaims,
    holdAfter,
    pay,
    operationsOf,
    paidOnce,
  } = scenario;

  return {
    operations: {
      waiting: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(5, 'pending:2', channelId);
        await reaches('the provider waits', operationsOf('WAITING', channelId), 5);
        // Repeatedly, so that one kill falls on the first look-up, 5 s after the call.
        for (let kill = 0; kill < 8; kill++) await killPostgres();
        await paidOnce(ids, channelId);
        const [{ most } = { most: 99 }] = await node.query<{ most: number }>(
          `select max(look_ups) as most from provider_operation where channel_id = ${channelId}`,
        );
        // The second look-up ends it. One more is made where the answer to one was lost after the sandbox had counted
        // it.
        expect(most).toBeLessThanOrEqual(2);
      },
      'waiting behind an open breaker': async () => {
        await openBreaker([]);
        await openBreaker([await makeChannel(node.service, node.as, { provider: 'sandbox' })]);
      },
      claiming: async () => {
        const channelId = await scenario.makeChannel();
        const { result: ids } = await holdAfter('provider_operation', () => pay(1, 'succeed', channelId));
        await killPostgres();
        await paidOnce(ids, channelId);
      },
      calling: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(8, 'slow', channelId);
        await reaches('a call is under way', operationsOf('CALLING', channelId));
        await killPostgres();
        await paidOnce(ids, channelId);
      },
      unknown: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(3, 'timeout:after', channelId);
        await reaches('the outcomes are unknown', operationsOf('UNKNOWN', channelId), 3);
        await killPostgres();
        await paidOnce(ids, channelId);
      },
      recording: async () => {
        const channelId = await scenario.makeChannel();
        const records = await lock('sandbox_operation');
        const ids = await pay(2, 'succeed', channelId);
        await waits('sandbox_operation');
        await lock('provider_operation');
        await records.release();
        await waitsBesideClaims('provider_operation');
        await killPostgres();
        await paidOnce(ids, channelId);
      },
      refunding: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(6, 'succeed', channelId);
        await paidOnce(ids, channelId);
        await Promise.all(ids.map((transactionId) => scenario.post('refund/create', { transactionId, amount: 500 })));
        await killPostgres();
        const list = ids.map((id) => `'${id.slice(4)}'`).join();
        const given = `refund where replace(transaction_id::text, '-', '') in (${list})`;
        await isNone('every refund has ended', `${given} and status <> 'SUCCESS'`);
        expect(await count(given)).toBe(6);
        expect(await count(`sandbox_operation where channel_id = ${channelId} and kind = 'REFUND'`)).toBe(6);
      },
    },

    rollups: {
      waiting: async () => {
        const load = node.load('totals');
        for (let kill = 0; kill < 3; kill++) {
          await load.waitForAcknowledged(200);
          await killPostgres();
        }
        await load.waitForAcknowledged(200);
        await load.stop();
        await node.expectAcknowledgedPayments(load);
        await isNone('all totals are rolled up', 'transaction_total_delta');
      },
      'rolling up': async () => {
        const channelId = await scenario.makeChannel();
        await lock('transaction_total');
        const ids = await pay(10, 'succeed', channelId);
        await waits('transaction_total');
        await killPostgres();
        await paidOnce(ids, channelId);
        await isNone('all totals are rolled up', 'transaction_total_delta');
        const listed = await node.service.get(`/api/transaction/list?channelId=${channelId}`, node.as);
        expect(listed.body.pagination.total).toBe(ids.length);
      },
    },
  };

  async function openBreaker(fallbackChannelIds: number[]): Promise<void> {
    const channelId = await makeChannel(node.service, node.as, { provider: 'sandbox', fallbackChannelIds });
    const unanswered = await pay(6, 'timeout:after', channelId);
    await reaches('the breaker is open', operationsOf('UNKNOWN', channelId), 6);
    const later = await pay(4, 'succeed', channelId);
    for (let kill = 0; kill < 3; kill++) await killPostgres();
    const ids = [...unanswered, ...later];
    const channels = [channelId, ...fallbackChannelIds].join();
    await isNone(
      'every charge has ended',
      `provider_operation where channel_id in (${channels}) and finished_at is null`,
    );
    expect(await count(`transaction where channel_id = ${channelId} and status = 'SUCCESS'`)).toBe(ids.length);
    const taken = `sandbox_operation where channel_id in (${channels}) and state = 'SUCCEEDED'`;
    expect(await count(taken)).toBe(ids.length);
  }
}
