import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../../../core/errors.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../testing/database.ts';
import { type LosingQueryable, losingAnswers } from '../../../../testing/lost-answers.ts';
import { arrangeChannels, principalOf } from '../../../../testing/payments.ts';
import { processingNode, ScriptedProvider } from '../../../../testing/processing.ts';
import { failure } from '../../providers/failures.ts';
import type { Outcome } from '../../providers/provider.ts';
import type { TransactionRow } from '../../transactions/statements.ts';

let db: TestDatabase;
let nowMs: number;
let node: Awaited<ReturnType<typeof processingNode>>;
const one = principalOf(1, 7);

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'sandbox', fallback_channel_ids = '{10}' where id = 11`);
  await db.query(`update channel set provider = 'sandbox' where id in (10, 21)`);
});

afterAll(() => db.drop());

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  node = await processingNode(db, { clock: () => nowMs });
});

afterEach(async () => {
  await node.stop();
  expect(node.troubles).toEqual([]);
  await db.query('delete from provider_operation');
});

const pay = (channelId = 21) => node.create({ amount: 1999, currency: 'USD', channelId }, one);

/** Reads the payment until the condition holds. */
async function paymentWhere(id: string, isThere: (row: TransactionRow) => boolean): Promise<TransactionRow> {
  for (;;) {
    const row = await node.find(id, one);
    if (isThere(row)) return row;
  }
}
const endOfPayment = (id: string) => paymentWhere(id, ({ status }) => status !== 'PENDING' && status !== 'PROCESSING');

async function operationInState(id: string, state: string) {
  for (;;) {
    const operations = await node.operationsOf(1, id);
    const last = operations.at(-1);
    if (last?.state === state) return last;
  }
}

const eventsOf = async (id: string) =>
  (await db.query<{ type: string }>('select type from event where object_id = $1 order by id', [id])).map(
    ({ type }) => type,
  );

const transfersOf = (id: string) =>
  db.query<{ debit: string; credit: string; amount: number }>(
    `select debit, credit, amount from ledger_transfer
      where 'txn_' || replace(transaction_id::text, '-', '') = $1 order by leg`,
    [id],
  );

test('a payment on a channel with a provider goes from PENDING to SUCCESS, with its events and its ledger transfer', async () => {
  const id = await pay();
  expect((await node.find(id, one)).status).toBe('PENDING');
  node.dispatcher.start();
  const paid = await endOfPayment(id);
  expect(paid).toMatchObject({ status: 'SUCCESS', provider_reference: `ref-${id}-1`, version: 3 });
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  expect(await transfersOf(id)).toEqual([{ debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 }]);
  expect(node.provider.verbs()).toEqual(['charge']);
});

test('many payments end, each charged once', async () => {
  node.dispatcher.start();
  const ids = await Promise.all(Array.from({ length: 500 }, () => pay()));
  for (const id of ids) expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(new Set(node.provider.requests.map(({ operation }) => operation.key)).size).toBe(500);
  expect(node.provider.requests).toHaveLength(500);
});

test("the provider's fee is booked", async () => {
  node.provider.answer = (_verb, { key }) => ({
    kind: 'succeeded',
    reference: key,
    fee: { amount: 59, currency: 'USD' },
  });
  const id = await pay();
  node.dispatcher.start();
  await endOfPayment(id);
  expect(await transfersOf(id)).toEqual([
    { debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 },
    { debit: 'PROVIDER_FEES', credit: 'PROVIDER_RECEIVABLE', amount: 59 },
  ]);
});

test('a decline fails the payment with a failure code of the catalogue and no ledger transfer', async () => {
  node.provider.answer = () => ({ kind: 'failed', failure: failure('insufficient_funds', 'nsf') });
  const id = await pay(11);
  node.dispatcher.start();
  expect(await endOfPayment(id)).toMatchObject({ status: 'FAILED', failure_code: 'insufficient_funds' });
  expect(await transfersOf(id)).toEqual([]);
  expect(await node.operationsOf(1, id)).toMatchObject([{ state: 'FAILED', number: 1 }]);
});

test('after a retriable failure the fallback channel is tried under a new key', async () => {
  node.provider.answer = (_verb, { key }) =>
    key.endsWith('-1')
      ? { kind: 'failed', failure: failure('processing_error') }
      : { kind: 'succeeded', reference: 'second' };
  const id = await pay(11);
  node.dispatcher.start();
  expect(await endOfPayment(id)).toMatchObject({ status: 'SUCCESS', channel_id: 11, provider_reference: 'second' });
  expect(node.provider.requests.map(({ operation }) => operation.key)).toEqual([`${id}-1`, `${id}-2`]);
  expect(await node.operationsOf(1, id)).toMatchObject([
    { state: 'FAILED', operation_channel_id: 11 },
    { state: 'SUCCEEDED', operation_channel_id: 10 },
  ]);
});

test('a payment fails when its last fallback channel has failed', async () => {
  node.provider.answer = () => ({ kind: 'failed', failure: failure('processing_error') });
  const id = await pay(11);
  node.dispatcher.start();
  expect(await endOfPayment(id)).toMatchObject({ status: 'FAILED', failure_code: 'processing_error' });
  expect(node.provider.requests).toHaveLength(2);
});

test('an unknown outcome is never guessed: it is looked up by the schedule, under the same key, until the provider decides', async () => {
  node.provider.answer = (verb) => (verb === 'charge' ? unknown() : { kind: 'pending' });
  const id = await pay();
  node.dispatcher.start();
  for (const [lookUps, waitMs] of [5_000, 30_000, 300_000, 3_600_000, 86_400_000, 86_400_000].entries()) {
    const operation = await openWithLookUps(id, lookUps);
    expect(operation.status).toBe('PROCESSING');
    const [{ due_ms } = { due_ms: 0 }] = await db.query<{ due_ms: number }>(
      'select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation',
    );
    expect(due_ms).toBe(nowMs + waitMs);
    nowMs += waitMs;
    node.dispatcher.wake();
  }
  await openWithLookUps(id, 6);
  node.provider.answer = () => ({ kind: 'succeeded', reference: 'at last' });
  nowMs += 86_400_000;
  node.dispatcher.wake();
  expect((await endOfPayment(id)).provider_reference).toBe('at last');
  expect(node.provider.verbs().filter((verb) => verb === 'charge')).toHaveLength(1);
});

test('a look-up that our own database prevented does not count: the next wait is no longer', async () => {
  node.provider.answer = () => ({ kind: 'pending', reference: 'r' });
  const id = await pay();
  node.dispatcher.start();
  const { operation_reference } = await operationInState(id, 'WAITING');
  const away = () => new Refusal('database_unavailable', 'Away.');
  // Thrown, or returned as the sandbox does; more often in a row than opens the breaker.
  for (let look = 1; look <= 8; look++) {
    node.provider.answer = () => (look % 2 ? Promise.reject(away()) : { kind: 'unknown', cause: away() });
    nowMs += 5_000;
    node.dispatcher.wake();
    const nextMs = await dueAfter(id, nowMs);
    expect(nextMs).toBe(nowMs + 5_000);
  }
  const [operation] = await node.operationsOf(1, id);
  expect(operation).toMatchObject({ state: 'WAITING', calls: 1, look_ups: 0, operation_reference });
  const notes = await db.query('select kind from transaction_note where transaction_id = $1', [operation?.id]);
  expect(notes).toEqual([{ kind: 'pending' }]);
  // The breaker is closed: another payment is called at once.
  node.provider.answer = () => ({ kind: 'succeeded', reference: 's' });
  expect((await endOfPayment(await pay())).status).toBe('SUCCESS');
});

test('an operation whose credentials cannot be read is tried again soon, not only when its lease expires', async () => {
  const reading = vi.spyOn(node.credentials, 'of');
  const away = new Refusal('database_unavailable', 'Away.');
  reading.mockRejectedValueOnce(away);
  const id = await pay();
  node.dispatcher.start();
  expect(await dueAfter(id, nowMs)).toBe(nowMs + 1_000);
  expect(await node.operationsOf(1, id)).toMatchObject([{ state: 'READY', calls: 0, look_ups: 0 }]);
  node.provider.answer = () => unknown();
  nowMs += 1_000;
  node.dispatcher.wake();
  await operationInState(id, 'UNKNOWN');
  reading.mockRejectedValueOnce(away);
  nowMs += 5_000;
  node.dispatcher.wake();
  expect(await dueAfter(id, nowMs)).toBe(nowMs + 5_000);
  expect(await node.operationsOf(1, id)).toMatchObject([{ state: 'UNKNOWN', calls: 1, look_ups: 0 }]);
  expect(node.provider.verbs()).toEqual(['charge']);
});

/** Waits until the open charge of this payment is due later than the given time, and returns when. */
async function dueAfter(id: string, laterThanMs: number): Promise<number> {
  for (;;) {
    const [row] = await db.query<{ due_ms: number }>(
      `select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation
        where 'txn_' || replace(transaction_id::text, '-', '') = $1 and lease is null`,
      [id],
    );
    if (row !== undefined && row.due_ms > laterThanMs) return row.due_ms;
  }
}

test('an operation that the provider does not know is called again, under the same key', async () => {
  node.provider.answer = (verb) => {
    if (verb === 'look_up') return { kind: 'absent' };
    return node.provider.verbs().length === 1 ? unknown() : { kind: 'succeeded', reference: 'r' };
  };
  const id = await pay();
  node.dispatcher.start();
  await openWithLookUps(id, 0);
  nowMs += 5_000;
  node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(node.provider.verbs()).toEqual(['charge', 'look_up', 'charge']);
  expect(new Set(node.provider.requests.map(({ operation }) => operation.key))).toEqual(new Set([`${id}-1`]));
});

test('a connector that throws or hangs leaves the outcome unknown', async () => {
  await node.stop();
  const provider = new ScriptedProvider();
  node = await processingNode(db, { clock: () => nowMs, provider, timeoutMs: 50 });
  provider.answer = () => new Promise(() => {});
  const hanging = await pay();
  node.dispatcher.start();
  expect((await operationInState(hanging, 'UNKNOWN')).status).toBe('PROCESSING');
  provider.answer = () => Promise.reject(new TypeError('cut'));
  const thrown = await pay();
  expect((await operationInState(thrown, 'UNKNOWN')).status).toBe('PROCESSING');
});

test('an operation whose node died while calling is looked up when its lease expires, not called', async () => {
  const id = await pay();
  await db.query(
    `update provider_operation set state = 'CALLING', lease = gen_random_uuid(), leased_until = to_timestamp($1)`,
    [nowMs / 1000 + 60],
  );
  node.dispatcher.start();
  nowMs += 59_000;
  node.dispatcher.wake();
  const other = await pay();
  await endOfPayment(other);
  expect(node.provider.requests.filter(({ operation }) => operation.key === `${id}-1`)).toEqual([]);
  nowMs += 2_000;
  node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(node.provider.requests.filter(({ operation }) => operation.key === `${id}-1`)).toMatchObject([
    { verb: 'look_up' },
  ]);
});

test('operations of a claim whose response was lost are called at once by the same node, each once', async () => {
  await node.stop();
  const ids: string[] = [];
  let losing: LosingQueryable | undefined;
  // The clock stands still: no lease expires.
  node = await processingNode(db, {
    clock: () => nowMs,
    wrapDatabase: (database) => {
      losing = losingAnswers(database, 'processing.claim', 1, 3);
      return losing;
    },
  });
  for (let i = 0; i < 5; i++) ids.push(await pay());
  node.dispatcher.start();
  for (const id of ids) expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(losing?.lost).toHaveLength(1);
  expect(node.provider.verbs()).toEqual(Array.from({ length: 5 }, () => 'charge'));
  expect(node.troubles.splice(0)).toHaveLength(1);
});

test('operations whose move to PROCESSING got no response are called at once, each once', async () => {
  await node.stop();
  node = await processingNode(db, {
    clock: () => nowMs,
    wrapDatabase: (database) => losingAnswers(database, 'transactions.move_many', 1, 0),
  });
  const id = await pay();
  node.dispatcher.start();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  expect(node.provider.verbs()).toEqual(['charge']);
  expect(node.troubles.splice(0)).toHaveLength(1);
});

test('after the clock was set back, leases and look-ups last no longer than their own length', async () => {
  node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  const [leased, unknown] = [await pay(), await pay()];
  const uuid = (id: string) => id.slice(4);
  const aDayAhead = nowMs / 1000 + 86_400;
  await db.query(
    `update provider_operation set state = 'CALLING', lease = gen_random_uuid(), leased_until = to_timestamp($2)
      where replace(transaction_id::text, '-', '') = $1`,
    [uuid(leased), aDayAhead],
  );
  await db.query(
    `update provider_operation set state = 'UNKNOWN', look_ups = 0, due_at = to_timestamp($2)
      where replace(transaction_id::text, '-', '') = $1`,
    [uuid(unknown), aDayAhead],
  );
  node.dispatcher.start();
  await node.dispatcher.clockWasSetBack();
  expect(node.provider.requests).toEqual([]);
  nowMs += 5_000;
  node.dispatcher.wake();
  expect((await endOfPayment(unknown)).status).toBe('SUCCESS');
  expect(node.provider.requests).toHaveLength(1);
  // A lease lasts two calls of 5 s, and 10 s more.
  nowMs += 16_000;
  node.dispatcher.wake();
  expect((await endOfPayment(leased)).status).toBe('SUCCESS');
});

test('two nodes charge each payment once', async () => {
  const other = await processingNode(db, { clock: () => nowMs, provider: node.provider });
  const ids = await Promise.all(Array.from({ length: 200 }, () => pay()));
  node.dispatcher.start();
  other.dispatcher.start();
  for (const id of ids) expect((await endOfPayment(id)).status).toBe('SUCCESS');
  expect(node.provider.verbs()).toEqual(Array.from({ length: 200 }, () => 'charge'));
  await other.stop();
});

test('a payment cancelled before its charge is sent is never charged', async () => {
  const id = await pay();
  await node.update({ id, status: 'CANCELLED' }, one);
  node.dispatcher.start();
  await operationInState(id, 'CANCELLED');
  expect(node.provider.requests).toEqual([]);
});

test('a payment cancelled after its node died in the call is looked up, and not charged', async () => {
  node.provider.answer = (verb, { key }) =>
    verb === 'look_up' ? { kind: 'absent' } : { kind: 'succeeded', reference: key };
  const id = await pay();
  await db.query(
    `update provider_operation set state = 'CALLING', lease = gen_random_uuid(), leased_until = to_timestamp($1)`,
    [nowMs / 1000 + 60],
  );
  expect(await node.update({ id, status: 'CANCELLED' }, one)).toMatchObject({ status: 'CANCELLED' });
  nowMs += 61_000;
  node.dispatcher.start();
  await operationInState(id, 'CANCELLED');
  expect(node.provider.verbs()).toEqual(['look_up']);
});

test('a payment whose charge was sent is CANCELLED only when the provider confirms', async () => {
  const confirmation = Promise.withResolvers<Outcome>();
  node.provider.answer = (verb, { key }) =>
    verb === 'cancel' ? confirmation.promise : { kind: 'pending', reference: key };
  const id = await pay();
  node.dispatcher.start();
  await operationInState(id, 'WAITING');
  expect(await node.update({ id, status: 'CANCELLED' }, one)).toMatchObject({ status: 'PROCESSING' });
  expect(await node.update({ id, status: 'CANCELLED' }, one)).toMatchObject({ status: 'PROCESSING' });
  confirmation.resolve({ kind: 'cancelled' });
  expect((await endOfPayment(id)).status).toBe('CANCELLED');
  expect(await node.operationsOf(1, id)).toMatchObject([
    { kind: 'CHARGE', state: 'CANCELLED' },
    { kind: 'CANCEL', state: 'SUCCEEDED' },
  ]);
  expect((await eventsOf(id)).at(-1)).toBe('transaction.cancelled');
});

test('a cancellation is not sent while its charge is being sent', async () => {
  let answer: (outcome: Outcome) => void = () => {};
  node.provider.answer = (verb) =>
    verb === 'cancel'
      ? { kind: 'cancelled' }
      : new Promise<Outcome>((resolve) => {
          answer = resolve;
        });
  const id = await pay();
  node.dispatcher.start();
  while (node.provider.requests.length === 0) await node.find(id, one);
  await node.update({ id, status: 'CANCELLED' }, one);
  const waits = async () =>
    (
      await db.query<{ due_ms: number }>(
        `select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation where kind = 'CANCEL'`,
      )
    )[0]?.due_ms;
  while ((await waits()) !== nowMs + 1_000) node.dispatcher.wake();
  expect(node.provider.verbs()).toEqual(['charge']);
  answer({ kind: 'pending', reference: 'r' });
  while ((await node.operationsOf(1, id))[0]?.state !== 'WAITING') await node.find(id, one);
  nowMs += 1_000;
  node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('CANCELLED');
  expect(node.provider.verbs()).toEqual(['charge', 'cancel']);
});

test('a cancellation that comes too late changes nothing', async () => {
  let decide: (outcome: Outcome) => void = () => {};
  node.provider.answer = (verb) => {
    if (verb === 'cancel') return { kind: 'failed', failure: failure('invalid_operation') };
    return verb === 'charge'
      ? { kind: 'pending', reference: 'r' }
      : new Promise<Outcome>((resolve) => (decide = resolve));
  };
  const id = await pay();
  node.dispatcher.start();
  await operationInState(id, 'WAITING');
  await node.update({ id, status: 'CANCELLED' }, one);
  await operationInState(id, 'FAILED');
  nowMs += 5_000;
  node.dispatcher.wake();
  while (!node.provider.verbs().includes('look_up')) await node.find(id, one);
  decide({ kind: 'succeeded', reference: 'r' });
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
});

test('the next action of the payer is on the payment and in an event', async () => {
  const nextAction = { type: 'redirect' as const, url: 'https://pay.example.com/1' };
  node.provider.answer = () => ({ kind: 'needs_payer', reference: 'r', nextAction });
  const id = await pay();
  node.dispatcher.start();
  expect(await paymentWhere(id, ({ next_action }) => next_action !== null)).toMatchObject({
    status: 'PROCESSING',
    next_action: nextAction,
    provider_reference: 'r',
  });
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.processing']);
});

test('a contradiction changes no final status, and is on the timeline', async () => {
  const id = await pay();
  node.dispatcher.start();
  await endOfPayment(id);
  const [operation] = await node.operationsOf(1, id);
  await node.settler.settle(operation as never, { kind: 'failed', failure: failure('card_declined') }, 'callback');
  await node.settler.settle(operation as never, { kind: 'succeeded', reference: 'again' }, 'callback');
  expect((await node.find(id, one)).status).toBe('SUCCESS');
  expect(node.disputes).toEqual(['SUCCEEDED failed']);
  expect(await transfersOf(id)).toHaveLength(1);
  expect(await db.query('select kind from transaction_note')).toContainEqual({ kind: 'contradiction' });
});

test.each([
  ['amount', { amount: 1998, currency: 'USD' }],
  ['currency', { amount: 1999, currency: 'EUR' }],
  ['currency, without an amount', { currency: 'EUR' }],
  ['amount that is no whole number of minor units', { amount: null, currency: 'USD' }],
])(
  'an answer with another %s books nothing, and the operation is looked up until the answer is right',
  async (_, money) => {
    node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key, money });
    const id = await pay();
    node.dispatcher.start();
    await operationInState(id, 'UNKNOWN');
    nowMs += 5_000;
    await paymentWhere(id, () => node.provider.verbs().length >= 2);
    await operationInState(id, 'UNKNOWN');
    expect((await node.find(id, one)).status).toBe('PROCESSING');
    expect(await transfersOf(id)).toEqual([]);
    expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing']);
    // Reported by the provider twice, recorded once.
    expect(
      await db.query(`select 1 from transaction_note where transaction_id = $1 and kind = 'mismatch'`, [
        uuidOfPublicId('txn', id),
      ]),
    ).toHaveLength(1);
    expect(node.disputes).toEqual(['READY succeeded']);
    const [operation] = await node.operationsOf(1, id);
    expect(
      await node.settler.settle(operation as never, { kind: 'succeeded', reference: 'r', money }, 'callback'),
    ).toBe('mismatch');
    node.provider.answer = (_verb, { key }) => ({
      kind: 'succeeded',
      reference: key,
      money: { amount: 1999, currency: 'USD' },
    });
    nowMs += 30_000;
    expect((await endOfPayment(id)).status).toBe('SUCCESS');
    expect(await transfersOf(id)).toEqual([{ debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 }]);
  },
);

test('a channel that cannot be read while its breaker is open fails the claim, not the process', async () => {
  node.provider.answer = () => ({ kind: 'unknown', cause: 'silence' });
  node.dispatcher.start();
  for (let i = 0; i < 5; i++) await operationInState(await pay(), 'UNKNOWN');
  let reads = 0;
  const find = node.channels.find.bind(node.channels);
  node.channels.find = () => {
    reads++;
    return Promise.reject(new Error('The database is away.'));
  };
  while (reads === 0) {
    node.dispatcher.wake();
    // Node reports an unhandled rejection before this resolves.
    await new Promise((resolve) => setImmediate(resolve));
  }
  node.channels.find = find;
  nowMs += 31_000;
  node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  expect((await endOfPayment(await pay())).status).toBe('SUCCESS');
  // The claim failed, and reported it.
  expect(node.troubles.splice(0)).toEqual([new Error('The database is away.')]);
});

test('twenty concurrent reports of the same outcome settle once', async () => {
  node.provider.answer = () => ({ kind: 'pending', reference: 'r' });
  const id = await pay();
  node.dispatcher.start();
  const operation = await operationInState(id, 'WAITING');
  await Promise.all(
    Array.from({ length: 20 }, () => node.settler.settle(operation, { kind: 'succeeded', reference: 'r' }, 'callback')),
  );
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  expect(await transfersOf(id)).toHaveLength(1);
});

test('a settlement and concurrent updates of the description are both applied', async () => {
  node.provider.answer = () => ({ kind: 'pending', reference: 'r' });
  const id = await pay();
  node.dispatcher.start();
  const operation = await operationInState(id, 'WAITING');
  await Promise.all([
    ...Array.from({ length: 5 }, (_, i) => node.update({ id, description: `Words ${i}` }, one)),
    node.settler.settle(operation, { kind: 'succeeded', reference: 'r' }, 'callback'),
  ]);
  expect(await node.find(id, one)).toMatchObject({ status: 'SUCCESS', description: expect.stringMatching(/^Words/) });
});

test('the database refuses a second charge of a payment while one is not void', async () => {
  const id = await pay();
  await expect(
    db.query(
      `insert into provider_operation (tenant_id, transaction_id, number, kind, channel_id, provider, amount, due_at, created_at)
       select tenant_id, transaction_id, 2, kind, channel_id, provider, amount, due_at, created_at from provider_operation
        where 'txn_' || replace(transaction_id::text, '-', '') = $1`,
      [id],
    ),
  ).rejects.toMatchObject({ constraint: 'provider_operation_one_charge' });
});

test('a channel whose provider hangs does not delay other channels, however many payments it has', async () => {
  let hanging = 0;
  node.provider.answer = (_verb, operation) => {
    if (operation.kind !== 'CHARGE' || !operation.callbackUrl.endsWith('/11'))
      return { kind: 'succeeded', reference: 'r' };
    hanging++;
    return new Promise<Outcome>((resolve) => release.push(() => resolve({ kind: 'succeeded', reference: 'r' })));
  };
  const release: (() => void)[] = [];
  const stuck = await Promise.all(Array.from({ length: 700 }, () => pay(11)));
  node.dispatcher.start();
  while (hanging < 500) await node.find(stuck[0] as string, one);
  expect((await endOfPayment(await pay(21))).status).toBe('SUCCESS');
  expect(hanging).toBe(500);
  node.provider.answer = () => ({ kind: 'succeeded', reference: 'r' });
  for (const go of release) go();
  await endOfPayment(stuck.at(-1) as string);
});

const unknown = (): Outcome => ({ kind: 'unknown', cause: new Error('cut') });

/** Waits until the charge is open, not leased, and was looked up this often. */
async function openWithLookUps(id: string, lookUps: number) {
  for (;;) {
    const [operation] = await node.operationsOf(1, id);
    const [free] = await db.query<{ free: boolean }>('select lease is null as free from provider_operation');
    if (operation?.look_ups === lookUps && operation.calls > 0 && free?.free) return operation;
  }
}

test('while the breaker is open a charge waits, unless a fallback channel accepts it', async () => {
  // The fallback channel of 21 is inactive; that of 11 accepts the payment.
  await db.query(`update channel set fallback_channel_ids = '{31}' where id = 21`);
  node.provider.answer = (_verb, { key }) => (key.endsWith('-2') ? { kind: 'succeeded', reference: key } : unknown());
  node.dispatcher.start();
  for (let i = 0; i < 5; i++) for (const channelId of [11, 21]) await operationInState(await pay(channelId), 'UNKNOWN');
  expect(await endOfPayment(await pay(11))).toMatchObject({
    status: 'SUCCESS',
    provider_reference: expect.stringMatching(/-2$/),
  });
  const id = await pay(21);
  const dueMs = async () =>
    (
      await db.query<{ due_ms: number }>(
        `select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation
          where state = 'READY' and channel_id = 21`,
      )
    )[0]?.due_ms ?? 0;
  while ((await dueMs()) <= nowMs) node.dispatcher.wake();
  expect(await node.operationsOf(1, id)).toMatchObject([{ state: 'READY' }]);
  node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  nowMs += 31_000;
  node.dispatcher.wake();
  expect((await endOfPayment(id)).status).toBe('SUCCESS');
  await db.query(`update channel set fallback_channel_ids = '{}' where id = 21`);
});

test.each([
  ['stripe', 'sandbox'],
  ['sandbox', 'stripe'],
])(
  'a charge that %s declined is never tried at %s, even if the channel lists it as a fallback',
  async (provider, other) => {
    await db.query(`update channel set provider = $1, fallback_channel_ids = '{10}' where id = 11`, [provider]);
    await db.query('update channel set provider = $1 where id = 10', [other]);
    const mixed = await processingNode(db, { clock: () => nowMs });
    mixed.dispatcher.start();
    mixed.provider.answer = () => ({ kind: 'failed', failure: failure('processing_error') });
    const id = await mixed.create({ amount: 1000, currency: 'USD', channelId: 11 }, one);
    await eventually('the payment fails', async () => (await mixed.find(id, one)).status === 'FAILED');
    expect(await mixed.operationsOf(1, id)).toHaveLength(1);
    await mixed.stop();
  },
);
