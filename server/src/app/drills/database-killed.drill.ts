import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { billingKills } from '../../testing/faults/database-killed/billing.ts';
import { callbackKills } from '../../testing/faults/database-killed/callbacks.ts';
import { nodePartKills } from '../../testing/faults/database-killed/node-parts.ts';
import { paymentKills } from '../../testing/faults/database-killed/payments.ts';
import { openScene, type Scene } from '../../testing/faults/database-killed/scene.ts';
import { type Kills, type Part, situations } from '../../testing/faults/database-killed/situations.ts';
import { stopWhileKilled } from '../../testing/faults/database-killed/stopping.ts';
import { webhookKills } from '../../testing/faults/database-killed/webhooks.ts';

/**
 * Kills PostgreSQL while each part of the process is in each of its states. The process must keep running, recover by itself,
 * and complete all work exactly once; `npm run verify` finds nothing wrong.
 */
let scene: Scene;
let kills: Kills;

beforeAll(async () => {
  scene = await openScene();
  kills = {
    ...paymentKills(scene),
    ...callbackKills(scene),
    ...webhookKills(scene),
    ...billingKills(scene),
    ...nodePartKills(scene),
  };
});

afterAll(async () => {
  console.log(`PostgreSQL was killed ${scene.kills} times.`);
  expect(await scene.node.verified()).toEqual({ code: 0, broken: [] });
  await scene.node.close();
});

afterEach(() => scene.releaseLocks());

describe.each(Object.keys(situations) as Part[])('%s', (part) => {
  const states: readonly string[] = situations[part];
  test.each(states)('%s', (state) => (kills[part] as Record<string, () => Promise<void>>)[state]?.());
});

test('stopping, with work of every worker in progress', () => stopWhileKilled(scene));
