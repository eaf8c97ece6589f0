import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { billingKills } from './billing.ts';
import { nodePartKills } from './node-parts.ts';
import { paymentKills } from './payments.ts';
import { openScene, type Scene } from './scene.ts';
import { type Kills, type Part, situations } from './situations.ts';
import { stopWhileKilled } from './stopping.ts';
import { webhookKills } from './webhooks.ts';

/**
 * PostgreSQL is killed while each part of the process is in each of its states. The process must stay, go on by itself, and
 * bring everything to its end once; `npm run verify` finds nothing wrong.
 */
let scene: Scene;
let kills: Kills;

beforeAll(async () => {
  scene = await openScene();
  kills = { ...paymentKills(scene), ...webhookKills(scene), ...billingKills(scene), ...nodePartKills(scene) };
});

afterAll(async () => {
  console.log(`PostgreSQL was killed ${scene.kills} times.`);
  expect(await scene.node.verified()).toEqual({ code: 0, broken: [] });
  await scene.node.close();
});

describe.each(Object.keys(situations) as Part[])('%s', (part) => {
  const states: readonly string[] = situations[part];
  test.each(states)('%s', (state) => (kills[part] as Record<string, () => Promise<void>>)[state]?.());
});

test('stopping, with work of every worker in progress', () => stopWhileKilled(scene));
