import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hourMs, minuteMs, secondMs } from '../../../core/clock.ts';
import { freshKeyring, parseKeyring } from '../../../platform/crypto/keyring.ts';
import { Sealer } from '../../../platform/crypto/seal.ts';
import { offendersOf } from '../../../platform/postgres/check.ts';
import {
  accepted,
  callbackRecords,
  channelSecret,
  eventIdOf,
  makeProvidedChannel,
  pendingPayment,
  postCallback,
  toldOf,
} from '../../../testing/callbacks.ts';
import { administratorOf, dataOf, makePayment } from '../../../testing/cast.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../testing/database.ts';
import { florinOn, type TestFlorin } from '../../../testing/florin.ts';
import { processingChecks } from '../processing/integrity.ts';
import { failure } from '../providers/failures.ts';
import { lateMs } from '../providers/sandbox/behaviours.ts';
import { referenceOf, signedMessage, type Told } from '../providers/sandbox/messages.ts';
import { bodyPlace } from './receive.ts';
import { retryWaitsMs } from './rules.ts';
import { sweepCallbacks } from './sweep.ts';

const keys = { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;
/** The clock stands still unless a test moves it: nothing is looked up or retried by itself. */
let nowMs = Date.parse('2026-03-31T09:30:00Z');
const clock = () => nowMs;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, keys, clock);
  admin = await administratorOf(florin);
  channelId = await makeProvidedChannel(florin, admin);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

const { uuidOf, storedCallback, operationsOf, callbackSettled, callbackTried, operationWaiting, messagesOf } =
  callbackRecords(() => db);

const pending = () => pendingPayment(florin, db, channelId, admin);

async function send(id: string, changes: Partial<Told> = {}, sequence = 1): Promise<string> {
  const message = signedMessage(toldOf(id, changes), sequence, channelSecret);
  expect((await postCallback(florin, channelId, message)).body).toEqual(accepted);
  return eventIdOf(message);
}

const detail = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));

const eventsOf = async (id: string) =>
  (await db.query<{ type: string }>('select type from event where object_id = $1 order by created_at, id', [id])).map(
    ({ type }) => type,
  );

test('the body of a callback is stored unchanged, sealed to its row', async () => {
  const id = await pending();
  const message = signedMessage(toldOf(id), 1, channelSecret);
  await postCallback(florin, channelId, message);
  const [row] = await db.query<{ id: string; body_sealed: Buffer }>(
    'select id, body_sealed from provider_callback where event_id = $1',
    [eventIdOf(message)],
  );
  expect(row?.body_sealed.includes(id)).toBe(false);
  const sealer = new Sealer(parseKeyring(keys.APP_ENCRYPTION_KEYS));
  const opened = sealer.open(row?.body_sealed as Buffer, bodyPlace(channelId, row?.id as string));
  expect(Buffer.from(opened, 'base64')).toEqual(Buffer.from(message.body));
});

