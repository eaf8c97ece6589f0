import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { billingKills } from '../support/faults/database-killed/billing.ts';
import { callbackKills } from '../support/faults/database-killed/callbacks.ts';
import { disputeKills } from '../support/faults/database-killed/disputes.ts';
import { methodKills } from '../support/faults/database-killed/methods.ts';
import { nodePartKills } from '../support/faults/database-killed/node-parts.ts';
import { paymentKills } from '../support/faults/database-killed/payments.ts';
import { type Scenario, startScenario } from '../support/faults/database-killed/scenario.ts';
import { type Kills, type Part, situations } from '../support/faults/database-killed/situations.ts';
import { stopWhileKilled } from '../support/faults/database-killed/stopping.ts';
import { webhookKills } from '../support/faults/database-killed/webhooks.ts';

/**
 * Kills PostgreSQL while each part of the process is in each of its states. The process must keep running, recover by
 * itself, and complete all work exactly once; `npm run verify` finds nothing wrong.
 */
let scenario: Scenario;
let kills: Kills;

beforeAll(async () => {
  scenario = await startScenario();
  kills = {
    ...paymentKills(scenario),
    ...methodKills(scenario),
    ...disputeKills(scenario),
    ...callbackKills(scenario),
    ...webhookKills(scenario),
    ...billingKills(scenario),
    ...nodePartKills(scenario),
  };
});

afterAll(async () => {
  console.log(`PostgreSQL was killed ${scenario.kills} times.`);
  expect(await scenario.node.verified()).toEqual({ code: 0, broken: [] });
  await scenario.node.close();
});

afterEach(() => scenario.releaseLocks());

describe.each(Object.keys(situations) as Part[])('%s', (part) => {
  const states: readonly string[] = situations[part];
  test.each(states)('%s', (state) => (kills[part] as Record<string, () => Promise<void>>)[state]?.());
});

test('stopping, with work of every worker in progress', () => stopWhileKilled(scenario));
