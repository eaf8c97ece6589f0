import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arrangeChannels, paymentsNode, principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { Refusal } from '../../../../core/errors.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';

let db: TestDatabase;
let node: Awaited<ReturnType<typeof paymentsNode>>;
let other: Awaited<ReturnType<typeof paymentsNode>>;
const one = principalOf(1, 7);

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  node = await paymentsNode(db);
  other = await paymentsNode(db);
});

afterAll(async () => {
  await node.stop();
  await other.stop();
  await db.drop();
});

const payment = { amount: 1000, currency: 'USD', channelId: 11 };

async function refusalOf(promise: Promise<unknown>): Promise<Refusal> {
  const error = await promise.then(
    () => new Error('It was not refused.'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw error;
  return error;
}

async function countOf(table: string, where: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(`select count(*) as n from ${table} where ${where}`);
  return row?.n ?? 0;
}

test('an acknowledged payment has its event, its deliveries and its total', async () => {
  await db.query(`insert into app_user (id, tenant_id, user_name, email, password_hash, user_type)
                  values (1, 1, 'u', 'u@x', '-', 'MERCHANT_ADMIN')`);
  await db.query(`insert into webhook_endpoint (tenant_id, user_id, url, events, secret_sealed, state)
    select tenant_id, 1, 'http://127.0.0.1:9', events, '', state from (values
      (1, array['*'], true), (1, array['transaction.*'], true), (1, array['transaction.created'], true),
      (1, array['transaction.failed', 'invoice.*'], true), (1, array['*'], false), (2, array['*'], true)
    ) as e (tenant_id, events, state)`);
  const { answer } = await node.create({ ...payment, description: 'Tëst "quoted" \\ 💶' }, one);
  const object = answer;
  const id = uuidOfPublicId('txn', object.id);
  const [event] = await db.query<{ body: string }>('select body from event where id = $1', [id]);
  expect(JSON.parse(event?.body ?? '')).toMatchObject({ type: 'transaction.created', data: { object } });
  expect(await countOf('delivery', `event_id = '${id}'`)).toBe(3);
  expect(await countOf('transaction_total_delta', 'tenant_id = 1 and count = 1')).toBe(1);
  await db.query('update webhook_endpoint set state = false');
});

test('concurrent creates are written in batches', async () => {
  node.batchSizes.length = 0;
  await Promise.all(Array.from({ length: 300 }, () => node.create(payment, one)));
  expect(node.batchSizes.reduce((sum, size) => sum + size)).toBe(300);
  expect(Math.max(...node.batchSizes)).toBeGreaterThan(100);
});

test('a batch with a repeated request writes its other payments once, and so do the batches after it', async () => {
  const first = await node.create(payment, one, 'repeated-in-batch');
  for (let round = 0; round < 3; round++) {
    const marker = `beside a repeat ${round}`;
    const others = Array.from({ length: 20 }, (_, i) => ({ ...payment, amount: 1 + i, description: marker }));
    const [repeat, ...created] = await Promise.all([
      node.create(payment, one, 'repeated-in-batch'),
      ...others.map((input) => node.create(input, one)),
    ]);
    expect(repeat).toEqual({ answer: first.answer, replayed: true });
    expect(created.every(({ replayed }) => !replayed)).toBe(true);
    expect(await countOf('transaction', `description = '${marker}'`)).toBe(20);
    expect(await countOf('event', `body like '%${marker}%'`)).toBe(20);
  }
  expect(await countOf('transaction', `idempotency_key = 'repeated-in-batch'`)).toBe(1);
});

test('a hundred concurrent requests with one key create one payment', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => node.create(payment, one, 'same-batch')));
  expect(new Set(answers.map((answer) => JSON.stringify(answer.answer))).size).toBe(1);
  expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
  expect(await countOf('transaction', `idempotency_key = 'same-batch'`)).toBe(1);
});

test('two hundred concurrent requests on two nodes with ten keys create ten payments', async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => {
      const turn = (i >> 1) % 10;
      const key = `two-nodes-${i % 2 === 0 ? turn : 9 - turn}`;
      return (i % 2 === 0 ? node : other).create(payment, one, key);
    }),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer.answer))).size).toBe(10);
  expect(answers.filter((answer) => !answer.replayed)).toHaveLength(10);
  expect(await countOf('transaction', `idempotency_key like 'two-nodes-%'`)).toBe(10);
});

test('a key reused with another body is refused, even in the same batch, in any order of fields', async () => {
  const [first, second] = await Promise.allSettled([
    node.create({ ...payment, metadata: { a: 1, b: 2 } }, one, 'differs'),
    node.create({ ...payment, amount: 1001 }, one, 'differs'),
  ]);
  expect(first.status).toBe('fulfilled');
  expect(second).toMatchObject({ status: 'rejected', reason: { type: 'idempotency_mismatch' } });
  const again = await node.create(
    { channelId: 11, metadata: { b: 2, a: 1 }, currency: 'USD', amount: 1000 },
    one,
    'differs',
  );
  expect(again.replayed).toBe(true);
});