describe('a verified callback', () => {
  test('settles its payment with everything that follows', async () => {
    const id = await pending();
    const eventId = await send(id, { fee: 59 });
    await callbackSettled(eventId);
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', providerReference: `sbx_${id}-1` });
    expect(await operationsOf(id)).toMatchObject([{ state: 'SUCCEEDED', settled_by: 'callback', look_ups: 0 }]);
    expect(await messagesOf(id)).toEqual([`${eventId} succeeded`]);
    expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
    expect(
      await db.query('select debit, amount from ledger_transfer where transaction_id = $1 order by leg', [uuidOf(id)]),
    ).toEqual([
      { debit: 'PROVIDER_RECEIVABLE', amount: 1999 },
      { debit: 'PROVIDER_FEES', amount: 59 },
    ]);
  });

  test('may report a failure or a cancellation', async () => {
    const [failed, cancelled] = [await pending(), await pending()];
    await callbackSettled(await send(failed, { state: 'FAILED', failureCode: 'insufficient_funds' }));
    await callbackSettled(await send(cancelled, { state: 'CANCELLED' }));
    expect(await detail(failed)).toMatchObject({ status: 'FAILED', failureCode: 'insufficient_funds' });
    expect(await detail(cancelled)).toMatchObject({ status: 'CANCELLED' });
  });

  test('that arrives ten times at once counts once', async () => {
    const id = await pending();
    const message = signedMessage(toldOf(id), 1, channelSecret);
    const replies = await Promise.all(Array.from({ length: 10 }, () => postCallback(florin, channelId, message)));
    for (const { body } of replies) expect(body).toEqual(accepted);
    const eventId = eventIdOf(message);
    await callbackSettled(eventId);
    expect((await postCallback(florin, channelId, message)).body).toEqual(accepted);
    expect(await messagesOf(id)).toEqual([`${eventId} succeeded`]);
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', version: 3 });
    const metrics = (await florin.get('/metrics')).body;
    expect(metrics).toMatch(/^florin_callbacks_total\{result="repeated"\} 10$/m);
    expect(metrics).toMatch(/^florin_callbacks_settled_total\{result="settled"\} \d+$/m);
  });

  test('may arrive in any order: an outcome that is not final changes nothing', async () => {
    const id = await pending();
    await callbackSettled(await send(id, { state: 'PENDING' }, 2));
    expect(await detail(id)).toMatchObject({ status: 'PROCESSING' });
    await callbackSettled(await send(id, {}, 3));
    await callbackSettled(await send(id, { state: 'ATTEMPT_FAILED', failureCode: 'card_declined' }, 1));
    const reference = referenceOf(`${id}-1`);
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', version: 3 });
    expect(await messagesOf(id)).toEqual([
      `${reference}-2 pending`,
      `${reference}-3 succeeded`,
      `${reference}-1 pending`,
    ]);
  });

  test.each([
    ['SUCCEEDED', 'FAILED', 'SUCCESS', 'failed'],
    ['SUCCEEDED', 'CANCELLED', 'SUCCESS', 'cancelled'],
    ['FAILED', 'SUCCEEDED', 'FAILED', 'succeeded'],
    ['CANCELLED', 'SUCCEEDED', 'CANCELLED', 'succeeded'],
  ] as const)('%s and then %s: the final status stays, and the contradiction is on the timeline', async (...said) => {
    const [first, second, status, word] = said;
    const id = await pending();
    await callbackSettled(await send(id, { state: first }, 1));
    const before = await detail(id);
    const eventId = await send(id, { state: second }, 2);
    await callbackSettled(eventId);
    expect(await detail(id)).toEqual({ ...before, status });
    expect((await messagesOf(id)).slice(-2)).toEqual([`${eventId} ${word}`, `contradiction ${word}`]);
  });

  test('that reports only a change has every open operation of the payment looked up at once, refunds included', async () => {
    // Without a secret the sandbox sends no callbacks.
    const silent = await makeProvidedChannel(florin, admin, { webhookSecret: undefined });
    const id = await makePayment(florin, admin, silent, { metadata: { sandbox: 'pending:1' } });
    await operationWaiting(id);
    const notice = { key: null, reference: `sbx_${id}-1`, said: 'changed', outcome: null };
    await insertCallback('changed-1', notice, silent);
    await eventually('the payment succeeds', async () => (await detail(id)).status === 'SUCCESS');
    expect(await operationsOf(id)).toMatchObject([{ state: 'SUCCEEDED', settled_by: 'look_up' }]);

    const late = await makePayment(florin, admin, silent, { metadata: { sandbox: 'refund:late' } });
    await eventually('the payment succeeds', async () => (await detail(late)).status === 'SUCCESS');
    dataOf(await florin.post('/api/refund/create', { transactionId: late }, admin));
    await operationWaiting(late, 2);
    nowMs += lateMs;
    await insertCallback('changed-2', { ...notice, reference: `sbx_${late}-1` }, silent);
    await eventually('the payment is refunded', async () => (await detail(late)).status === 'REFUNDED');
    expect([await messagesOf(id), await messagesOf(late)]).toEqual([['changed-1 changed'], ['changed-2 changed']]);
  });

  test('while an operation is leased, the look-up waits for the lease to end, and is not lost', async () => {
    const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: 'pending:1' } });
    await operationWaiting(id);
    await db.query(
      'update provider_operation set leased_until = $2, lease = gen_random_uuid() where transaction_id = $1',
      [uuidOf(id), new Date(nowMs + hourMs)],
    );
    await insertCallback('changed-3', { key: `${id}-1`, reference: null, said: 'changed', outcome: null });
    await eventually('the callback is tried', async () => (await dueMs('changed-3')) === nowMs + secondMs);
    // The answer is recorded, with the next look-up in an hour.
    await db.query(
      'update provider_operation set leased_until = null, lease = null, due_at = $2 where transaction_id = $1',
      [uuidOf(id), new Date(nowMs + hourMs)],
    );
    nowMs += secondMs;
    await callbackSettled('changed-3');
    await eventually('the payment succeeds', async () => (await detail(id)).status === 'SUCCESS');
    expect(await messagesOf(id)).toEqual(['changed-3 changed']);
  });

  test('about something that Florin does not follow is stored as IGNORED', async () => {
    const mollie = await makeProvidedChannel(florin, admin, { provider: 'mollie' });
    const body = JSON.stringify({ id: 'event_1', entityId: 'or_1' });
    const signature = `sha256=${createHmac('sha256', channelSecret).update(body).digest('hex')}`;
    const headers = { 'x-mollie-signature': signature };
    const reply = await florin.call('POST', `/api/callback/${mollie}`, { body, headers });
    expect(reply.body).toEqual(accepted);
    expect(await storedCallback('event_1')).toMatchObject({ state: 'IGNORED', tries: 0, channel_id: mollie });
  });
});

