import { expect } from 'vitest';
import { headersOf, signedMessage } from '../../../../src/domains/payments/providers/sandbox/messages.ts';
import { dataOf } from '../../factories.ts';
import { sandboxReportOf } from '../../payments/callbacks.ts';
import { eventually } from '../../postgres/database.ts';
import type { Scenario } from './scenario.ts';
import type { Kills } from './situations.ts';

/** Kills while the sandbox sends callbacks, while callbacks are settled, and while contradictions are looked up. */
export function callbackKills(scenario: Scenario): Kills<'discrepancies' | 'callbacks' | 'sandbox'> {
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
    discrepancies: {
      claiming: async () => {
        const contradicted = await contradict();
        await holdAfter('discrepancy', contradicted.send);
        await killPostgres();
        await contradicted.isAgreed();
      },
      'looking up': async () => {
        const contradicted = await contradict();
        await lock('sandbox_operation', 'access exclusive');
        await contradicted.send();
        await contradicted.isLookedUp();
        await killPostgres();
        await contradicted.isAgreed();
      },
      recording: async () => {
        const contradicted = await contradict();
        const records = await lock('sandbox_operation', 'access exclusive');
        await contradicted.send();
        await contradicted.isLookedUp();
        await lock('discrepancy');
        await records.release();
        await waitsBesideClaims('discrepancy');
        await killPostgres();
        await contradicted.isAgreed();
      },
      waiting: async () => {
        const contradicted = await contradict();
        // The provider does not answer within the deadline: the next look-up is due after 5 s.
        const records = await lock('sandbox_operation', 'access exclusive');
        await contradicted.send();
        await reaches(
          'the next look-up is scheduled',
          `${contradicted.discrepancy} and look_ups = 1 and lease is null`,
        );
        await records.release();
        await killPostgres();
        await contradicted.isAgreed();
      },
    },

    callbacks: {
      claiming: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(1, 'pending:9', channelId);
        await reaches('the charge is in progress', operationsOf('WAITING', channelId));
        await node.query(`update sandbox_operation set state = 'SUCCEEDED' where channel_id = ${channelId}`);
        const message = signedMessage(sandboxReportOf(ids[0] as string), 9, 'shared');
        await holdAfter('provider_callback', () => callback(channelId, message));
        await killPostgres();
        await settledOnce(ids, channelId);
      },
      settling: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(3, 'late', channelId);
        await reaches('the charge is in progress', operationsOf('WAITING', channelId), 3);
        await lock('transaction');
        await waits('transaction');
        await killPostgres();
        await settledOnce(ids, channelId);
      },
      recording: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(1, 'late', channelId);
        await reaches('the charge is in progress', operationsOf('WAITING', channelId));
        const payments = await lock('transaction');
        await waits('transaction');
        await lock('provider_callback');
        await payments.release();
        await waitsBesideClaims('provider_callback');
        await killPostgres();
        await settledOnce(ids, channelId);
      },
      waiting: async () => {
        const channelId = await scenario.makeChannel();
        const [id = ''] = await pay(1, 'succeed', channelId);
        await paidOnce([id], channelId);
        // The charge is unknown to Florin: the callback is tried again after 5 s.
        const message = signedMessage({ ...sandboxReportOf(id), key: `${id}-9` }, 1, 'shared');
        await callback(channelId, message);
        const stray = `provider_callback where channel_id = ${channelId} and tries`;
        await reaches('the callback was tried', `${stray} = 1`);
        await killPostgres();
        await reaches('the callback was tried again', `${stray} = 2`);
      },
    },

    sandbox: {
      waiting: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(20, 'late', channelId);
        await reaches('callbacks are due', `sandbox_operation where channel_id = ${channelId}`);
        await killPostgres();
        await settledOnce(ids, channelId);
      },
      claiming: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(4, 'late', channelId);
        await reaches('callbacks are due', `sandbox_operation where channel_id = ${channelId}`, 4);
        await lock('sandbox_operation');
        await waits('sandbox_operation');
        await killPostgres();
        await settledOnce(ids, channelId);
      },
      sending: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(4, 'callback:twice', channelId);
        await reaches('callbacks are due', `sandbox_operation where channel_id = ${channelId}`, 4);
        await lock('provider_callback');
        await waitsBesideClaims('provider_callback');
        await killPostgres();
        await expireLeases(channelId);
        await settledOnce(ids, channelId);
      },
      recording: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(2, 'late', channelId);
        await reaches('callbacks are due', `sandbox_operation where channel_id = ${channelId}`, 2);
        const stored = await lock('provider_callback');
        await waitsBesideClaims('provider_callback');
        await lock('sandbox_operation');
        await stored.release();
        await waitsBesideClaims('sandbox_operation');
        await killPostgres();
        await expireLeases(channelId);
        await settledOnce(ids, channelId);
      },
    },
  };

  /** A payment that has succeeded, and a callback that says that it failed. */
  async function contradict() {
    const channelId = await scenario.makeChannel();
    const [id = ''] = await pay(1, 'succeed', channelId);
    await paidOnce([id], channelId);
    const discrepancy = `discrepancy where channel_id = ${channelId}`;
    const message = signedMessage(sandboxReportOf(id, { state: 'FAILED' }), 9, 'shared');
    return {
      discrepancy,
      send: () => callback(channelId, message),
      /**
       * A look-up follows the claim at once. While the sandbox's records are locked it lasts until the provider's
       * deadline.
       */
      isLookedUp: () => reaches('the provider is looked up', `${discrepancy} and lease is not null`),
      isAgreed: async () => {
        await reaches('the provider agrees', `${discrepancy} and state = 'AGREES'`);
        await paidOnce([id], channelId);
        expect(await count(discrepancy)).toBe(1);
        const notes = `timeline_message where replace(transaction_id::text, '-', '') = '${id.slice(4)}'`;
        expect(await count(`${notes} and kind = 'callback'`)).toBe(1);
      },
    };
  }

  async function callback(channelId: number, message: ReturnType<typeof signedMessage>): Promise<void> {
    const options = { body: message.body, headers: headersOf(message) };
    dataOf(await node.service.call('POST', `/api/callback/${channelId}`, options));
  }

  /** A callback whose claim was lost is due again when its lease of a minute expires; this makes it due now. */
  async function expireLeases(channelId: number): Promise<void> {
    await node.query(
      `update sandbox_operation set callback_due_at = now() where channel_id = $1 and callback_due_at is not null`,
      [channelId],
    );
  }

  async function settledOnce(ids: string[], channelId: number): Promise<void> {
    await paidOnce(ids, channelId);
    await isNone('every callback was sent', `sandbox_operation where callback_due_at is not null`);
    await isNone('every callback is settled', `provider_callback where state = 'RECEIVED' and tries = 0`);
    await eventually('each payment has its callback', async () => {
      const settled = await count(`provider_callback where channel_id = ${channelId} and state = 'SETTLED'`);
      return settled >= ids.length;
    });
  }
}
