import { afterEach, beforeEach, expect, test } from 'vitest';
import { chargeScenario } from '../../../../../tests/support/payments/charge-scenario.ts';
import { type OperationsNodeOptions, operationsNode } from '../../../../../tests/support/payments/operations-node.ts';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../../core/clock.ts';
import { failure } from '../../providers/failures.ts';
import type { Outcome } from '../../providers/outcome.ts';

/** The clock stands still unless a test moves it, so that the number of calls is exact. */
const scenario = chargeScenario();
const { pay } = scenario;
const channelId = 21;

interface PacedNode {
  node: Awaited<ReturnType<typeof operationsNode>>;
  /** Claims that have ended. */
  claims: number;
}

const nodes: PacedNode[] = [];
/** How many more calls the provider takes before it refuses them. */
let takes: number;
/** Calls that `sentAfter` has returned. */
let counted: number;

beforeEach(() => {
  counted = 0;
  takes = Number.POSITIVE_INFINITY;
  scenario.node.provider.answer = (_verb, { key }) => (takes-- > 0 ? { kind: 'succeeded', reference: key } : refused);
});

afterEach(async () => {
  for (const { node } of nodes.splice(0)) {
    await node.stop();
    expect(node.errors).toEqual([]);
  }
});

const refused: Outcome = { kind: 'rate_limited', failure: failure('provider_unavailable', 'rate_limit') };

/** Starts another node on the database; all have one provider. */
async function startNode(options: OperationsNodeOptions = {}): Promise<void> {
  const { provider } = scenario.node;
  const paced = { claims: 0 } as PacedNode;
  paced.node = await operationsNode(scenario.db, {
    clock: () => scenario.nowMs,
    provider,
    wrapDatabase: (database) => ({
      run: async (statement, values) => {
        const rows = await database.run(statement, values);
        if (statement.name === 'operations.claim') paced.claims++;
        return rows as never;
      },
      transaction: (work) => database.transaction(work),
    }),
    ...options,
  });
  nodes.push(paced);
  paced.node.dispatcher.start();
}

const payMany = (count: number) => Promise.all(Array.from({ length: count }, () => pay(channelId)));
const calls = () => scenario.node.provider.requests.length;

/**
 * Moves the clock, lets the nodes claim until they find nothing that they may send, and returns how many calls they
 * made since it was last called; a node claims as soon as it starts.
 */
async function sentAfter(ms: number): Promise<number> {
  scenario.nowMs += ms;
  for (let idleRounds = 0; idleRounds < 2; ) {
    const madeBefore = calls();
    await Promise.all(nodes.map(claimTwice));
    idleRounds = calls() === madeBefore ? idleRounds + 1 : 0;
  }
  const sent = calls() - counted;
  counted += sent;
  return sent;
}

/** A claim under way may have begun before the clock was moved. */
async function claimTwice(paced: PacedNode): Promise<void> {
  const claimsBefore = paced.claims;
  await eventually('it has claimed twice', () => {
    paced.node.dispatcher.wake();
    return paced.claims >= claimsBefore + 2;
  });
  await paced.node.dispatcher.drained();
}

/** How many calls are made in a second, in steps shorter than the time for which unused rate accumulates. */
async function sentInASecond(): Promise<number> {
  let sent = 0;
  for (let step = 0; step < 8; step++) sent += await sentAfter(secondMs / 8);
  return sent;
}

/** The learned rate, after the refusals so far have lowered it. */
function rateAfterRefusal(): Promise<number> {
  return eventually('the channel was slowed down', async () => {
    const [pace] = await scenario.db.query<{ rate_per_s: number }>(
      'select rate_per_s from channel_pace where channel_id = $1 and limited_ms = $2',
      [channelId, scenario.nowMs],
    );
    return pace?.rate_per_s;
  });
}

test('two nodes together send as many operations a second as the setting allows', async () => {
  await payMany(40);
  await startNode({ callsPerSecond: 8 });
  // What accumulates in a quarter of a second.
  expect(await sentAfter(0)).toBe(2);
  await startNode({ callsPerSecond: 8 });
  expect(await sentAfter(0)).toBe(0);
  expect(await sentInASecond()).toBe(8);
  expect(await sentInASecond()).toBe(8);
  expect(await sentAfter(minuteMs)).toBe(2);
});

test('what waits for the rate is not late on this machine', async () => {
  const waitsMs: number[] = [];
  scenario.node.provider.answer = (_verb, { key }) => {
    waitsMs.push(...nodes.map(({ node }) => node.dispatcher.oldestWaitMs));
    return { kind: 'succeeded', reference: key };
  };
  await payMany(3);
  await startNode({ callsPerSecond: 4 });
  expect(await sentAfter(0)).toBe(1);
  expect(await sentAfter(hourMs)).toBe(1);
  expect(waitsMs).toHaveLength(2);
  expect(Math.max(...waitsMs)).toBeLessThan(minuteMs);
});

