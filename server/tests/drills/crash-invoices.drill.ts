import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeCustomer, makeDraft, makeInvoice } from '../support/billing/invoices.ts';
import { dataOf, makeChannel } from '../support/factories.ts';
import { type PayingNode, payingNode } from '../support/payments/paying-node.ts';
import { eventually } from '../support/postgres/database.ts';
import type { Reply } from '../support/service/florin.ts';

/** Kills the service while it works on invoices: no number is skipped or used twice, each is paid and reported once. */

let node: PayingNode;
let customerId: number;

beforeAll(async () => {
  node = await payingNode();
  const channelId = await makeChannel(node.service, node.as, { provider: 'sandbox' });
  customerId = await makeCustomer(node.service, node.as, { defaultChannelId: channelId });
});

afterAll(() => node.close());

const detail = async (id: number) => dataOf(await node.service.get(`/api/invoice/detail?id=${id}`, node.as));
const eventsOf = async (id: number) =>
  dataOf(await node.service.get(`/api/event/list?objectId=inv_${id}`, node.as)).map(
    ({ type }: { type: string }) => type,
  );
/** The replies that arrived before the service was killed. */
const answered = async (requests: Promise<Reply>[]) =>
  (await Promise.allSettled(requests)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));

test.each(['begun', 'settled'])('killed at %s, every invoice is paid once, and reported once', async (drill) => {
  const ids = await Promise.all(Array.from({ length: 4 }, () => makeInvoice(node.service, node.as, customerId)));
  await node.service.end('SIGTERM');
  await node.start({ APP_DRILL_FAIL_POINT: drill });
  await answered(ids.map((id) => node.service.post('/api/invoice/pay', { id }, node.as)));
  expect(await node.service.ended).toEqual({ code: null, signal: 'SIGKILL' });
  await node.start();
  for (const id of ids) {
    // A payment without a reply may have begun or not: paying again is refused, or charges the rest.
    await node.service.post('/api/invoice/pay', { id }, node.as);
    const invoice = await eventually(`invoice ${id} is paid`, async () => {
      const one = await detail(id);
      return one.status === 'PAID' && one;
    });
    expect(invoice).toMatchObject({ amountPaid: 1000, amountUnderWay: 0 });
    expect(invoice.payments).toHaveLength(1);
    expect((await eventsOf(id)).toSorted()).toEqual(['invoice.created', 'invoice.finalized', 'invoice.paid']);
  }
});

test('killed while many are finalized, numbers have no gaps, and acknowledged ones stay', async () => {
  const before = dataOf(await node.service.get('/api/invoice/list?pageSize=100&livemode=false', node.as)).length;
  const ids = await Promise.all(Array.from({ length: 40 }, () => makeDraft(node.service, node.as, customerId)));
  const finalize = ids.map((id) => node.service.post('/api/invoice/finalize', { id }, node.as));
  await Promise.race(finalize);
  await node.service.end('SIGKILL');
  const taken = (await answered(finalize)).map((reply) => dataOf(reply));
  await node.start();
  for (const { id, number } of taken) expect(await detail(id)).toMatchObject({ status: 'OPEN', number });
  for (const id of ids) await node.service.post('/api/invoice/finalize', { id }, node.as);
  const all = dataOf(await node.service.get('/api/invoice/list?pageSize=100&livemode=false', node.as));
  const numbers = all.map(({ number }: { number: string }) => number).toSorted();
  expect(numbers).toEqual(Array.from({ length: before + 40 }, (_, i) => `TEST-${String(i + 1).padStart(6, '0')}`));
});