describe('a contradiction or a mismatch', () => {
  const disputesOf = (id: string) =>
    db.query<{ state: string }>('select state, said from provider_dispute where transaction_id = $1', [uuidOf(id)]);
  const disputeMessages = async (id: string) =>
    (
      await db.query<{ kind: string; detail: object }>(
        `select kind, detail from transaction_note where transaction_id = $1
            and kind in ('contradiction', 'mismatch', 'looked_up') order by kind`,
        [uuidOf(id)],
      )
    ).map(({ kind, detail }) => ({ kind, ...detail }));
  const offenders = async () => {
    const found = await Promise.all(processingChecks.map((check) => offendersOf(db.database, check, 1_000)));
    return found.flat();
  };

  test('is looked up: if the provider agrees with what is settled, the dispute is closed', async () => {
    const id = await makePayment(florin, admin, channelId);
    await eventually('the payment succeeds', async () => (await detail(id)).status === 'SUCCESS');
    await callbackSettled(await send(id, { state: 'FAILED' }, 9));
    await eventually('the dispute is closed', async () => (await disputesOf(id))[0]?.state === 'AGREES');
    expect((await detail(id)).status).toBe('SUCCESS');
    expect(await disputeMessages(id)).toMatchObject([
      { kind: 'contradiction', said: 'failed' },
      { kind: 'looked_up', said: 'succeeded', agrees: true },
    ]);
    expect(await offenders()).not.toContain(`${id}-1`);
    const metrics = (await florin.get('/metrics')).body;
    expect(metrics).toMatch(/^florin_provider_disputes_total\{kind="contradiction"\} [1-9]/m);
    expect(metrics).toMatch(/^florin_provider_dispute_lookups_total\{result="agrees"\} [1-9]/m);
  });

  test('if the provider disagrees, the final status stays and verify reports the operation', async () => {
    const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: 'decline:card_declined' } });
    await eventually('the payment fails', async () => (await detail(id)).status === 'FAILED');
    await db.query(`update sandbox_operation set state = 'SUCCEEDED', failure_code = null where key = $1`, [`${id}-1`]);
    await callbackSettled(await send(id, { state: 'SUCCEEDED' }, 9));
    await eventually('the operation is looked up', async () => (await disputesOf(id))[0]?.state === 'DISAGREES');
    expect((await detail(id)).status).toBe('FAILED');
    expect(await disputeMessages(id)).toMatchObject([
      { kind: 'contradiction', said: 'succeeded' },
      { kind: 'looked_up', said: 'succeeded', agrees: false },
    ]);
    const steps: { type: string; message: string }[] = dataOf(
      await florin.get(`/api/transaction/timeline?id=${id}`, admin),
    );
    expect(steps.at(-1)).toMatchObject({ type: 'looked_up', message: expect.stringContaining('disagree') });
    expect((await florin.get('/metrics')).body).toMatch(
      /^florin_provider_dispute_lookups_total\{result="disagrees"\} [1-9]/m,
    );
    // One claim about disputes, and one about the sandbox's books.
    expect((await offenders()).filter((offender) => offender === `${id}-1`)).toHaveLength(2);
    // The provider corrects its books: a day later it agrees.
    await db.query(`update sandbox_operation set state = 'FAILED' where key = $1`, [`${id}-1`]);
    nowMs += 24 * hourMs;
    admin = await administratorOf(florin);
    await eventually('the dispute is closed', async () => (await disputesOf(id))[0]?.state === 'AGREES');
    expect(await offenders()).not.toContain(`${id}-1`);
  });

  test.each([
    ['another amount', { amount: 1998 }],
    ['a partial capture', { amount: 1 }],
    ['another currency', { amount: 1999, currency: 'EUR' }],
    ['another currency, without an amount', { currency: 'EUR' }],
  ])('%s is never booked: it is on the timeline, and the operation is looked up', async (_, named) => {
    const id = await pending();
    const eventId = await send(id, named);
    await callbackSettled(eventId);
    await eventually('the operation is looked up', async () => {
      const [row] = await db.query<{ look_ups: number }>(
        'select look_ups from provider_dispute where transaction_id = $1',
        [uuidOf(id)],
      );
      return row?.look_ups === 1;
    });
    expect((await detail(id)).status).toBe('PROCESSING');
    expect(await db.query('select 1 from ledger_transfer where transaction_id = $1', [uuidOf(id)])).toEqual([]);
    expect(await disputeMessages(id)).toMatchObject([
      { kind: 'mismatch', said: 'succeeded', currency: 'USD', ...named },
    ]);
    expect((await florin.get('/metrics')).body).toMatch(/^florin_provider_disputes_total\{kind="mismatch"\} [1-9]/m);
    // The right amount is booked.
    await callbackSettled(await send(id, { amount: 1999 }, 2));
    expect((await detail(id)).status).toBe('SUCCESS');
  });

  test('an open operation is settled by the look-up', async () => {
    const silent = await makeProvidedChannel(florin, admin, { webhookSecret: undefined });
    const id = await makePayment(florin, admin, silent, { metadata: { sandbox: 'pending:1' } });
    await operationWaiting(id);
    const reference = `sbx_${id}-1`;
    const outcome = { kind: 'succeeded', reference, money: { amount: 5, currency: 'USD' } };
    await insertCallback(`${id}-five`, { key: `${id}-1`, reference, said: 'succeeded', outcome }, silent);
    await eventually('the payment succeeds', async () => (await detail(id)).status === 'SUCCESS');
    expect(await operationsOf(id)).toMatchObject([{ state: 'SUCCEEDED', settled_by: 'look_up' }]);
    await eventually('the dispute is closed', async () => (await disputesOf(id))[0]?.state === 'AGREES');
    const booked = await db.query('select amount from ledger_transfer where transaction_id = $1', [uuidOf(id)]);
    expect(booked).toEqual([{ amount: 1999 }]);
  });
});

