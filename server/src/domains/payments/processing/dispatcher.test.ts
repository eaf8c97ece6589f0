import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../../core/errors.ts';
import { uuidOfPublicId } from '../../../core/id.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../testing/database.ts';
import { type LosingQueryable, losingAnswers } from '../../../testing/lost-answers.ts';
import { arrangeChannels, principalOf } from '../../../testing/payments.ts';
import { processingNode, ScriptedProvider } from '../../../testing/processing.ts';
import { failure } from '../providers/failures.ts';
import type { Outcome } from '../providers/provider.ts';
import type { TransactionRow } from '../transactions/statements.ts';

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

/** The payment, once the database says so: asked again whenever a statement of this test has been answered. */
async function reached(id: string, isThere: (row: TransactionRow) => boolean): Promise<TransactionRow> {
  for (;;) {
    const row = await node.find(id, one);
    if (isThere(row)) return row;
  }
}
const ended = (id: string) => reached(id, ({ status }) => status !== 'PENDING' && status !== 'PROCESSING');

async function operationIn(id: string, state: string) {
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

test('a payment on a channel with a provider goes from PENDING to SUCCESS by itself, with its events and its booking', async () => {
  const id = await pay();
  expect((await node.find(id, one)).status).toBe('PENDING');
  node.dispatcher.start();
  const paid = await ended(id);
  expect(paid).toMatchObject({ status: 'SUCCESS', provider_reference: `ref-${id}-1`, version: 3 });
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  expect(await transfersOf(id)).toEqual([{ debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 }]);
  expect(node.provider.verbs()).toEqual(['charge']);
});

test('many payments are taken to their end, each charged once', async () => {
  node.dispatcher.start();
  const ids = await Promise.all(Array.from({ length: 500 }, () => pay()));
  for (const id of ids) expect((await ended(id)).status).toBe('SUCCESS');
  expect(new Set(node.provider.asked.map(({ operation }) => operation.key)).size).toBe(500);
  expect(node.provider.asked).toHaveLength(500);
});

test('what the provider keeps is booked as its fee', async () => {
  node.provider.answer = (_verb, { key }) => ({
    kind: 'succeeded',
    reference: key,
    fee: { amount: 59, currency: 'USD' },
  });
  const id = await pay();
  node.dispatcher.start();
  await ended(id);
  expect(await transfersOf(id)).toEqual([
    { debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 },
    { debit: 'PROVIDER_FEES', credit: 'PROVIDER_RECEIVABLE', amount: 59 },
  ]);
});

test('a decline ends the payment with the reason of the catalogue and without a booking', async () => {
  node.provider.answer = () => ({ kind: 'failed', failure: failure('insufficient_funds', 'nsf') });
  const id = await pay(11);
  node.dispatcher.start();
  expect(await ended(id)).toMatchObject({ status: 'FAILED', failure_code: 'insufficient_funds' });
  expect(await transfersOf(id)).toEqual([]);
  expect(await node.operationsOf(1, id)).toMatchObject([{ state: 'FAILED', number: 1 }]);
});

test('after a failure that another provider may not have, the channel to fall back on is tried under a new key', async () => {
  node.provider.answer = (_verb, { key }) =>
    key.endsWith('-1')
      ? { kind: 'failed', failure: failure('processing_error') }
      : { kind: 'succeeded', reference: 'second' };
  const id = await pay(11);
  node.dispatcher.start();
  expect(await ended(id)).toMatchObject({ status: 'SUCCESS', channel_id: 11, provider_reference: 'second' });
  expect(node.provider.asked.map(({ operation }) => operation.key)).toEqual([`${id}-1`, `${id}-2`]);
  expect(await node.operationsOf(1, id)).toMatchObject([
    { state: 'FAILED', operation_channel_id: 11 },
    { state: 'SUCCEEDED', operation_channel_id: 10 },
  ]);
});

test('a payment fails when its last channel has failed', async () => {
  node.provider.answer = () => ({ kind: 'failed', failure: failure('processing_error') });
  const id = await pay(11);
  node.dispatcher.start();
  expect(await ended(id)).toMatchObject({ status: 'FAILED', failure_code: 'processing_error' });
  expect(node.provider.asked).toHaveLength(2);
});

test('an unknown outcome is never guessed: it is looked up under the same key, ever more rarely, until the provider says', async () => {
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
  expect((await ended(id)).provider_reference).toBe('at last');
  expect(node.provider.verbs().filter((verb) => verb === 'charge')).toHaveLength(1);
});

test('a look-up that our own database kept from being made does not count: the next one is not put off for longer', async () => {
  node.provider.answer = () => ({ kind: 'pending', reference: 'r' });
  const id = await pay();
  node.dispatcher.start();
  const { operation_reference } = await operationIn(id, 'WAITING');
  const away = () => new Refusal('database_unavailable', 'Away.');
  // Thrown, or said as the sandbox does. More of them in a row than rest a channel whose provider does not answer.
  for (let look = 1; look <= 8; look++) {
    node.provider.answer = () => (look % 2 ? Promise.reject(away()) : { kind: 'unknown', cause: away() });
    nowMs += 5_000;
    node.dispatcher.wake();
    const nextMs = await reachedDue(id, nowMs);
    expect(nextMs).toBe(nowMs + 5_000);
  }
  const [operation] = await node.operationsOf(1, id);
  expect(operation).toMatchObject({ state: 'WAITING', calls: 1, look_ups: 0, operation_reference });
  const notes = await db.query('select kind from transaction_note where transaction_id = $1', [operation?.id]);
  expect(notes).toEqual([{ kind: 'pending' }]);
  // The provider is not blamed: another payment is called at once.
  node.provider.answer = () => ({ kind: 'succeeded', reference: 's' });
  expect((await ended(await pay())).status).toBe('SUCCESS');
});

test('what cannot be asked because the credentials cannot be read is tried again shortly, not when its lease runs out', async () => {
  const reading = vi.spyOn(node.credentials, 'of');
  const away = new Refusal('database_unavailable', 'Away.');
  reading.mockRejectedValueOnce(away);
  const id = await pay();
  node.dispatcher.start();
  expect(await reachedDue(id, nowMs)).toBe(nowMs + 1_000);
  expect(await node.operationsOf(1, id)).toMatchObject([{ state: 'READY', calls: 0, look_ups: 0 }]);
  node.provider.answer = () => unknown();
  nowMs += 1_000;
  node.dispatcher.wake();
  await operationIn(id, 'UNKNOWN');
  reading.mockRejectedValueOnce(away);
  nowMs += 5_000;
  node.dispatcher.wake();
  expect(await reachedDue(id, nowMs)).toBe(nowMs + 5_000);
  expect(await node.operationsOf(1, id)).toMatchObject([{ state: 'UNKNOWN', calls: 1, look_ups: 0 }]);
  expect(node.provider.verbs()).toEqual(['charge']);
});

/** When the open charge of this payment is due, once that is later than now. */
async function reachedDue(id: string, laterThanMs: number): Promise<number> {
  for (;;) {
    const [row] = await db.query<{ due_ms: number }>(
      `select (extract(epoch from due_at) * 1000)::float8 as due_ms from provider_operation
        where 'txn_' || replace(transaction_id::text, '-', '') = $1 and lease is null`,
      [id],
    );
    if (row !== undefined && row.due_ms > laterThanMs) return row.due_ms;
  }
}

test('what the provider has never heard of is called again, under the same key', async () => {
  node.provider.answer = (verb) => {
    if (verb === 'look_up') return { kind: 'absent' };
    return node.provider.verbs().length === 1 ? unknown() : { kind: 'succeeded', reference: 'r' };
  };
  const id = await pay();
  node.dispatcher.start();
  await openWithLookUps(id, 0);
  nowMs += 5_000;
  node.dispatcher.wake();
  expect((await ended(id)).status).toBe('SUCCESS');
  expect(node.provider.verbs()).toEqual(['charge', 'look_up', 'charge']);
  expect(new Set(node.provider.asked.map(({ operation }) => operation.key))).toEqual(new Set([`${id}-1`]));
});

test('a connector that throws or hangs leaves the outcome unknown', async () => {
  await node.stop();
  const provider = new ScriptedProvider();
  node = await processingNode(db, { clock: () => nowMs, provider, timeoutMs: 50 });
  provider.answer = () => new Promise(() => {});
  const hanging = await pay();
  node.dispatcher.start();
  expect((await operationIn(hanging, 'UNKNOWN')).status).toBe('PROCESSING');
  provider.answer = () => Promise.reject(new TypeError('cut'));
  const thrown = await pay();
  expect((await operationIn(thrown, 'UNKNOWN')).status).toBe('PROCESSING');
});

test('an operation whose node died while calling is looked up when its lease runs out, not called', async () => {
  const id = await pay();
  await db.query(
    `update provider_operation set state = 'CALLING', lease = gen_random_uuid(), leased_until = to_timestamp($1)`,
    [nowMs / 1000 + 60],
  );
  node.dispatcher.start();
  nowMs += 59_000;
  node.dispatcher.wake();
  const other = await pay();
  await ended(other);
  expect(node.provider.asked.filter(({ operation }) => operation.key === `${id}-1`)).toEqual([]);
  nowMs += 2_000;
  node.dispatcher.wake();
  expect((await ended(id)).status).toBe('SUCCESS');
  expect(node.provider.asked.filter(({ operation }) => operation.key === `${id}-1`)).toMatchObject([
    { verb: 'look_up' },
  ]);
});

test('operations of a claim whose answer was lost are called at once by this node, each once', async () => {
  await node.stop();
  const ids: string[] = [];
  let losing: LosingQueryable | undefined;
  // Time stands still: no lease ever runs out.
  node = await processingNode(db, {
    clock: () => nowMs,
    way: (database) => {
      losing = losingAnswers(database, 'processing.claim', 1, 3);
      return losing;
    },
  });
  for (let i = 0; i < 5; i++) ids.push(await pay());
  node.dispatcher.start();
  for (const id of ids) expect((await ended(id)).status).toBe('SUCCESS');
  expect(losing?.lost).toHaveLength(1);
  expect(node.provider.verbs()).toEqual(Array.from({ length: 5 }, () => 'charge'));
  expect(node.troubles.splice(0)).toHaveLength(1);
});

test('so are those that were claimed by a node that could not say so to their payments', async () => {
  await node.stop();
  node = await processingNode(db, {
    clock: () => nowMs,
    way: (database) => losingAnswers(database, 'transactions.move_many', 1, 0),
  });
  const id = await pay();
  node.dispatcher.start();
  expect((await ended(id)).status).toBe('SUCCESS');
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  expect(node.provider.verbs()).toEqual(['charge']);
  expect(node.troubles.splice(0)).toHaveLength(1);
});

test('leases and look-ups that a clock set back since had given end after their own length', async () => {
  node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  const [held, unknown] = [await pay(), await pay()];
  const uuid = (id: string) => id.slice(4);
  const aDayAhead = nowMs / 1000 + 86_400;
  await db.query(
    `update provider_operation set state = 'CALLING', lease = gen_random_uuid(), leased_until = to_timestamp($2)
      where replace(transaction_id::text, '-', '') = $1`,
    [uuid(held), aDayAhead],
  );
  await db.query(
    `update provider_operation set state = 'UNKNOWN', look_ups = 0, due_at = to_timestamp($2)
      where replace(transaction_id::text, '-', '') = $1`,
    [uuid(unknown), aDayAhead],
  );
  node.dispatcher.start();
  await node.dispatcher.clockWasSetBack();
  expect(node.provider.asked).toEqual([]);
  nowMs += 5_000;
  node.dispatcher.wake();
  expect((await ended(unknown)).status).toBe('SUCCESS');
  expect(node.provider.asked).toHaveLength(1);
  // A lease of two calls of 5 s, and 10 s more.
  nowMs += 16_000;
  node.dispatcher.wake();
  expect((await ended(held)).status).toBe('SUCCESS');
});

test('two nodes on one queue charge each payment once', async () => {
  const other = await processingNode(db, { clock: () => nowMs, provider: node.provider });
  const ids = await Promise.all(Array.from({ length: 200 }, () => pay()));
  node.dispatcher.start();
  other.dispatcher.start();
  for (const id of ids) expect((await ended(id)).status).toBe('SUCCESS');
  expect(node.provider.verbs()).toEqual(Array.from({ length: 200 }, () => 'charge'));
  await other.stop();
});

test('a payment called off before its turn is never charged', async () => {
  const id = await pay();
  await node.update({ id, status: 'CANCELLED' }, one);
  node.dispatcher.start();
  await operationIn(id, 'CANCELLED');
  expect(node.provider.asked).toEqual([]);
});

test('a payment called off after the node that had claimed it died is looked up, and not charged', async () => {
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
  await operationIn(id, 'CANCELLED');
  expect(node.provider.verbs()).toEqual(['look_up']);
});

test('a payment at its provider is CANCELLED only when the provider confirms', async () => {
  const confirmation = Promise.withResolvers<Outcome>();
  node.provider.answer = (verb, { key }) =>
    verb === 'cancel' ? confirmation.promise : { kind: 'pending', reference: key };
  const id = await pay();
  node.dispatcher.start();
  await operationIn(id, 'WAITING');
  expect(await node.update({ id, status: 'CANCELLED' }, one)).toMatchObject({ status: 'PROCESSING' });
  expect(await node.update({ id, status: 'CANCELLED' }, one)).toMatchObject({ status: 'PROCESSING' });
  confirmation.resolve({ kind: 'cancelled' });
  expect((await ended(id)).status).toBe('CANCELLED');
  expect(await node.operationsOf(1, id)).toMatchObject([
    { kind: 'CHARGE', state: 'CANCELLED' },
    { kind: 'CANCEL', state: 'SUCCEEDED' },
  ]);
  expect((await eventsOf(id)).at(-1)).toBe('transaction.cancelled');
});

test('a provider is not asked to cancel a charge while it is being called', async () => {
  let answer: (outcome: Outcome) => void = () => {};
  node.provider.answer = (verb) =>
    verb === 'cancel'
      ? { kind: 'cancelled' }
      : new Promise<Outcome>((resolve) => {
          answer = resolve;
        });
  const id = await pay();
  node.dispatcher.start();
  while (node.provider.asked.length === 0) await node.find(id, one);
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
  expect((await ended(id)).status).toBe('CANCELLED');
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
  await operationIn(id, 'WAITING');
  await node.update({ id, status: 'CANCELLED' }, one);
  await operationIn(id, 'FAILED');
  nowMs += 5_000;
  node.dispatcher.wake();
  while (!node.provider.verbs().includes('look_up')) await node.find(id, one);
  decide({ kind: 'succeeded', reference: 'r' });
  expect((await ended(id)).status).toBe('SUCCESS');
});

test('what the payer has to do stands on the payment and is told', async () => {
  const nextAction = { type: 'redirect' as const, url: 'https://pay.example.com/1' };
  node.provider.answer = () => ({ kind: 'needs_payer', reference: 'r', nextAction });
  const id = await pay();
  node.dispatcher.start();
  expect(await reached(id, ({ next_action }) => next_action !== null)).toMatchObject({
    status: 'PROCESSING',
    next_action: nextAction,
    provider_reference: 'r',
  });
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.processing']);
});

test('a provider that contradicts itself changes nothing that is final; it is noted', async () => {
  const id = await pay();
  node.dispatcher.start();
  await ended(id);
  const [operation] = await node.operationsOf(1, id);
  await node.settler.settle(operation as never, { kind: 'failed', failure: failure('card_declined') }, 'callback');
  await node.settler.settle(operation as never, { kind: 'succeeded', reference: 'again' }, 'callback');
  expect((await node.find(id, one)).status).toBe('SUCCESS');
  expect(node.contradictions).toEqual(['SUCCEEDED failed']);
  expect(await transfersOf(id)).toHaveLength(1);
  expect(await db.query('select kind from transaction_note')).toContainEqual({ kind: 'contradiction' });
});

test.each([
  ['amount', { amount: 1998, currency: 'USD' }],
  ['currency', { amount: 1999, currency: 'EUR' }],
  ['currency, without an amount', { currency: 'EUR' }],
  ['amount that is no whole number of minor units', { amount: null, currency: 'USD' }],
])(
  'an answer that names another %s books nothing, and the operation is looked up until it is right',
  async (_, money) => {
    node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key, money });
    const id = await pay();
    node.dispatcher.start();
    await operationIn(id, 'UNKNOWN');
    nowMs += 5_000;
    await reached(id, () => node.provider.verbs().length >= 2);
    await operationIn(id, 'UNKNOWN');
    expect((await node.find(id, one)).status).toBe('PROCESSING');
    expect(await transfersOf(id)).toEqual([]);
    expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing']);
    // Said twice, and told once.
    expect(
      await db.query(`select 1 from transaction_note where transaction_id = $1 and kind = 'mismatch'`, [
        uuidOfPublicId('txn', id),
      ]),
    ).toHaveLength(1);
    expect(node.contradictions).toEqual(['READY succeeded']);
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
    expect((await ended(id)).status).toBe('SUCCESS');
    expect(await transfersOf(id)).toEqual([{ debit: 'PROVIDER_RECEIVABLE', credit: 'MERCHANT_PAYABLE', amount: 1999 }]);
  },
);

