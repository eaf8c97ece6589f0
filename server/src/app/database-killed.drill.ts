import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, makeChannel, makePayment } from '../testing/cast.ts';
import { eventually } from '../testing/database.ts';
import { makeCustomer, makeInvoice } from '../testing/invoices.ts';
import { type PayingNode, payingNode } from '../testing/paying-node.ts';
import { type Receiver, startReceiver } from '../testing/receiver.ts';

/**
 * PostgreSQL is killed while each of the workers is in each of its states. The service must stay, go on by itself, and bring
 * everything to its end once; `npm run verify` finds nothing wrong.
 */
let node: PayingNode;
let pid: number;

/** A channel rests for 30 s, an endpoint is paused for 30 s, and a lease that was lost with the database runs for 12 s. */
const endsWithinMs = 120_000;

beforeAll(async () => {
  node = await payingNode({
    APP_PROVIDER_TIMEOUT: '1s',
    APP_WEBHOOK_TIMEOUT: '3s',
    APP_WEBHOOK_RETRY_INTERVALS: '2s,5s,5s',
  });
  pid = node.service.pid;
});

afterAll(async () => {
  expect(await node.verified()).toEqual({ code: 0, broken: [] });
  await node.close();
});

let channelId: number;
beforeEach(async () => {
  channelId = await makeChannel(node.service, node.as, { provider: 'sandbox', webhookSecret: 'shared' });
});

/** Kills PostgreSQL, and waits until the service serves again; it must be the same process. */
async function killPostgres(): Promise<void> {
  const killed = node.postmaster() as number;
  process.kill(killed, 'SIGKILL');
  await eventually('another PostgreSQL runs', () => ![undefined, killed].includes(node.postmaster()));
  // Readiness tolerates an absence under 20 s, so a request has to show that the database is back.
  await eventually('it serves', async () => (await node.service.get('/api/channel/list', node.as)).status === 200);
  expect(node.service.pid).toBe(pid);
  expect(node.service.stderr).not.toContain('A defect');
}

const count = async (from: string): Promise<number> =>
  (await node.query<{ n: number }>(`select count(*)::int as n from ${from}`))[0]?.n ?? 0;
const reaches = (what: string, from: string, least = 1) =>
  eventually(what, async () => (await count(from)) >= least, endsWithinMs);
const isNone = (what: string, from: string) => eventually(what, async () => (await count(from)) === 0, endsWithinMs);

const pay = (payments: number, sandbox: string, through = channelId): Promise<string[]> =>
  Promise.all(
    Array.from({ length: payments }, () => makePayment(node.service, node.as, through, { metadata: { sandbox } })),
  );
const operationsOf = (state: string, through = channelId) =>
  `provider_operation where channel_id = ${through} and state = '${state}'`;

/** Each of these payments has succeeded, was charged once by the sandbox, and has one event per step. */
async function paidOnce(ids: string[], through = channelId): Promise<void> {
  await isNone('every charge has ended', `provider_operation where channel_id = ${through} and finished_at is null`);
  const payments = `transaction where channel_id = ${through}`;
  expect(await count(`${payments} and status = 'SUCCESS'`)).toBe(ids.length);
  expect(await count(payments)).toBe(ids.length);
  expect(await count(`sandbox_operation where channel_id = ${through} and state = 'SUCCEEDED'`)).toBe(ids.length);
  const list = ids.map((id) => `'${id}'`).join();
  expect(await count(`event where object_id in (${list}) and type = 'transaction.succeeded'`)).toBe(ids.length);
}