test('a channel that is not limited sends at once, and is not counted', async () => {
  await payMany(40);
  await startNode();
  expect(await sentAfter(0)).toBe(40);
  expect(await scenario.db.query('select * from channel_pace')).toEqual([]);
});

test('after a refusal all nodes send what the provider took and a little less, and then more again', async () => {
  await payMany(90);
  takes = 20;
  await startNode();
  await sentAfter(0);
  expect(calls()).toBe(90);
  takes = Number.POSITIVE_INFINITY;
  expect(await rateAfterRefusal()).toBe(14);
  await startNode();
  // The channel pauses for a second. After it the nodes share a rate, which grows while it is used up.
  expect(await sentAfter(secondMs - 1)).toBe(0);
  expect(await sentAfter(1)).toBe(1);
  const first = await sentInASecond();
  const second = await sentInASecond();
  const third = await sentInASecond();
  expect([13, 14, 15]).toContain(first);
  expect(first + second + third).toBeGreaterThan(3 * 14);
  expect(first + second + third).toBeLessThanOrEqual(14 * (1.05 + 1.05 ** 2 + 1.05 ** 3) + 1);
});

test('refusals of one second lower the rate once, and those of a later one again', async () => {
  await payMany(60);
  takes = 20;
  await startNode();
  await sentAfter(0);
  await rateAfterRefusal();
  takes = 0;
  await sentAfter(2 * secondMs);
  const lowered = await rateAfterRefusal();
  // The rate had grown for a second.
  expect(lowered).toBeCloseTo(14 * 1.05 * 0.7);
  await sentAfter(secondMs / 2);
  await sentAfter(secondMs / 2 + 1);
  expect(await rateAfterRefusal()).toBeLessThan(lowered);
});

test('a channel pauses for as long as its provider asks to wait, and for a minute at most', async () => {
  const answers = ['20', '3600'];
  scenario.node.provider.answer = (_verb, { key }) => {
    const retryAfter = answers.shift();
    return retryAfter === undefined ? { kind: 'succeeded', reference: key } : { ...refused, retryAfter };
  };
  await payMany(1);
  await startNode();
  expect(await sentAfter(0)).toBe(1);
  await rateAfterRefusal();
  await payMany(1);
  expect(await sentAfter(20 * secondMs - 1)).toBe(0);
  expect(await sentAfter(1)).toBe(1);
  await rateAfterRefusal();
  await payMany(1);
  expect(await sentAfter(minuteMs - 1)).toBe(0);
  expect(await sentAfter(1)).toBe(1);
});

test.each([1, 400])('a paced channel goes on at its rate after the clock was set back by %i days', async (days) => {
  await payMany(3);
  await startNode({ callsPerSecond: 1 });
  expect(await sentAfter(0)).toBe(1);
  expect(await sentAfter(secondMs)).toBe(1);
  scenario.nowMs -= days * dayMs;
  await nodes[0]?.node.dispatcher.clockWasSetBack();
  expect(await sentAfter(secondMs)).toBe(1);
});

test('a payer does not wait for renewals that were due before, and these are sent afterwards', async () => {
  const renewals = await payMany(100);
  await scenario.db.query('update provider_operation set background = true');
  await startNode({ callsPerSecond: 4 });
  expect(await sentAfter(0)).toBe(1);
  const payers = [await pay(channelId), await pay(channelId)];
  expect(await sentAfter(secondMs / 4)).toBe(1);
  expect(await sentAfter(secondMs / 4)).toBe(1);
  expect(await sentAfter(secondMs / 4)).toBe(1);
  const sent = scenario.node.provider.requests.map(({ operation }) => operation.transactionId);
  expect(sent.slice(1, 3)).toEqual(payers);
  expect(renewals).toContain(sent[0]);
  expect(renewals).toContain(sent[3]);
});

test('the charge of a renewal at a fallback channel stays behind those of payers', async () => {
  scenario.node.provider.answer = (_verb, { key }) =>
    key.endsWith('-1')
      ? { kind: 'failed', failure: failure('provider_unavailable') }
      : { kind: 'succeeded', reference: key };
  const id = await pay(11);
  await scenario.db.query('update provider_operation set background = true');
  await startNode();
  expect((await scenario.endOfPayment(id)).status).toBe('SUCCESS');
  const operations = await scenario.db.query('select number, background from provider_operation order by number');
  expect(operations).toEqual([
    { number: 1, background: true },
    { number: 2, background: true },
  ]);
});