describe('a callback whose operation is not found', () => {
  test('is settled by a retry when the operation is known', async () => {
    const id = await pending();
    const outcome = { kind: 'succeeded', reference: 'late-reference' };
    await insertCallback('early', { key: null, reference: 'late-reference', said: 'succeeded', outcome });
    await callbackTried('early', 1);
    await db.query(
      `update provider_operation set provider_reference = 'late-reference', due_at = due_at + interval '1 day'
        where transaction_id = $1`,
      [uuidOf(id)],
    );
    nowMs += retryWaitsMs[0] as number;
    await callbackSettled('early');
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', providerReference: 'late-reference' });
  });

  test('is retried after 5 s, 30 s, 5 min and 1 h, then ignored', async () => {
    const eventId = await send('txn_0198a5b87c1f7000800000000000dead');
    for (const [tries, waitMs] of [5 * secondMs, 30 * secondMs, 5 * minuteMs, hourMs].entries()) {
      await callbackTried(eventId, tries + 1);
      expect(await dueMs(eventId)).toBe(nowMs + waitMs);
      nowMs += waitMs;
    }
    await eventually('the callback is ignored', async () => (await storedCallback(eventId))?.state === 'IGNORED');
    expect((await florin.get('/metrics')).body).toMatch(/^florin_callbacks_settled_total\{result="ignored"\} [1-9]/m);
  });

  test('with the reference of a charge settles the charge, not its cancellation', async () => {
    const id = await pending();
    await db.query(
      `insert into provider_operation (tenant_id, transaction_id, number, kind, channel_id, provider, amount, state, due_at,
                                       created_at, provider_reference)
       select tenant_id, transaction_id, 2, 'CANCEL', channel_id, provider, amount, 'WAITING', due_at + interval '1 day',
              created_at, provider_reference
         from provider_operation where transaction_id = $1`,
      [uuidOf(id)],
    );
    const reference = `sbx_${id}-1`;
    const outcome = { kind: 'succeeded', reference };
    await insertCallback('by-reference', { key: null, reference, said: 'succeeded', outcome });
    await callbackSettled('by-reference');
    expect((await detail(id)).status).toBe('SUCCESS');
  });
});

