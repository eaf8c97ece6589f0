import { afterAll, beforeAll, expect, test } from 'vitest';
import { arrangeChannels, paymentsNode, principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { next, nextByUpdate, type TransactionStatus, transactionStatuses } from '../states.ts';

let db: TestDatabase;
let node: Awaited<ReturnType<typeof paymentsNode>>;
const one = principalOf(1, 7);

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  node = await paymentsNode(db);
});

afterAll(async () => {
  await node.stop();
  await db.drop();
});

async function paymentIn(status: TransactionStatus): Promise<string> {
  const { id } = (await node.create({ amount: 500, currency: 'USD', channelId: 11 }, one)).answer;
  await db.query(`update transaction set status = $1 where 'txn_' || replace(id::text, '-', '') = $2`, [status, id]);
  return id;
}

const eventsOf = (id: string) =>
  db.query<{ type: string; body: string }>('select type, body from event where object_id = $1 order by id', [id]);

const pairs = transactionStatuses.flatMap((from) => transactionStatuses.map((to) => [from, to] as const));

test.each(pairs)(
  '%s to %s is applied with its event or refused without one, as the transition table says',
  async (from, to) => {
    const id = await paymentIn(from);
    const before = (await eventsOf(id)).length;
    const change = node.update({ id, status: to }, one);
    const allowed: readonly TransactionStatus[] = nextByUpdate.withoutProvider[from];
    if (allowed.includes(to)) {
      expect(await change).toMatchObject({ id, status: to, version: 2 });
      const events = await eventsOf(id);
      expect(events).toHaveLength(before + 1);
      expect(JSON.parse(events.at(-1)?.body ?? '').data.object).toMatchObject({ id, status: to, version: 2 });
    } else {
      await expect(change).rejects.toMatchObject({ type: 'illegal_transition', field: 'status' });
      expect(await eventsOf(id)).toHaveLength(before);
    }
  },
);

test('every transition by update is in the transition table', () => {
  for (const from of transactionStatuses) {
    for (const allowed of Object.values(nextByUpdate))
      expect(next[from]).toEqual(expect.arrayContaining(allowed[from]));
  }
});

test('a failure code is stored with FAILED and refused without it', async () => {
  const id = await paymentIn('PENDING');
  await expect(node.update({ id, failureCode: 'card_declined' }, one)).rejects.toMatchObject({ field: 'failureCode' });
  const failed = await node.update({ id, status: 'FAILED', failureCode: 'card_declined', failureMessage: 'No.' }, one);
  expect(failed).toMatchObject({ status: 'FAILED', failureCode: 'card_declined', failureMessage: 'No.' });
});

test('description and metadata change without an event, in any status', async () => {
  const id = await paymentIn('SUCCESS');
  const before = (await eventsOf(id)).length;
  const changed = await node.update({ id, description: 'Corrected', metadata: { order: 5 } }, one);
  expect(changed).toMatchObject({ status: 'SUCCESS', description: 'Corrected', metadata: { order: 5 }, version: 2 });
  expect(await eventsOf(id)).toHaveLength(before);
});

test('an update without changes is refused', async () => {
  await expect(node.update({ id: await paymentIn('PENDING') }, one)).rejects.toMatchObject({ type: 'invalid_request' });
});

test("another tenant's payment is not found; a platform administrator may change it", async () => {
  const id = await paymentIn('PENDING');
  await expect(node.update({ id, status: 'CANCELLED' }, principalOf(2, 8))).rejects.toMatchObject({
    type: 'record_not_found',
  });
  const changed = await node.update({ id, status: 'CANCELLED' }, principalOf(0, 1, 'PLATFORM_ADMIN'));
  expect(changed.status).toBe('CANCELLED');
});

test('one of several concurrent updates to a final status is applied, the others are refused', async () => {
  const id = await paymentIn('PENDING');
  const outcomes = await Promise.allSettled([
    node.update({ id, status: 'SUCCESS' }, one),
    node.update({ id, status: 'FAILED' }, one),
    node.update({ id, status: 'CANCELLED' }, one),
  ]);
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
  expect(await eventsOf(id)).toHaveLength(2);
});

test('a repeated update with the same key gets the first answer; with another body it is refused', async () => {
  const id = await paymentIn('PENDING');
  const [first, ...others] = await Promise.all(
    Array.from({ length: 20 }, () => node.updateOnce({ id, status: 'SUCCESS' }, one, 'settle-1')),
  );
  expect(others.every((other) => JSON.stringify(other.answer) === JSON.stringify(first?.answer))).toBe(true);
  expect([first, ...others].filter((answer) => !answer?.replayed)).toHaveLength(1);
  expect(await eventsOf(id)).toHaveLength(2);
  await expect(node.updateOnce({ id, status: 'FAILED' }, one, 'settle-1')).rejects.toMatchObject({
    type: 'idempotency_mismatch',
  });
});

test('a refused update does not use its key up: the corrected request is applied', async () => {
  const id = await paymentIn('SUCCESS');
  await expect(node.updateOnce({ id, status: 'FAILED' }, one, 'settle-2')).rejects.toMatchObject({
    type: 'illegal_transition',
  });
  expect(await node.updateOnce({ id, description: 'as it was' }, one, 'settle-2')).toMatchObject({ replayed: false });
});
