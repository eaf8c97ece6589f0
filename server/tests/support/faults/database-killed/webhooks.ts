import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { eventually } from '../../postgres/database.ts';
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts';
import type { Scenario } from './scenario.ts';
import type { Kills } from './situations.ts';

export function webhookKills(scenario: Scenario): Kills<'deliveries' | 'replays'> {
  const { node, count, reaches, isNone, killPostgres, lock, waits, waitsBesideClaims, holdAfter } = scenario;
  return {
    deliveries: {
      waiting: () =>
        endpoint(async ({ receiver, endpointId, answerHeld, created, deliveredOnce }) => {
          receiver.answering = 500;
          const ids = await created(3);
          const failed = `delivery_attempt a join delivery d on d.id = a.delivery_id
              where d.endpoint_id = ${endpointId}`;
          await reaches('all have failed once', failed, 3);
          await killPostgres();
          answerHeld();
          await deliveredOnce(ids);
        }),
      'paused and on trial': () =>
        endpoint(async ({ receiver, endpointId, hold, answerHeld, created, deliveredOnce }) => {
          receiver.answering = 500;
          const ids = await created(8);
          await reaches('the endpoint is paused', `webhook_endpoint where id = ${endpointId} and open_until > now()`);
          await killPostgres();
          const before = receiver.received.length;
          hold();
          await eventually('one delivery is tried', () => receiver.received.length > before, 60_000);
          await killPostgres();
          answerHeld();
          await deliveredOnce(ids);
        }),
      claiming: () =>
        endpoint(async ({ created, deliveredOnce }) => {
          const { result: ids } = await holdAfter('delivery', () => created(1));
          await killPostgres();
          await deliveredOnce(ids);
        }),
      sending: () =>
        endpoint(async ({ held, hold, answerHeld, created, deliveredOnce }) => {
          hold();
          const ids = await created(6);
          await eventually('a post has arrived', () => held.length > 0);
          await killPostgres();
          answerHeld();
          await deliveredOnce(ids);
        }),
      recording: () =>
        endpoint(async ({ held, hold, answerHeld, created, deliveredOnce }) => {
          hold();
          const ids = await created(2);
          await eventually('the posts have arrived', () => held.length === 2);
          await lock('delivery');
          answerHeld();
          await waitsBesideClaims('delivery');
          await killPostgres();
          await deliveredOnce(ids);
        }),
    },
    replays: {
      claiming: () =>
        endpoint(async (hooked) => {
          await replayed(hooked, async (request) => {
            await holdAfter('webhook_replay', request);
            await killPostgres();
          });
        }),
      copying: () =>
        endpoint(async (hooked) => {
          await replayed(hooked, async (request) => {
            const { release } = await holdAfter('webhook_replay', request);
            await lock('delivery');
            await release();
            await waits('delivery');
            await killPostgres();
          });
        }),
      waiting: () =>
        endpoint(async (hooked) => {
          await replayed(hooked, async (request) => {
            await request();
            await reaches(
              'it waits for late commits',
              `webhook_replay where endpoint_id = ${hooked.endpointId} and state = 'RUNNING' and due_at > created_at`,
            );
            await killPostgres();
          });
        }),
    },
  };

  interface Hooked {
    receiver: Receiver;
    endpointId: number;
    held: ServerResponse[];
    hold: () => void;
    answerHeld: () => void;
    created: (payments: number) => Promise<string[]>;
    deliveredOnce: (ids: string[]) => Promise<void>;
  }

  /** An endpoint that is notified of payments, and is removed afterwards. */
  async function endpoint(use: (hooked: Hooked) => Promise<void>): Promise<void> {
    const receiver = await startReceiver();
    const hook = { url: receiver.url, events: ['transaction.created'], secret: 'our shared secret', livemode: false };
    const { id: endpointId } = await scenario.post('webhook/register', hook);
    const channelId = await scenario.makeChannel();
    const held: ServerResponse[] = [];
    try {
      await use({
        receiver,
        endpointId,
        held,
        hold: () => {
          receiver.answering = (_received, _request, response) => held.push(response);
        },
        answerHeld: () => {
          receiver.answering = 200;
          for (const response of held.splice(0)) response.writeHead(200).end('ok');
        },
        created: (payments) => scenario.pay(payments, 'succeed', channelId),
        deliveredOnce: (ids) => deliveredOnce(ids, receiver, endpointId),
      });
    } finally {
      await scenario.releaseLocks();
      await scenario.post('webhook/remove', { id: endpointId });
      await receiver.close();
    }
  }

  /** All were delivered, each under one id and with the same body, however often it arrived. */
  async function deliveredOnce(ids: string[], receiver: Receiver, endpointId: number): Promise<void> {
    await isNone('everything is delivered', `delivery where endpoint_id = ${endpointId} and state = 'OPEN'`);
    expect(await count(`delivery where endpoint_id = ${endpointId} and state = 'SUCCEEDED'`)).toBe(ids.length);
    const received = new Map<string, Set<string>>();
    for (const { headers, body } of receiver.received) {
      const { id } = JSON.parse(body.toString()).data.object;
      received.set(id, (received.get(id) ?? new Set()).add(`${headers['x-service-delivery']} ${body}`));
    }
    expect([...received.keys()].sort()).toEqual([...ids].sort());
    expect([...received.values()].filter((seen) => seen.size > 1)).toEqual([]);
  }

  /** Delivers some hundred payments, replays them with a kill in between, and expects each to be replayed once. */
  async function replayed(
    { endpointId }: Hooked,
    kill: (request: () => Promise<unknown>) => Promise<void>,
  ): Promise<void> {
    const since = new Date(Date.now() - 1_000).toISOString();
    const load = node.load(`replayed-${endpointId}`);
    await load.waitForAcknowledged(500);
    await load.stop();
    await node.expectAcknowledgedPayments(load);
    await isNone('everything is delivered', `delivery where endpoint_id = ${endpointId} and state = 'OPEN'`);
    const first = await count(`delivery where endpoint_id = ${endpointId}`);
    await kill(() => scenario.post('webhook/replay', { endpointId, since }));
    await isNone('the replay is done', `webhook_replay where endpoint_id = ${endpointId} and state = 'RUNNING'`);
    await isNone('everything is delivered', `delivery where endpoint_id = ${endpointId} and state <> 'SUCCEEDED'`);
    const again = `delivery where endpoint_id = ${endpointId} and replay_of is not null`;
    expect(await count(again)).toBe(first);
    expect(await count(`(select distinct replay_of from ${again}) as one`)).toBe(first);
  }
}
