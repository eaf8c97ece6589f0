import { expect } from 'vitest';
import { makeCustomer } from '../../billing/invoices.ts';
import type { Scenario } from './scenario.ts';
import type { Kills } from './situations.ts';

export function methodKills(scenario: Scenario): Kills<'methods' | 'expiries' | 'method readings'> {
  const { node, count, reaches, killPostgres, lock, waits, holdAfter, post } = scenario;
  const uuidIs = (id: string) => `replace(id::text, '-', '') = '${id.slice('mtd_'.length)}'`;

  return {
    methods: {
      claiming: async () => {
        const setUp = await setup();
        const { result: id } = await holdAfter('payment_method_operation', setUp);
        await killPostgres();
        await attachedOnce(id);
      },
      recording: async () => {
        const setUp = await setup();
        const records = await lock('sandbox_operation');
        const id = await setUp();
        await waits('sandbox_operation');
        await lock('payment_method');
        await records.release();
        await waits('payment_method');
        await killPostgres();
        await attachedOnce(id);
      },
    },
    expiries: {
      marking: async () => {
        const id = await kept();
        await lock('event');
        await node.query(
          `update payment_method set expiry_month = 1, expiry_year = 2020, expiry_due_at = now() where ${uuidIs(id)}`,
        );
        await waits('event');
        await killPostgres();
        await reaches('the card has expired', `payment_method where ${uuidIs(id)} and status = 'EXPIRED'`);
        expect(await count(`event where type = 'payment_method.expired' and object_id = '${id}'`)).toBe(1);
      },
    },
    'method readings': {
      claiming: async () => {
        const id = await kept();
        await node.query(`update payment_method set read_due_at = now() + interval '3 seconds' where ${uuidIs(id)}`);
        await lock('payment_method');
        await waits('payment_method');
        await killPostgres();
        await reaches('it was read', `payment_method where ${uuidIs(id)} and read_due_at > now() + interval '30 min'`);
      },
    },
  };

  /** Prepares a setup: returns what requests it. */
  async function setup(): Promise<() => Promise<string>> {
    const channelId = await scenario.makeChannel();
    const customerId = await makeCustomer(node.service, node.as, { livemode: false });
    return async () => (await post('payment-method/setup', { customerId, channelId, token: 'tok_visa' })).id;
  }

  async function kept(): Promise<string> {
    const id = await (await setup())();
    await attachedOnce(id);
    return id;
  }

  async function attachedOnce(id: string): Promise<void> {
    await reaches('the method can be charged', `payment_method where ${uuidIs(id)} and status = 'ACTIVE'`);
    expect(await count(`event where type = 'payment_method.attached' and object_id = '${id}'`)).toBe(1);
    expect(await count(`sandbox_operation where key like '${id}-%'`)).toBe(1);
  }
}
