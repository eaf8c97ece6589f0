import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { everyStep } from '../../../../tests/support/payments/every-step.ts';
import { operationsNode } from '../../../../tests/support/payments/operations-node.ts';
import { arrangeChannels, principalOf } from '../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { uuidOfPublicId } from '../../../core/id.ts';
import { failure } from '../providers/failures.ts';
import type { Outcome } from '../providers/outcome.ts';
import { addTimelineMessages } from '../transactions/timeline-message-statements.ts';
import { maximumSteps, readTimeline } from './read.ts';

let db: TestDatabase;
let nowMs: number;
/** How far the clock advances each time it is read. */
let tickMs: number;
let node: Awaited<ReturnType<typeof operationsNode>>;
const one = principalOf(1, 7);
const page = readFileSync(new URL('../../../../../docs/guides/payments.md', import.meta.url), 'utf8');

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'mollie', fallback_channel_ids = '{10}' where id = 11`);
  await db.query(`update channel set provider = 'stripe' where id = 10`);
});

afterAll(() => db.drop());

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  tickMs = 1;
  node = await operationsNode(db, {
    clock: () => {
      nowMs += tickMs;
      return nowMs;
    },
  });
});

afterEach(async () => {
  await node.stop();
  expect(node.errors).toEqual([]);
});

const pay = (channelId: number) => node.create({ amount: 1999, currency: 'USD', channelId }, one);
const timeline = (id: string, principal = one) => {
  const { database, channels } = node;
  return readTimeline(id, principal, { database, payments: node, channels });
};

async function until(id: string, state: string, number = 1): Promise<void> {
  await eventually(
    `operation ${number} of ${id} is ${state}`,
    async () => (await node.operationsOf(1, id)).find((row) => row.number === number)?.state === state,
  );
}

test('a payment that succeeds by a fallback shows each charge with channel, failure and outcome', async () => {
  node.provider.answer = (_verb, { key }) =>
    key.endsWith('-1')
      ? { kind: 'failed', reference: 'sbx_1', failure: failure('processing_error', 'no_luck', 'secret words') }
      : { kind: 'succeeded', reference: 'pi_2' };
  const id = await pay(11);
  node.dispatcher.start();
  await until(id, 'SUCCEEDED', 2);
  const steps = await timeline(id);
  const money = { amount: 1999, currency: 'USD' };
  expect(steps.map(({ time, ...step }) => step)).toEqual([
    {
      type: 'created',
      message: 'User 7 created the payment of 19.99 USD.',
      status: 'PENDING',
      channelId: 11,
      channelName: 'Cards of One',
      provider: 'mollie',
      detail: { userId: 7, ...money },
    },
    {
      type: 'charge_called',
      message: 'The charge of 19.99 USD was sent to mollie.',
      status: 'PROCESSING',
      channelId: 11,
      channelName: 'Cards of One',
      operation: 1,
      provider: 'mollie',
      detail: money,
    },
    {
      type: 'charge_failed',
      message: 'The charge failed. The provider could not process the payment.',
      channelId: 11,
      channelName: 'Cards of One',
      operation: 1,
      provider: 'mollie',
      reference: 'sbx_1',
      failureCode: 'processing_error',
      fallback: true,
      retry: 'LATER',
      providerCode: 'no_luck',
      detail: { ...money, settledBy: 'answer', calls: 1, lookUps: 0 },
    },
    {
      type: 'charge_called',
      message: 'The charge of 19.99 USD was sent to stripe.',
      channelId: 10,
      channelName: 'Platform cards',
      operation: 2,
      provider: 'stripe',
      detail: money,
    },
    {
      type: 'charge_succeeded',
      message: 'stripe took 19.99 USD.',
      status: 'SUCCESS',
      channelId: 10,
      channelName: 'Platform cards',
      operation: 2,
      provider: 'stripe',
      reference: 'pi_2',
      detail: { ...money, settledBy: 'answer', calls: 1, lookUps: 0 },
    },
  ]);
  const times = steps.map(({ time }) => time);
  expect(times).toEqual(times.toSorted());
  expect(JSON.stringify(steps)).not.toContain('secret words');
  for (const { type, status, message } of steps) {
    const cells = [`\`${type}\``, status === undefined ? '' : `\`${status}\``, message];
    expect(page).toContain(`| ${cells.join(' | ').replace('|  |', '| |')} |`);
  }
});