describe('a crash', () => {
  test('between the answer and the settlement loses nothing: the next node settles the callback', async () => {
    const [here, there] = [await pending(), await pending()];
    await florin.stop();
    const taking = await florinOn(db, { ...keys, APP_ROLE: 'api' }, clock);
    const messages = [here, there].map((id) => signedMessage(toldOf(id), 1, channelSecret));
    for (const message of messages) expect((await postCallback(taking, channelId, message)).body).toEqual(accepted);
    await taking.stop();
    const [first, second] = messages.map(eventIdOf) as [string, string];
    expect([await storedCallback(first), await storedCallback(second)]).toMatchObject([
      { state: 'RECEIVED' },
      { state: 'RECEIVED' },
    ]);
    // One of them is leased by a node that died.
    const leasedUntil = new Date(nowMs + 30 * secondMs);
    await db.query('update provider_callback set lease = gen_random_uuid(), leased_until = $2 where event_id = $1', [
      second,
      leasedUntil,
    ]);
    florin = await florinOn(db, keys, clock);
    admin = await administratorOf(florin);
    await callbackSettled(first);
    expect((await storedCallback(second))?.state).toBe('RECEIVED');
    nowMs += 30 * secondMs;
    await callbackSettled(second);
    for (const id of [here, there]) {
      expect((await detail(id)).status).toBe('SUCCESS');
      expect(await messagesOf(id)).toHaveLength(1);
    }
  });

  test('between the settlement and its record settles nothing twice', async () => {
    const id = await pending();
    const eventId = await send(id);
    await callbackSettled(eventId);
    const before = await detail(id);
    await db.query(`update provider_callback set state = 'RECEIVED', settled_at = null where event_id = $1`, [eventId]);
    await callbackSettled(eventId);
    expect(await detail(id)).toEqual(before);
    expect(await messagesOf(id)).toEqual([`${eventId} succeeded`]);
  });
});

