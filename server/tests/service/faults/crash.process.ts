import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf, makeChannel } from '../../support/factories.ts';
import { type PayingNode, payingNode } from '../../support/payments/paying-node.ts';
import { eventually } from '../../support/postgres/database.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../../support/simulators/stripe.ts';

/**
 * One kill of each kind in every test run: every acknowledged payment is stored once and delivered to webhooks, and
 * nobody is charged twice. The fault tests beside this file (`npm run drills`) kill at every step.
 */
let stripe: StripeSimulator;
let node: PayingNode;

beforeAll(async () => {
  stripe = await startStripeSimulator();
  node = await payingNode({ APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROCESSES: '2' });
});

afterAll(async () => {
  await node.close();
  await stripe.close();
});

test('kill -9 during a provider call: it is repeated under its key, and nobody is charged twice', async () => {
  const channelId = await makeChannel(node.service, node.as, {
    provider: 'stripe',
    livemode: false,
    apiKey: simulatedApiKey,
  });
  const pay = async (): Promise<string> => {
    const input = { amount: 1999, currency: 'USD', channelId, paymentMethod: 'pm_card_visa' };
    return dataOf(await node.service.post('/api/transaction/create', input, node.as)).id;
  };
  const charging = /^POST \/v1\/payment_intents$/;
  // Neither call is answered: one before the money has moved, one after.
  const unanswered = Promise.all([stripe.next('hangBefore', charging), stripe.next('hangAfter', charging)]);
  const ids = await Promise.all([pay(), pay()]);
  await unanswered;
  expect((await node.service.end('SIGKILL')).signal).toBe('SIGKILL');
  expect(stripe.charges).toHaveLength(1);
  await node.start();
  for (const id of ids) {
    await eventually(`${id} is paid`, async () => {
      const { status, body } = await node.service.get(`/api/transaction/detail?id=${id}`, node.as);
      // A connection to the PostgreSQL that was killed may still be found to be broken.
      expect([200, 503]).toContain(status);
      return body.data?.status === 'SUCCESS';
    });
    expect(stripe.charges.filter(({ metadata }) => metadata.florin_key === `${id}-1`)).toHaveLength(1);
    const asked = stripe.requests.filter(({ params }) => JSON.stringify(params).includes(id));
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'POST']);
    expect(new Set(asked.map(({ key }) => key)).size).toBe(1);
  }
});

test('kill -9 of the service under load loses nothing, and a repeated request creates its payment once', async () => {
  const load = node.load('service');
  await load.waitForAcknowledged(100);
  expect((await node.service.end('SIGKILL')).signal).toBe('SIGKILL');
  await load.stop();
  await node.start();
  await node.expectAcknowledgedPayments(load);
});

test('kill -9 of PostgreSQL under load: the service recovers by itself, and nothing is lost', async () => {
  const load = node.load('postgres');
  await load.waitForAcknowledged(100);
  const killed = node.postmaster() as number;
  process.kill(killed, 'SIGKILL');
  await eventually('another PostgreSQL runs', () => ![undefined, killed].includes(node.postmaster()));
  await load.waitForAcknowledged(100);
  await load.stop();
  // Requests that had to wait too long were refused with Retry-After; no connection broke.
  expect(load.connectionErrors).toEqual([]);
  expect(load.errorStatuses.filter((status) => status !== 503)).toEqual([]);
  await node.expectAcknowledgedPayments(load);
});

test('the webhook receives every payment at least once, always under the same id', () => node.expectDeliveries());

test('SIGTERM under load answers every accepted request, and the process ends with 0', async () => {
  // With several processes the kernel may reset a connection that is made while one of them closes its port (record
  // 60).
  await node.service.end('SIGTERM');
  await node.start({ APP_PROCESSES: '1' });
  const load = node.load('term');
  await load.waitForAcknowledged(100);
  expect((await node.service.end('SIGTERM')).code).toBe(0);
  await load.stop();
  expect({ cutOff: load.connectionErrors, refusals: load.errorStatuses }).toEqual({ cutOff: [], refusals: [] });
});

test('kill -9 of PostgreSQL while a channel is paused: every payment ends exactly once', async () => {
  await node.service.end('SIGTERM');
  await node.start({ APP_PROVIDER_TIMEOUT: '1s' });
  const { pid } = node.service;
  const fallback = await makeChannel(node.service, node.as, { provider: 'sandbox' });
  // With a fallback, a channel is still called while it is paused: its open payments are looked up.
  const channelId = await makeChannel(node.service, node.as, { provider: 'sandbox', fallbackChannelIds: [fallback] });
  const pay = async (): Promise<string> => {
    const input = { amount: 1999, currency: 'USD', channelId, metadata: { sandbox: 'timeout:after' } };
    return dataOf(await node.service.post('/api/transaction/create', input, node.as)).id;
  };
  const ids = await Promise.all(Array.from({ length: 12 }, pay));
  const countOf = async (where: string) =>
    (await node.query<{ n: number }>(`select count(*)::int as n from provider_operation o where ${where}`))[0]?.n;
  const ofChannel = `channel_id = ${channelId}`;
  await eventually('no call was answered', async () => (await countOf(`${ofChannel} and state = 'UNKNOWN'`)) === 12);
  // The dispatcher queries the fallbacks of the channel at each claim, also while the database is unavailable.
  for (let kill = 0; kill < 3; kill++) {
    const killed = node.postmaster() as number;
    process.kill(killed, 'SIGKILL');
    await eventually('another PostgreSQL runs', () => ![undefined, killed].includes(node.postmaster()));
    await eventually('it serves', async () => (await node.service.get('/api/channel/list', node.as)).status === 200);
  }
  for (const id of ids) {
    await eventually(`${id} is paid`, async () => {
      const { status, body } = await node.service.get(`/api/transaction/detail?id=${id}`, node.as);
      // A connection to the PostgreSQL that was killed may still be found to be broken.
      expect([200, 503]).toContain(status);
      return body.data?.status === 'SUCCESS';
    });
  }
  expect(await countOf(ofChannel)).toBe(12);
  expect(node.service.pid).toBe(pid);
  expect(node.service.stderr).not.toContain('A defect');
});
