import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf, makeChannel } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { type PayingNode, payingNode } from '../support/payments/paying-node.ts';
import { eventually } from '../support/postgres/database.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';
import { type Receiver, startReceiver } from '../support/webhooks/receiver.ts';

/**
 * Kills the service while refunds that had succeeded fail: before the callback is stored, before it is settled, and
 * after. The provider repeats callbacks that were not answered with 200, as Stripe does.
 */
const rounds = 20;
const refundsInRound = 8;
/** A callback that a killed process had claimed is due again when its lease ends; on one node, at the next start. */
const settledWithinMs = 50_000;

let stripe: StripeSimulator;
let node: PayingNode;
let receiver: Receiver;
let channelId: number;

beforeAll(async () => {
  stripe = await startStripeSimulator({ webhookSecret: channelSecret });
  receiver = await startReceiver();
  node = await payingNode({ APP_PROVIDER_STRIPE_URL: stripe.url });
  const channel = { provider: 'stripe', livemode: false, apiKey: simulatedApiKey, webhookSecret: channelSecret };
  channelId = await makeChannel(node.service, node.as, channel);
  const hook = { url: receiver.url, events: ['refund.failed'], secret: 'our shared secret' };
  dataOf(await node.service.post('/api/webhook/register', hook, node.as));
});

afterAll(async () => {
  await node.close();
  await receiver.close();
  await stripe.close();
});

const read = async (path: string) => dataOf(await node.service.get(path, node.as));
const statusOf = async (kind: 'refund' | 'transaction', id: string) =>
  (await read(`/api/${kind}/detail?id=${id}`)).status;
const comesTo = (status: string, kind: 'refund' | 'transaction', id: string) =>
  eventually(`${id} is ${status}`, async () => (await statusOf(kind, id)) === status, settledWithinMs);

async function refunded(): Promise<{ transactionId: string; id: string; reference: string }> {
  const input = { amount: 1999, currency: 'USD', channelId, paymentMethod: 'pm_card_visa' };
  const { id: transactionId } = dataOf(await node.service.post('/api/transaction/create', input, node.as));
  await comesTo('SUCCESS', 'transaction', transactionId);
  const { id } = dataOf(await node.service.post('/api/refund/create', { transactionId }, node.as));
  await comesTo('SUCCESS', 'refund', id);
  return { transactionId, id, reference: (await read(`/api/refund/detail?id=${id}`)).providerReference };
}

test('whenever the process is killed, each refund that fails later is reversed and reported once', async () => {
  const all: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const refunds = await Promise.all(Array.from({ length: refundsInRound }, refunded));
    for (const { reference } of refunds) stripe.account.settleRefund(reference, 'failed');
    const notices = refunds.flatMap(({ reference }) => [
      stripe.callback('refund.failed', reference),
      stripe.callback('refund.updated', reference),
    ]);
    const post = (notice: (typeof notices)[number]) =>
      node.service.call('POST', `/api/callback/${channelId}`, {
        headers: notice.headers,
        body: notice.body.toString(),
      });
    // Killed at the n-th answer, so that the other callbacks are in flight, stored, being settled or settled.
    let answers = 0;
    const unanswered: typeof notices = [];
    await Promise.all(
      notices.map(async (notice) => {
        const reply = await post(notice).catch(() => undefined);
        if (reply?.status !== 200) unanswered.push(notice);
        else if (++answers === 1 + (round % notices.length)) await node.service.end('SIGKILL');
      }),
    );
    await node.service.end('SIGKILL');
    await node.start();
    for (const notice of unanswered) expect((await post(notice)).status).toBe(200);
    for (const { transactionId, id } of refunds) {
      await comesTo('FAILED', 'refund', id);
      const { status, amountRefunded } = await read(`/api/transaction/detail?id=${transactionId}`);
      expect({ status, amountRefunded }).toEqual({ status: 'SUCCESS', amountRefunded: 0 });
      const entries = await read(`/api/ledger/entries?transactionId=${transactionId}`);
      expect(entries.filter(({ refundId }: { refundId: string | null }) => refundId === id)).toHaveLength(4);
      const events = await read(`/api/event/list?objectId=${id}`);
      expect(events.map(({ type }: { type: string }) => type)).toEqual([
        'refund.failed',
        'refund.succeeded',
        'refund.created',
      ]);
      all.push(id);
    }
  }
  const reported = await eventually(
    'every failed refund is reported',
    () => {
      const deliveries = new Map<string, Set<string>>();
      for (const { headers, body } of receiver.received) {
        const { id } = JSON.parse(body.toString()).data.object;
        deliveries.set(id, (deliveries.get(id) ?? new Set()).add(String(headers['x-service-delivery'])));
      }
      return all.every((id) => deliveries.has(id)) && deliveries;
    },
    settledWithinMs,
  );
  expect([...reported.values()].filter((deliveries) => deliveries.size !== 1)).toEqual([]);
  expect(reported.size).toBe(rounds * refundsInRound);
});