test('channels that cannot be read while a provider rests end no process', async () => {
  node.provider.answer = () => ({ kind: 'unknown', cause: 'silence' });
  node.dispatcher.start();
  for (let i = 0; i < 5; i++) await operationIn(await pay(), 'UNKNOWN');
  let asked = 0;
  const find = node.channels.find.bind(node.channels);
  node.channels.find = () => {
    asked++;
    return Promise.reject(new Error('The database is away.'));
  };
  while (asked === 0) {
    node.dispatcher.wake();
    // An unhandled rejection is reported before this.
    await new Promise((resolve) => setImmediate(resolve));
  }
  node.channels.find = find;
  nowMs += 31_000;
  node.provider.answer = (_verb, { key }) => ({ kind: 'succeeded', reference: key });
  expect((await ended(await pay())).status).toBe('SUCCESS');
  // The claim that could not be limited failed, and said so.
  expect(node.troubles.splice(0)).toEqual([new Error('The database is away.')]);
});

test('the same word from twenty mouths at once settles once', async () => {
  node.provider.answer = () => ({ kind: 'pending', reference: 'r' });
  const id = await pay();
  node.dispatcher.start();
  const operation = await operationIn(id, 'WAITING');
  await Promise.all(
    Array.from({ length: 20 }, () => node.settler.settle(operation, { kind: 'succeeded', reference: 'r' }, 'callback')),
  );
  expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
  expect(await transfersOf(id)).toHaveLength(1);
});