describe('calls of providers', () => {
  test('CALLING: the provider is at work', async () => {
    const ids = await pay(8, 'slow');
    await reaches('a call is under way', operationsOf('CALLING'));
    await killPostgres();
    await paidOnce(ids);
  });

  test('UNKNOWN: the outcome is to be looked up', async () => {
    const ids = await pay(3, 'timeout:after');
    await reaches('nobody knows', operationsOf('UNKNOWN'), 3);
    await killPostgres();
    await paidOnce(ids);
  });

  test('WAITING: look-ups that the database prevented do not count', async () => {
    const ids = await pay(5, 'pending:2');
    await reaches('the provider waits', operationsOf('WAITING'), 5);
    // Again and again, also when the first look-up is due, 5 s after the call.
    for (let kill = 0; kill < 8; kill++) await killPostgres();
    await paidOnce(ids);
    const [{ most } = { most: 99 }] = await node.query<{ most: number }>(
      `select max(look_ups) as most from provider_operation where channel_id = ${channelId}`,
    );
    // The second look-up ends it. One more is made where the answer to one was lost after the sandbox had counted it.
    expect(most).toBeLessThanOrEqual(2);
  });

  test.each(['without', 'with'])('READY: the channel rests, %s another to fall back on', async (kind) => {
    const other = await makeChannel(node.service, node.as, { provider: 'sandbox' });
    const resting = await makeChannel(node.service, node.as, {
      provider: 'sandbox',
      ...(kind === 'with' && { fallbackChannelIds: [other] }),
    });
    const unanswered = await pay(6, 'timeout:after', resting);
    await reaches('the channel rests', operationsOf('UNKNOWN', resting), 6);
    const waiting = await pay(4, 'succeed', resting);
    for (let kill = 0; kill < 3; kill++) await killPostgres();
    const ids = [...unanswered, ...waiting];
    await isNone(
      'every charge has ended',
      `provider_operation where channel_id in (${resting}, ${other}) and finished_at is null`,
    );
    expect(await count(`transaction where channel_id = ${resting} and status = 'SUCCESS'`)).toBe(ids.length);
    const taken = `sandbox_operation where channel_id in (${resting}, ${other}) and state = 'SUCCEEDED'`;
    expect(await count(taken)).toBe(ids.length);
  });

  test('refunds and their totals', async () => {
    const ids = await pay(6, 'succeed');
    await paidOnce(ids);
    await Promise.all(
      ids.map((transactionId) => node.service.post('/api/refund/create', { transactionId, amount: 500 }, node.as)),
    ).then((replies) => replies.forEach(dataOf));
    await killPostgres();
    const list = ids.map((id) => `'${id.slice(4)}'`).join();
    const given = `refund where replace(transaction_id::text, '-', '') in (${list})`;
    await isNone('every refund has ended', `${given} and status <> 'SUCCESS'`);
    expect(await count(given)).toBe(6);
    expect(await count(`sandbox_operation where channel_id = ${channelId} and kind = 'REFUND'`)).toBe(6);
  });
});

describe('callbacks', () => {
  test.each([
    ['owed by the sandbox', 'sandbox_operation where callback_due_at is not null and channel_id ='],
    ['received', 'provider_callback where channel_id ='],
  ])('%s', async (_state, from) => {
    const ids = await pay(20, 'late');
    await reaches('callbacks are under way', `${from} ${channelId}`);
    await killPostgres();
    await paidOnce(ids);
    await isNone('every callback was sent', `sandbox_operation where callback_due_at is not null`);
    await isNone('every callback is settled', `provider_callback where state = 'RECEIVED'`);
  });
});

