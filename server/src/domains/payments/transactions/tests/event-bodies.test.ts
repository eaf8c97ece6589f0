import { afterAll, beforeAll, expect, test } from 'vitest';
import { operationsNode } from '../../../../../tests/support/payments/operations-node.ts';
import { arrangeChannels, principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { failure } from '../../providers/failures.ts';

let db: TestDatabase;
let node: Awaited<ReturnType<typeof operationsNode>>;
let nowMs = Date.parse('2026-11-21T12:00:00Z');
const one = principalOf(1, 7);

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'sandbox' where id = 21`);
  node = await operationsNode(db, { clock: () => nowMs });
  node.dispatcher.start();
});

afterAll(async () => {
  await node.stop();
  await db.drop();
});

const plain = { amount: 1000, currency: 'USD', channelId: 21 };
const full = {
  ...plain,
  amount: 9_007_199_254_740_991,
  channelId: 11,
  description: 'Tëst "quoted" \\ \u2028 \n 💶',
  metadata: { order: '7', 'a "key"': [1, null, { b: 1.5, 2: false }], 10: 1e21 },
  customerId: 3,
  invoiceId: 4,
};

const ended = (id: string) =>
  eventually(`${id} ends`, async () => {
    const { status } = await node.find(id, one);
    return status !== 'PENDING' && status !== 'PROCESSING';
  });

test('the bodies of events are, byte for byte, those that are recorded', async () => {
  const offline = await node.create(full, one);
  nowMs += 1_234;
  await node.update({ id: offline, status: 'SUCCESS', description: 'Paid "by" wire', metadata: { order: null } }, one);
  await node.refund({ transactionId: offline, amount: 5, reason: 'Broken "vase"', metadata: { why: [1] } }, one);

  const paid = await node.create(plain, one);
  await ended(paid);
  await node.refund({ transactionId: paid, amount: 400 }, one);
  await eventually('it is refunded', async () => (await node.find(paid, one)).status === 'REFUNDED');

  node.provider.answer = () => ({ kind: 'failed', failure: failure('card_declined', 'x', 'Declined: "no"') });
  await ended(await node.create(plain, one));

  const url = 'https://shop.example/?a="b"';
  node.provider.answer = () => ({ kind: 'needs_payer', reference: 'pi_1', nextAction: { type: 'redirect', url } });
  const waiting = await node.create(plain, one);
  await eventually('it waits for its payer', async () => (await node.find(waiting, one)).next_action !== null);

  const rows = await db.query<{ body: string }>('select body from event order by id');
  await expect(withNumberedIds(rows.map(({ body }) => `${body}\n`).join(''))).toMatchFileSnapshot(
    'event-bodies.recorded',
  );
});

/** Ids are random; the same one has the same number everywhere. */
function withNumberedIds(text: string): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(/(evt|txn|ref)_[0-9a-f]{32}/g, (id, prefix) => {
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return `${prefix}_${number}`;
  });
}