test('a settlement and a change of words at the same moment both hold', async () => {
  node.provider.answer = () => ({ kind: 'pending', reference: 'r' });
  const id = await pay();
  node.dispatcher.start();
  const operation = await operationIn(id, 'WAITING');
  await Promise.all([
    ...Array.from({ length: 5 }, (_, i) => node.update({ id, description: `Words ${i}` }, one)),
    node.settler.settle(operation, { kind: 'succeeded', reference: 'r' }, 'callback'),
  ]);
  expect(await node.find(id, one)).toMatchObject({ status: 'SUCCESS', description: expect.stringMatching(/^Words/) });
});

test('a second charge of a payment cannot even be written while one stands', async () => {
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

test('a channel whose provider hangs does not hold up another, however much waits behind it', async () => {
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
  expect((await ended(await pay(21))).status).toBe('SUCCESS');
  expect(hanging).toBe(500);
  node.provider.answer = () => ({ kind: 'succeeded', reference: 'r' });
  for (const go of release) go();
  await ended(stuck.at(-1) as string);
});

const unknown = (): Outcome => ({ kind: 'unknown', cause: new Error('cut') });

/** The charge of this payment, open and free, after so many look-ups. */
async function openWithLookUps(id: string, lookUps: number) {
  for (;;) {
    const [operation] = await node.operationsOf(1, id);
    const [free] = await db.query<{ free: boolean }>('select lease is null as free from provider_operation');
    if (operation?.look_ups === lookUps && operation.calls > 0 && free?.free) return operation;
  }
}

test('while its provider is left alone a charge waits, unless another channel takes it', async () => {
  // Channel 21 names one to fall back on, but that one is switched off; 11 names one that takes it.
  await db.query(`update channel set fallback_channel_ids = '{31}' where id = 21`);
  node.provider.answer = (_verb, { key }) => (key.endsWith('-2') ? { kind: 'succeeded', reference: key } : unknown());
  node.dispatcher.start();
  for (let i = 0; i < 5; i++) for (const channelId of [11, 21]) await operationIn(await pay(channelId), 'UNKNOWN');
  expect(await ended(await pay(11))).toMatchObject({
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
  expect((await ended(id)).status).toBe('SUCCESS');
  await db.query(`update channel set fallback_channel_ids = '{}' where id = 21`);
});

test.each([
  ['stripe', 'sandbox'],
  ['sandbox', 'stripe'],
])('a charge declined at %s is never tried at %s, whatever the channel lists', async (provider, other) => {
  await db.query(`update channel set provider = $1, fallback_channel_ids = '{10}' where id = 11`, [provider]);
  await db.query('update channel set provider = $1 where id = 10', [other]);
  const mixed = await processingNode(db, { clock: () => nowMs });
  mixed.dispatcher.start();
  mixed.provider.answer = () => ({ kind: 'failed', failure: failure('processing_error') });
  const id = await mixed.create({ amount: 1000, currency: 'USD', channelId: 11 }, one);
  await eventually('it has failed', async () => (await mixed.find(id, one)).status === 'FAILED');
  expect(await mixed.operationsOf(1, id)).toHaveLength(1);
  await mixed.stop();
});