test('a key belongs to its tenant: another tenant with the same key creates its own payment', async () => {
  const ours = await node.create(payment, one, 'tenant-key');
  const theirs = await node.create({ ...payment, channelId: 12 }, principalOf(2, 8), 'tenant-key');
  expect(theirs.replayed).toBe(false);
  expect(theirs.answer.id).not.toBe(ours.answer.id);
});

test('a repeat gets the first answer byte for byte, after changes of payment and channel, too', async () => {
  const first = await node.create({ ...payment, channelId: 21 }, one, 'moved-on');
  await node.update({ id: first.answer.id, status: 'SUCCESS', description: 'paid' }, one);
  await db.query('update channel set state = false where id = 21');
  const fresh = await paymentsNode(db);
  const repeat = await fresh.create({ ...payment, channelId: 21 }, one, 'moved-on');
  await fresh.stop();
  expect(repeat).toEqual({ answer: first.answer, replayed: true });
});

test('a refusal does not use the key up: the corrected request creates the payment', async () => {
  expect((await refusalOf(node.create({ ...payment, currency: 'EUR' }, one, 'corrected'))).type).toBe(
    'currency_not_supported',
  );
  expect((await node.create(payment, one, 'corrected')).replayed).toBe(false);
});

test.each([
  ['an inactive channel', { ...payment, channelId: 31 }, 'channel_inactive', 'channelId'],
  ["another tenant's channel", { ...payment, channelId: 12 }, 'record_not_found', 'channelId'],
  ['an absent channel', { ...payment, channelId: 999 }, 'record_not_found', 'channelId'],
  ['a currency the channel lacks', { ...payment, currency: 'EUR' }, 'currency_not_supported', 'currency'],
  ['metadata over 16 KiB', { ...payment, metadata: { a: 'x'.repeat(16_400) } }, 'invalid_request', 'metadata'],
  [
    'metadata nested over 8 levels',
    { ...payment, metadata: JSON.parse(`${'{"a":'.repeat(9)}1${'}'.repeat(9)}`) },
    'invalid_request',
    'metadata',
  ],
])('%s is refused, naming the field', async (_what, input, type, field) => {
  expect(await refusalOf(node.create(input, one))).toMatchObject({ type, field });
});

test("every tenant may use the platform's channel", async () => {
  const { answer } = await node.create({ ...payment, channelId: 10 }, one);
  expect(answer.channelId).toBe(10);
});

test('a value that the database refuses fails its own request and no other of the batch', async () => {
  const poison = { ...payment, description: 'NUL \0 in the middle' };
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 50 }, () => node.create(payment, one)),
    node.create(poison, one),
    ...Array.from({ length: 50 }, () => node.create(payment, one)),
  ]);
  expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toHaveLength(1);
});

test('a payment whose connection breaks during the write is written once', async () => {
  for (let round = 0; round < 5; round++) {
    const before = await countOf('transaction', 'true');
    const creates = Promise.all(Array.from({ length: 200 }, () => node.create(payment, one)));
    await db.query(`select pg_terminate_backend(pid) from pg_stat_activity
                     where application_name = 'florin test writer' and datname = current_database()`);
    await creates;
    expect(await countOf('transaction', 'true')).toBe(before + 200);
  }
});

test('every payment has exactly one created event', async () => {
  expect(await countOf('event', `type = 'transaction.created'`)).toBe(await countOf('transaction', 'true'));
});

describe('metrics and traces receive a payment', () => {
  const request = () => ({
    ...{
      id: node.generateUuid(),
      tenantId: 1,
      livemode: true,
      userId: 7,
      amount: 1000,
      currency: 'USD',
      channelId: 11,
    },
    ...{ customerId: null, invoiceId: null, description: null, metadata: null, paymentMethod: null, returnUrl: null },
  });

  test('that billing creates, after the commit', async () => {
    const wanted = request();
    await db.database.transaction(async (transaction) => {
      expect(await node.payments.createInTransaction(transaction, [wanted])).toMatchObject([{ id: wanted.id }]);
      expect(node.counted.created).not.toContain(wanted.id);
    });
    expect(node.counted.created.filter((id) => id === wanted.id)).toHaveLength(1);
  });

  test('never if billing rolls back', async () => {
    const wanted = request();
    const rolledBack = db.database.transaction(async (transaction) => {
      await node.payments.createInTransaction(transaction, [wanted]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await countOf('transaction', `id = '${wanted.id}'`)).toBe(0);
    expect(node.counted.created).not.toContain(wanted.id);
  });

  test('that changes its status, after the commit and not after a rollback', async () => {
    const { answer } = await node.create(payment, one);
    const row = await node.payments.find(answer.id, one);
    const change = { row, to: 'FAILED', atMs: Date.now(), writesEvent: true } as const;
    const rolledBack = db.database.transaction(async (transaction) => {
      await node.payments.transition(transaction, [change]);
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(node.counted.transitioned).not.toContain(row.id);
    await db.database.transaction((transaction) => node.payments.transition(transaction, [change]));
    expect(node.counted.transitioned.filter((id) => id === row.id)).toHaveLength(1);
  });
});