test('the payments page documents every type of step', () => {
  const types = new Set(everyStep().map(({ type }) => type));
  expect([...types].filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
});

const typesOf = async (id: string) =>
  (await timeline(id)).map(({ type, status }) => (status === undefined ? type : `${type} ${status}`));

test('the timeline shows unknown outcomes, look-ups, late cancellations, failed and successful refunds', async () => {
  let lookUpAnswer: Outcome = { kind: 'pending' };
  node.provider.answer = (verb, { key }) => {
    if (verb === 'charge') return { kind: 'unknown', cause: Object.assign(new Error('cut'), { code: 'ECONNRESET' }) };
    if (verb === 'cancel') return { kind: 'failed', failure: failure('invalid_operation') };
    if (verb === 'refund' && key.endsWith('-3')) return { kind: 'failed', failure: failure('refund_refused') };
    return verb === 'look_up' ? lookUpAnswer : { kind: 'succeeded', reference: `ref-${key}` };
  };
  const id = await pay(11);
  node.dispatcher.start();
  await until(id, 'UNKNOWN');
  const [, called] = await timeline(id);
  expect(called?.detail).toMatchObject({ state: 'UNKNOWN', calls: 1, lookUps: 0, nextLookUpTime: expect.any(String) });
  await node.update({ id, status: 'CANCELLED' }, one);
  await until(id, 'FAILED', 2);
  lookUpAnswer = { kind: 'succeeded', reference: 'sbx_1' };
  nowMs += 10_000;
  node.dispatcher.wake();
  await until(id, 'SUCCEEDED');
  await node.refund({ transactionId: id, amount: 500 }, one);
  await until(id, 'FAILED', 3);
  await node.refund({ transactionId: id, amount: 700 }, one);
  await until(id, 'SUCCEEDED', 4);
  expect(await typesOf(id)).toEqual([
    'created PENDING',
    'charge_called PROCESSING',
    'unknown',
    'cancel_asked',
    'cancel_called',
    'cancel_failed',
    'charge_succeeded SUCCESS',
    'refund_created',
    'refund_called',
    'refund_failed',
    'refund_created',
    'refund_called',
    'refund_succeeded REFUNDED',
  ]);
  const steps = await timeline(id);
  expect(steps.find(({ type }) => type === 'unknown')).toMatchObject({
    operation: 1,
    provider: 'mollie',
    detail: { error: 'ECONNRESET' },
  });
  expect(steps.find(({ type }) => type === 'charge_succeeded')).toMatchObject({
    message: 'mollie took 19.99 USD. A look-up showed this.',
    detail: { settledBy: 'look_up', calls: 1, lookUps: 1 },
  });
  expect(steps.at(-1)).toMatchObject({
    message: 'mollie gave 7.00 USD back.',
    refundId: expect.stringMatching(/^ref_[0-9a-f]{32}$/),
    operation: 4,
  });
});

test('the timeline shows a cancellation by the provider and a later contradiction', async () => {
  node.provider.answer = (verb) =>
    verb === 'cancel' ? { kind: 'cancelled' } : { kind: 'pending', reference: 'sbx_1' };
  const id = await pay(11);
  node.dispatcher.start();
  await until(id, 'WAITING');
  await node.update({ id, status: 'CANCELLED' }, one);
  await until(id, 'CANCELLED');
  const [charge] = await node.operationsOf(1, id);
  await node.settler.settle(charge as never, { kind: 'succeeded', reference: 'sbx_1' }, 'callback');
  const types = await typesOf(id);
  expect(types.slice(0, 4)).toEqual(['created PENDING', 'charge_called PROCESSING', 'pending', 'cancel_asked']);
  expect(types.filter((step) => step.endsWith('CANCELLED'))).toHaveLength(1);
  expect(types.at(-1)).toBe('contradiction');
  expect((await timeline(id)).at(-1)?.message).toContain('"succeeded"');
});

test('a charge that an open breaker kept from its provider says so', async () => {
  node.provider.answer = (_verb, { key }) =>
    key.endsWith('-2') ? { kind: 'succeeded', reference: key } : { kind: 'unknown', cause: 'silence' };
  node.dispatcher.start();
  for (let i = 0; i < 5; i++) await until(await pay(11), 'UNKNOWN');
  const id = await pay(11);
  await until(id, 'SUCCEEDED', 2);
  expect(await typesOf(id)).toEqual([
    'created PENDING',
    'charge_failed',
    'charge_called PROCESSING',
    'charge_succeeded SUCCESS',
  ]);
  expect((await timeline(id))[1]).toMatchObject({
    message: 'The charge was not sent to mollie, which had stopped answering.',
    failureCode: 'provider_unavailable',
    detail: { settledBy: 'nothing', calls: 0, lookUps: 0 },
  });
});

test('a payment without a provider shows who updated it, and its recorded refund', async () => {
  const id = await pay(21);
  await node.update({ id, status: 'PROCESSING' }, one);
  await node.update({ id, status: 'SUCCESS' }, principalOf(1, 8));
  await node.refund({ transactionId: id }, one);
  expect(await typesOf(id)).toEqual([
    'created PENDING',
    'updated PROCESSING',
    'updated SUCCESS',
    'refund_created',
    'refund_succeeded REFUNDED',
  ]);
  expect((await timeline(id))[2]?.message).toBe('User 8 set the status to SUCCESS.');
});

test('a charge whose payment was cancelled before it was sent is cancelled without a call', async () => {
  const id = await pay(11);
  expect(await typesOf(id)).toEqual(['created PENDING', 'charge_waiting']);
  await node.update({ id, status: 'CANCELLED' }, one);
  node.dispatcher.start();
  await until(id, 'CANCELLED');
  expect(await typesOf(id)).toEqual(['created PENDING', 'updated CANCELLED', 'charge_cancelled']);
});

test('steps of the same millisecond are in causal order', async () => {
  tickMs = 0;
  node.provider.answer = (_verb, { key }) =>
    key.endsWith('-1')
      ? { kind: 'failed', failure: failure('processing_error') }
      : { kind: 'succeeded', reference: 'r' };
  const id = await pay(11);
  node.dispatcher.start();
  await until(id, 'SUCCEEDED', 2);
  expect(await typesOf(id)).toEqual([
    'created PENDING',
    'charge_called PROCESSING',
    'charge_failed',
    'charge_called',
    'charge_succeeded SUCCESS',
  ]);
});

test('only the public facts of a timeline message are shown', async () => {
  const id = await pay(21);
  await addTimelineMessages(db.database, [
    messageFor(id, { from: 'a', said: 'changed', stack: 'at /srv', secret: 'hush' }),
  ]);
  const text = JSON.stringify(await timeline(id));
  expect(text).toContain('"said":"changed"');
  expect(text).not.toMatch(/hush|srv/);
});

test('of thousands of steps the first and the newest are shown, and one says that others are omitted', async () => {
  const id = await pay(21);
  const messages = Array.from({ length: maximumSteps + 500 }, (_, i) => messageFor(id, { eventId: `evt-${i}` }));
  await addTimelineMessages(db.database, messages);
  const steps = await timeline(id);
  expect(steps).toHaveLength(maximumSteps + 1);
  expect(steps.slice(0, 2).map(({ type }) => type)).toEqual(['created', 'omitted']);
  expect(steps.slice(2).map(({ detail }) => detail?.eventId)).toEqual(
    messages.slice(1 - maximumSteps).map(({ detail }) => (detail as { eventId: string }).eventId),
  );
});

test("the timeline of another tenant's payment is not found, but by a platform administrator", async () => {
  const id = await pay(21);
  for (const [who, what] of [
    [principalOf(2, 9), id],
    [one, 'txn_0198a5b87c1f7000800000000000dead'],
    [one, 'nonsense'],
  ] as const) {
    await expect(timeline(what, who)).rejects.toMatchObject({ type: 'record_not_found', field: 'id' });
  }
  expect((await timeline(id, principalOf(0, 1, 'PLATFORM_ADMIN')))[0]?.type).toBe('created');
});

function messageFor(id: string, detail: Record<string, unknown>) {
  nowMs++;
  const transactionId = uuidOfPublicId('txn', id) as string;
  return {
    tenantId: 1,
    transactionId,
    id: node.generateUuid(),
    atMs: nowMs,
    kind: 'callback',
    operation: null,
    detail,
  } as const;
}