describe('callbacks of one operation are settled in the order in which they were received', () => {
  const contentWith = (id: string, said: 'succeeded' | 'failed', reference = `sbx_${id}-1`) => ({
    key: `${id}-1`,
    reference,
    said,
    outcome: { kind: said, reference, ...(said === 'failed' && { failure: failure('card_declined') }) },
  });
  /** Settles another callback: the worker has by then tried all that were due before it. */
  const settleAnother = async () => callbackSettled(await send(await pending()));

  test.each([
    ['our key and the reference', (content: object) => content],
    ['the reference alone', (content: object) => ({ ...content, key: null })],
  ])('with %s: a later one waits while the first is leased by a dead node', async (_, withIdentifiers) => {
    const id = await pending();
    await insertCallback(`${id}-first`, withIdentifiers(contentWith(id, 'succeeded')), channelId, {
      leasedUntilMs: nowMs + 30 * secondMs,
    });
    await insertCallback(`${id}-second`, withIdentifiers(contentWith(id, 'failed')));
    await settleAnother();
    expect(await storedCallback(`${id}-second`)).toMatchObject({ state: 'RECEIVED' });
    expect((await detail(id)).status).toBe('PROCESSING');
    nowMs += 30 * secondMs;
    await callbackSettled(`${id}-first`);
    await callbackSettled(`${id}-second`);
    expect((await detail(id)).status).toBe('SUCCESS');
    expect(await messagesOf(id)).toContainEqual('contradiction failed');
  });

  test('a later one waits while the first waits for its next try; callbacks of other operations do not', async () => {
    const [id, other] = [await pending(), await pending()];
    // As deferred by a node whose database was unavailable.
    await insertCallback(`${id}-first`, contentWith(id, 'succeeded'), channelId, { dueMs: nowMs + secondMs });
    await insertCallback(`${id}-second`, contentWith(id, 'failed'));
    await callbackSettled(await send(other));
    expect(await storedCallback(`${id}-second`)).toMatchObject({ state: 'RECEIVED' });
    nowMs += secondMs;
    await callbackSettled(`${id}-first`);
    await callbackSettled(`${id}-second`);
    expect(await messagesOf(id)).toContainEqual('contradiction failed');
    expect((await detail(id)).status).toBe('SUCCESS');
    expect((await detail(other)).status).toBe('SUCCESS');
  });

  test('a callback whose operation was found late goes before those received after it', async () => {
    const id = await pending();
    const reference = `late-${id}`;
    await insertCallback(`${id}-first`, { ...contentWith(id, 'succeeded', reference), key: null });
    await callbackTried(`${id}-first`, 1);
    await db.query(
      `update provider_operation set provider_reference = $2, due_at = due_at + interval '1 day'
        where transaction_id = $1`,
      [uuidOf(id), reference],
    );
    await insertCallback(`${id}-second`, { ...contentWith(id, 'failed', reference), key: null });
    // At once, not after its own wait of five seconds.
    await callbackSettled(`${id}-first`);
    await eventually('the second waits', async () => (await dueMs(`${id}-second`)) === nowMs + secondMs);
    nowMs += secondMs;
    await callbackSettled(`${id}-second`);
    expect((await detail(id)).status).toBe('SUCCESS');
  });

  test('a callback whose operation is not found delays no other callback', async () => {
    const stranger = 'txn_0198a5b87c1f7000800000000000cafe';
    await insertCallback('stranger-1', contentWith(stranger, 'succeeded'));
    await callbackTried('stranger-1', 1);
    await insertCallback('stranger-2', contentWith(stranger, 'failed'));
    await callbackTried('stranger-2', 1);
    await settleAnother();
  });
});

