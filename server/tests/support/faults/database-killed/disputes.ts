import { expect } from 'vitest';
import { makePayment } from '../../factories.ts';
import type { Scenario } from './scenario.ts';
import type { Kills } from './situations.ts';

type DisputeParts = 'dispute answers' | 'dispute deadlines' | 'dispute lists' | 'dispute readings';

export function disputeKills(scenario: Scenario): Kills<DisputeParts> {
  const { node, count, reaches, killPostgres, lock, waits, post } = scenario;
  const uuidIs = (id: string) => `replace(id::text, '-', '') = '${id.slice('dsp_'.length)}'`;

  return {
    'dispute answers': {
      recording: async () => {
        const id = await disputed('dispute');
        await lock('dispute_operation');
        const accepted = post('dispute/accept', { id }).catch(() => undefined);
        await waits('dispute_operation');
        await killPostgres();
        if ((await accepted) === undefined) await post('dispute/accept', { id });
        await reaches('the dispute is lost', `dispute where ${uuidIs(id)} and status = 'LOST'`);
        expect(await count(`event where type = 'dispute.lost' and object_id = '${id}'`)).toBe(1);
      },
    },
    'dispute deadlines': {
      passing: async () => {
        const id = await disputed('dispute');
        await lock('event');
        // Also at the sandbox: the next reading tells its deadline.
        await node.query(
          `update sandbox_operation set disputed_at = disputed_at - interval '7 days'
            where disputed_at is not null and channel_id = (select channel_id from dispute where ${uuidIs(id)})`,
        );
        await node.query(`update dispute set respond_by = now(), due_at = now() where ${uuidIs(id)}`);
        await waits('event');
        await killPostgres();
        await reaches('the dispute has expired', `dispute where ${uuidIs(id)} and status = 'EXPIRED'`);
        expect(await count(`event where type = 'dispute.updated' and object_id = '${id}'`)).toBe(1);
      },
    },
    'dispute lists': {
      claiming: async () => {
        await disputed('dispute:lost');
        await node.query(`update dispute_reading set due_at = now() + interval '3 seconds'`);
        await lock('dispute_reading');
        await waits('dispute_reading');
        await killPostgres();
        await reaches('it was read', `dispute_reading where due_at > now() + interval '30 min'`);
      },
    },
    'dispute readings': {
      claiming: async () => {
        const id = await disputed('dispute:lost');
        await node.query(`update dispute set read_due_at = now() + interval '3 seconds' where ${uuidIs(id)}`);
        await lock('dispute');
        await waits('dispute');
        await killPostgres();
        await reaches('it was read', `dispute where ${uuidIs(id)} and read_due_at > now() + interval '30 min'`);
      },
    },
  };

  /** A dispute that the sandbox tells of. */
  async function disputed(word: string): Promise<string> {
    const channelId = await scenario.makeChannel();
    const id = await makePayment(node.service, node.as, channelId, { metadata: { sandbox: word } });
    const payment = `transaction_id = '${id.slice('txn_'.length)}'::uuid`;
    await reaches('the payment is disputed', `dispute where ${payment}`);
    const [row] = await node.query<{ id: string }>(
      `select replace(id::text, '-', '') as id from dispute where ${payment}`,
    );
    return `dsp_${row?.id}`;
  }
}