describe('deliveries', () => {
  let receiver: Receiver;
  let endpointId: number;
  const held: ServerResponse[] = [];
  const hold: Receiver['answering'] = (_received, _request, response) => held.push(response);
  const letGo = () => {
    receiver.answering = 200;
    for (const response of held.splice(0)) response.writeHead(200).end('ok');
  };

  beforeEach(async () => {
    receiver = await startReceiver();
    const hook = { url: receiver.url, events: ['transaction.created'], secret: 'our shared secret' };
    endpointId = dataOf(await node.service.post('/api/webhook/register', hook, node.as)).id;
    return async () => {
      dataOf(await node.service.post('/api/webhook/remove', { id: endpointId }, node.as));
      await receiver.close();
    };
  });

  /** All were delivered, each under one id and in the same words however often it came. */
  async function deliveredOnce(ids: string[]): Promise<void> {
    await isNone('everything is delivered', `delivery where endpoint_id = ${endpointId} and state = 'OPEN'`);
    expect(await count(`delivery where endpoint_id = ${endpointId} and state = 'SUCCEEDED'`)).toBe(ids.length);
    const told = new Map<string, Set<string>>();
    for (const { headers, body } of receiver.received) {
      const { id } = JSON.parse(body.toString()).data.object;
      told.set(id, (told.get(id) ?? new Set()).add(`${headers['x-service-delivery']} ${body}`));
    }
    expect([...told.keys()].sort()).toEqual([...ids].sort());
    expect([...told.values()].filter((seen) => seen.size > 1)).toEqual([]);
  }

  test('in flight', async () => {
    receiver.answering = hold;
    const ids = await pay(6, 'succeed');
    await eventually('a post has arrived', () => held.length > 0);
    await killPostgres();
    letGo();
    await deliveredOnce(ids);
  });

  test('waiting to be tried again', async () => {
    receiver.answering = 500;
    const ids = await pay(3, 'succeed');
    await reaches(
      'all have failed once',
      `delivery_attempt a join delivery d on d.id = a.delivery_id
      where d.endpoint_id = ${endpointId}`,
      3,
    );
    await killPostgres();
    letGo();
    await deliveredOnce(ids);
  });

  test('paused, and tried with one', async () => {
    receiver.answering = 500;
    const ids = await pay(8, 'succeed');
    await reaches('the endpoint is paused', `webhook_endpoint where id = ${endpointId} and open_until > now()`);
    await killPostgres();
    const before = receiver.received.length;
    receiver.answering = hold;
    await eventually('one delivery tries', () => receiver.received.length > before, endsWithinMs);
    await killPostgres();
    letGo();
    await deliveredOnce(ids);
  });

  test('sent again by a replay', async () => {
    const since = new Date(Date.now() - 1_000).toISOString();
    const load = node.load('replayed');
    await load.waitForAcknowledged(1_500);
    await load.stop();
    await node.expectAcknowledgedPayments(load);
    await isNone('everything is delivered', `delivery where endpoint_id = ${endpointId} and state = 'OPEN'`);
    const first = await count(`delivery where endpoint_id = ${endpointId}`);
    const { replayId } = dataOf(await node.service.post('/api/webhook/replay', { endpointId, since }, node.as));
    await killPostgres();
    await isNone('the replay is done', `webhook_replay where endpoint_id = ${endpointId} and state = 'RUNNING'`);
    expect(replayId).toMatch(/^rpl_/);
    await isNone('everything is delivered', `delivery where endpoint_id = ${endpointId} and state <> 'SUCCEEDED'`);
    const again = `delivery where endpoint_id = ${endpointId} and replay_of is not null`;
    expect(await count(again)).toBe(first);
    expect(await count(`(select distinct replay_of from ${again}) as one`)).toBe(first);
  });
});

test('totals and rollups: deltas wait to be added up', async () => {
  const load = node.load('totals');
  for (let kill = 0; kill < 3; kill++) {
    await load.waitForAcknowledged(200);
    await killPostgres();
  }
  await load.waitForAcknowledged(200);
  await load.stop();
  await node.expectAcknowledgedPayments(load);
  await isNone('everything is added up', 'transaction_total_delta');
});

test('invoices: their payments have ended', async () => {
  const customerId = await makeCustomer(node.service, node.as, { defaultChannelId: channelId });
  const ids = await Promise.all(Array.from({ length: 8 }, () => makeInvoice(node.service, node.as, customerId)));
  for (const id of ids) dataOf(await node.service.post('/api/invoice/pay', { id }, node.as));
  await killPostgres();
  await isNone('every invoice is paid', `invoice where customer_id = ${customerId} and status <> 'PAID'`);
  expect(await count(`invoice_payment where invoice_id in (${ids.join()})`)).toBe(8);
  expect(
    await count(`event where type = 'invoice.paid' and object_id in (${ids.map((id) => `'inv_${id}'`).join()})`),
  ).toBe(8);
});

test('subscriptions that renew and collect, driven by a test clock', async () => {
  const post = async (path: string, body: unknown) => dataOf(await node.service.post(`/api/${path}`, body, node.as));
  const { id: clockId } = await post('clock/create', { name: 'A year', nowTime: '2027-01-31T09:30:00Z' });
  const customerId = await makeCustomer(node.service, node.as, { clockId, defaultChannelId: channelId });
  const plan = { name: 'Gold', currency: 'USD', amount: 3100, interval: 'month', state: true };
  const { id: planId } = await post('plan/modify', plan);
  for (let i = 0; i < 5; i++) await post('subscription/create', { customerId, planId });
  await post('clock/advance', { id: clockId, toTime: '2028-01-31T09:30:00Z' });
  const invoices = `invoice where customer_id = ${customerId}`;
  for (const made of [10, 20, 30, 40, 50]) {
    await reaches(`${made} invoices are raised`, invoices, made);
    await killPostgres();
  }
  await isNone('the clock has arrived', `clock where id = ${clockId} and target_at is not null`);
  await isNone('every invoice is paid', `${invoices} and status <> 'PAID'`);
  expect(await count(invoices)).toBe(5 * 13);
  expect(await count(`transaction where channel_id = ${channelId} and status = 'SUCCESS'`)).toBe(5 * 13);
});