describe('two nodes', () => {
  let other: TestFlorin;
  beforeEach(async () => {
    other = await florinOn(db, keys, clock);
  });
  afterEach(() => other.stop());

  test('that receive the same callback at once settle it once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => pending()));
    await Promise.all(
      ids.flatMap((id) => {
        const message = signedMessage(toldOf(id), 1, channelSecret);
        return [florin, other, florin, other].map(async (node) =>
          expect((await postCallback(node, channelId, message)).body).toEqual(accepted),
        );
      }),
    );
    for (const id of ids) {
      const eventId = `${referenceOf(`${id}-1`)}-1`;
      await callbackSettled(eventId);
      expect(await messagesOf(id)).toEqual([`${eventId} succeeded`]);
      expect(await detail(id)).toMatchObject({ status: 'SUCCESS', version: 3 });
      expect((await eventsOf(id)).filter((type) => type === 'transaction.succeeded')).toHaveLength(1);
    }
  });
});

describe("the sandbox's own callbacks", () => {
  test.each(['late', 'callback:twice', 'callback:disorder', 'callback:contradiction'])(
    '%s ends in SUCCESS',
    async (word) => {
      const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: word } });
      await operationWaiting(id);
      const owed = async () => {
        const [row] = await db.query<{ owed: number; due: string | null }>(
          `select json_array_length(callbacks) - callback_step as owed, callback_due_at as due
           from sandbox_operation where key = $1`,
          [`${id}-1`],
        );
        return row as { owed: number; due: string | null };
      };
      for (let { owed: left, due } = await owed(); left > 0; { owed: left, due } = await owed()) {
        // No later than the look-up, which would settle the payment as well.
        nowMs = Math.max(nowMs, Date.parse(due as string));
        await eventually(`${word}: ${left} to come`, async () => (await owed()).owed < left);
      }
      await eventually('all are settled', async () => {
        const rows = await db.query<{ state: string }>(
          'select state from provider_callback where event_id like $1 order by event_id',
          [`sbx_${id}%`],
        );
        return rows.length > 0 && rows.every(({ state }) => state === 'SETTLED');
      });
      expect((await detail(id)).status).toBe('SUCCESS');
      expect((await messagesOf(id)).filter((note) => note.startsWith('contradiction'))).toHaveLength(
        word === 'callback:contradiction' ? 1 : 0,
      );
    },
  );
});

test('callbacks are deleted 30 days after they were settled', async () => {
  const id = await pending();
  const old = await send(id, { state: 'PENDING' }, 1);
  const recent = await send(id, { state: 'PENDING' }, 2);
  const open = await send('txn_0198a5b87c1f7000800000000000beef');
  await callbackSettled(old);
  await callbackSettled(recent);
  await callbackTried(open, 1);
  await db.query(`update provider_callback set settled_at = settled_at - interval '31 days' where event_id = $1`, [
    old,
  ]);
  await db.query(`update provider_callback set received_at = received_at - interval '31 days' where event_id = $1`, [
    open,
  ]);
  await sweepCallbacks(db.database, nowMs);
  expect([await storedCallback(old), await storedCallback(recent), await storedCallback(open)]).toEqual([
    undefined,
    expect.anything(),
    expect.anything(),
  ]);
});

/** A callback stored by a node that died. The sandbox's own callbacks always have the key and the outcome. */
async function insertCallback(
  eventId: string,
  notice: object,
  channel = channelId,
  { dueMs = nowMs, leasedUntilMs }: { dueMs?: number; leasedUntilMs?: number } = {},
): Promise<void> {
  await db.query(
    `insert into provider_callback (channel_id, event_id, id, received_at, notice, state, due_at, leased_until, lease)
     values ($1, $2, gen_random_uuid(), $3, $4, 'RECEIVED', $5, $6,
             case when $6::timestamptz is not null then gen_random_uuid() end)`,
    [
      channel,
      eventId,
      new Date(nowMs),
      JSON.stringify(notice),
      new Date(dueMs),
      leasedUntilMs === undefined ? null : new Date(leasedUntilMs),
    ],
  );
}

const dueMs = async (eventId: string) => Date.parse((await storedCallback(eventId))?.due_at ?? '');
