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
/** Time stands still unless a test moves it: nothing is looked up, or tried again, by itself. */
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

const { uuidOf, kept, operationsOf, settled, tried, waits, notesOf } = callbackRecords(() => db);

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

test('what was sent is kept as it came, sealed to its row', async () => {
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

describe('what a genuine callback says', () => {
  test('is answered once it is kept, and settles its payment, with everything that follows', async () => {
    const id = await pending();
    const eventId = await send(id, { fee: 59 });
    await settled(eventId);
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', providerReference: `sbx_${id}-1` });
    expect(await operationsOf(id)).toMatchObject([{ state: 'SUCCEEDED', settled_by: 'callback', look_ups: 0 }]);
    expect(await notesOf(id)).toEqual([`${eventId} succeeded`]);
    expect(await eventsOf(id)).toEqual(['transaction.created', 'transaction.processing', 'transaction.succeeded']);
    expect(
      await db.query('select debit, amount from ledger_transfer where transaction_id = $1 order by leg', [uuidOf(id)]),
    ).toEqual([
      { debit: 'PROVIDER_RECEIVABLE', amount: 1999 },
      { debit: 'PROVIDER_FEES', amount: 59 },
    ]);
  });

  test('may be a failure, or that it was given up', async () => {
    const [failed, cancelled] = [await pending(), await pending()];
    await settled(await send(failed, { state: 'FAILED', failureCode: 'insufficient_funds' }));
    await settled(await send(cancelled, { state: 'CANCELLED' }));
    expect(await detail(failed)).toMatchObject({ status: 'FAILED', failureCode: 'insufficient_funds' });
    expect(await detail(cancelled)).toMatchObject({ status: 'CANCELLED' });
  });

  test('may come twice, or ten times at once: it counts once', async () => {
    const id = await pending();
    const message = signedMessage(toldOf(id), 1, channelSecret);
    const replies = await Promise.all(Array.from({ length: 10 }, () => postCallback(florin, channelId, message)));
    for (const { body } of replies) expect(body).toEqual(accepted);
    const eventId = eventIdOf(message);
    await settled(eventId);
    expect((await postCallback(florin, channelId, message)).body).toEqual(accepted);
    expect(await notesOf(id)).toEqual([`${eventId} succeeded`]);
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', version: 3 });
    const metrics = (await florin.get('/metrics')).body;
    expect(metrics).toMatch(/^florin_callbacks_total\{result="repeated"\} 10$/m);
    expect(metrics).toMatch(/^florin_callbacks_settled_total\{result="settled"\} \d+$/m);
  });

  test('may come in any order: what is not final moves nothing', async () => {
    const id = await pending();
    await settled(await send(id, { state: 'PENDING' }, 2));
    expect(await detail(id)).toMatchObject({ status: 'PROCESSING' });
    await settled(await send(id, {}, 3));
    await settled(await send(id, { state: 'ATTEMPT_FAILED', failureCode: 'card_declined' }, 1));
    const reference = referenceOf(`${id}-1`);
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', version: 3 });
    expect(await notesOf(id)).toEqual([`${reference}-2 pending`, `${reference}-3 succeeded`, `${reference}-1 pending`]);
  });

  test.each([
    ['SUCCEEDED', 'FAILED', 'SUCCESS', 'failed'],
    ['SUCCEEDED', 'CANCELLED', 'SUCCESS', 'cancelled'],
    ['FAILED', 'SUCCEEDED', 'FAILED', 'succeeded'],
    ['CANCELLED', 'SUCCEEDED', 'CANCELLED', 'succeeded'],
  ] as const)('%s and then %s: a final state is not moved back, and the contradiction is shown', async (...said) => {
    const [first, second, status, word] = said;
    const id = await pending();
    await settled(await send(id, { state: first }, 1));
    const before = await detail(id);
    const eventId = await send(id, { state: second }, 2);
    await settled(eventId);
    expect(await detail(id)).toEqual({ ...before, status });
    expect((await notesOf(id)).slice(-2)).toEqual([`${eventId} ${word}`, `contradiction ${word}`]);
  });

  test('may only be that something changed: everything open of the payment is looked up at once, its refunds too', async () => {
    // Without a secret the sandbox says nothing by itself.
    const silent = await makeProvidedChannel(florin, admin, { webhookSecret: undefined });
    const id = await makePayment(florin, admin, silent, { metadata: { sandbox: 'pending:1' } });
    await waits(id);
    const notice = { key: null, reference: `sbx_${id}-1`, said: 'changed', outcome: null };
    await insertNotice('changed-1', notice, silent);
    await eventually('it is paid', async () => (await detail(id)).status === 'SUCCESS');
    expect(await operationsOf(id)).toMatchObject([{ state: 'SUCCEEDED', settled_by: 'look_up' }]);

    const late = await makePayment(florin, admin, silent, { metadata: { sandbox: 'refund:late' } });
    await eventually('it is paid', async () => (await detail(late)).status === 'SUCCESS');
    dataOf(await florin.post('/api/refund/create', { transactionId: late }, admin));
    await waits(late, 2);
    nowMs += lateMs;
    await insertNotice('changed-2', { ...notice, reference: `sbx_${late}-1` }, silent);
    await eventually('it is given back', async () => (await detail(late)).status === 'REFUNDED');
    expect([await notesOf(id), await notesOf(late)]).toEqual([['changed-1 changed'], ['changed-2 changed']]);
  });

  test('while an operation is being asked for, the look-up waits for its answer, and is not lost', async () => {
    const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: 'pending:1' } });
    await waits(id);
    await db.query(
      'update provider_operation set leased_until = $2, lease = gen_random_uuid() where transaction_id = $1',
      [uuidOf(id), new Date(nowMs + hourMs)],
    );
    await insertNotice('changed-3', { key: `${id}-1`, reference: null, said: 'changed', outcome: null });
    await eventually('it has been tried', async () => (await dueMs('changed-3')) === nowMs + secondMs);
    // The answer comes, and would be asked for again in an hour.
    await db.query(
      'update provider_operation set leased_until = null, lease = null, due_at = $2 where transaction_id = $1',
      [uuidOf(id), new Date(nowMs + hourMs)],
    );
    nowMs += secondMs;
    await settled('changed-3');
    await eventually('it is paid', async () => (await detail(id)).status === 'SUCCESS');
    expect(await notesOf(id)).toEqual(['changed-3 changed']);
  });

  test('may be of something that Florin does not follow: it is kept, and that is all', async () => {
    const mollie = await makeProvidedChannel(florin, admin, { provider: 'mollie' });
    const body = JSON.stringify({ id: 'event_1', entityId: 'or_1' });
    const signature = `sha256=${createHmac('sha256', channelSecret).update(body).digest('hex')}`;
    const headers = { 'x-mollie-signature': signature };
    const reply = await florin.call('POST', `/api/callback/${mollie}`, { body, headers });
    expect(reply.body).toEqual(accepted);
    expect(await kept('event_1')).toMatchObject({ state: 'IGNORED', tries: 0, channel_id: mollie });
  });
});

describe('what contradicts, or names other money', () => {
  const disputesOf = (id: string) =>
    db.query<{ state: string }>('select state, said from provider_dispute where transaction_id = $1', [uuidOf(id)]);
  const noteKinds = async (id: string) =>
    (
      await db.query<{ kind: string; detail: object }>(
        `select kind, detail from transaction_note where transaction_id = $1
            and kind in ('contradiction', 'mismatch', 'looked_up') order by kind`,
        [uuidOf(id)],
      )
    ).map(({ kind, detail }) => ({ kind, ...detail }));
  const broken = async () => {
    const found = await Promise.all(processingChecks.map((check) => offendersOf(db.database, check, 1_000)));
    return found.flat();
  };

  test('is looked up at the provider: where that agrees with what stands, the matter is closed', async () => {
    const id = await makePayment(florin, admin, channelId);
    await eventually('it is paid', async () => (await detail(id)).status === 'SUCCESS');
    await settled(await send(id, { state: 'FAILED' }, 9));
    await eventually('the dispute is closed', async () => (await disputesOf(id))[0]?.state === 'AGREES');
    expect((await detail(id)).status).toBe('SUCCESS');
    expect(await noteKinds(id)).toMatchObject([
      { kind: 'contradiction', said: 'failed' },
      { kind: 'looked_up', said: 'succeeded', agrees: true },
    ]);
    expect(await broken()).not.toContain(`${id}-1`);
    const metrics = (await florin.get('/metrics')).body;
    expect(metrics).toMatch(/^florin_provider_disputes_total\{kind="contradiction"\} [1-9]/m);
    expect(metrics).toMatch(/^florin_provider_dispute_lookups_total\{result="agrees"\} [1-9]/m);
  });

  test("where the provider's own books disagree, the final status stays and the payment is a finding of verify", async () => {
    const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: 'decline:card_declined' } });
    await eventually('it has failed', async () => (await detail(id)).status === 'FAILED');
    await db.query(`update sandbox_operation set state = 'SUCCEEDED', failure_code = null where key = $1`, [`${id}-1`]);
    await settled(await send(id, { state: 'SUCCEEDED' }, 9));
    await eventually('it was asked', async () => (await disputesOf(id))[0]?.state === 'DISAGREES');
    expect((await detail(id)).status).toBe('FAILED');
    expect(await noteKinds(id)).toMatchObject([
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
    // Once for the dispute, and once for the books of the sandbox.
    expect((await broken()).filter((offender) => offender === `${id}-1`)).toHaveLength(2);
    // The provider puts its books right: a day later it agrees.
    await db.query(`update sandbox_operation set state = 'FAILED' where key = $1`, [`${id}-1`]);
    nowMs += 24 * hourMs;
    admin = await administratorOf(florin);
    await eventually('the dispute is closed', async () => (await disputesOf(id))[0]?.state === 'AGREES');
    expect(await broken()).not.toContain(`${id}-1`);
  });

  test.each([
    ['another amount', { amount: 1998 }],
    ['a partial capture', { amount: 1 }],
    ['another currency', { amount: 1999, currency: 'EUR' }],
    ['another currency, without an amount', { currency: 'EUR' }],
  ])('%s is never booked: it is shown, and the operation is looked up', async (_, named) => {
    const id = await pending();
    const eventId = await send(id, named);
    await settled(eventId);
    await eventually('it was asked', async () => {
      const [row] = await db.query<{ look_ups: number }>(
        'select look_ups from provider_dispute where transaction_id = $1',
        [uuidOf(id)],
      );
      return row?.look_ups === 1;
    });
    expect((await detail(id)).status).toBe('PROCESSING');
    expect(await db.query('select 1 from ledger_transfer where transaction_id = $1', [uuidOf(id)])).toEqual([]);
    expect(await noteKinds(id)).toMatchObject([{ kind: 'mismatch', said: 'succeeded', currency: 'USD', ...named }]);
    expect((await florin.get('/metrics')).body).toMatch(/^florin_provider_disputes_total\{kind="mismatch"\} [1-9]/m);
    // What is right is believed.
    await settled(await send(id, { amount: 1999 }, 2));
    expect((await detail(id)).status).toBe('SUCCESS');
  });

  test('an open operation is settled by what the look-up says', async () => {
    const silent = await makeProvidedChannel(florin, admin, { webhookSecret: undefined });
    const id = await makePayment(florin, admin, silent, { metadata: { sandbox: 'pending:1' } });
    await waits(id);
    const reference = `sbx_${id}-1`;
    const outcome = { kind: 'succeeded', reference, money: { amount: 5, currency: 'USD' } };
    await insertNotice(`${id}-five`, { key: `${id}-1`, reference, said: 'succeeded', outcome }, silent);
    await eventually('it is paid', async () => (await detail(id)).status === 'SUCCESS');
    expect(await operationsOf(id)).toMatchObject([{ state: 'SUCCEEDED', settled_by: 'look_up' }]);
    await eventually('the dispute is closed', async () => (await disputesOf(id))[0]?.state === 'AGREES');
    const booked = await db.query('select amount from ledger_transfer where transaction_id = $1', [uuidOf(id)]);
    expect(booked).toEqual([{ amount: 1999 }]);
  });
});

describe('what names nothing that is known yet', () => {
  test('is settled as soon as it is known', async () => {
    const id = await pending();
    const outcome = { kind: 'succeeded', reference: 'told-late' };
    await insertNotice('early', { key: null, reference: 'told-late', said: 'succeeded', outcome });
    await tried('early', 1);
    await db.query(
      `update provider_operation set provider_reference = 'told-late', due_at = due_at + interval '1 day'
        where transaction_id = $1`,
      [uuidOf(id)],
    );
    nowMs += retryWaitsMs[0] as number;
    await settled('early');
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', providerReference: 'told-late' });
  });

  test('is looked for again after 5 s, 30 s, 5 min and 1 h, then ignored', async () => {
    const eventId = await send('txn_0198a5b87c1f7000800000000000dead');
    for (const [tries, waitMs] of [5 * secondMs, 30 * secondMs, 5 * minuteMs, hourMs].entries()) {
      await tried(eventId, tries + 1);
      expect(await dueMs(eventId)).toBe(nowMs + waitMs);
      nowMs += waitMs;
    }
    await eventually('it is ignored', async () => (await kept(eventId))?.state === 'IGNORED');
    expect((await florin.get('/metrics')).body).toMatch(/^florin_callbacks_settled_total\{result="ignored"\} [1-9]/m);
  });

  test('what is said under the id of a charge is said of the charge, not of its cancellation', async () => {
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
    await insertNotice('by-reference', { key: null, reference, said: 'succeeded', outcome });
    await settled('by-reference');
    expect((await detail(id)).status).toBe('SUCCESS');
  });
});

describe('a crash', () => {
  test('between the answer and the settling loses nothing: the next node settles it', async () => {
    const [here, there] = [await pending(), await pending()];
    await florin.stop();
    const taking = await florinOn(db, { ...keys, APP_ROLE: 'api' }, clock);
    const messages = [here, there].map((id) => signedMessage(toldOf(id), 1, channelSecret));
    for (const message of messages) expect((await postCallback(taking, channelId, message)).body).toEqual(accepted);
    await taking.stop();
    const [first, second] = messages.map(eventIdOf) as [string, string];
    expect([await kept(first), await kept(second)]).toMatchObject([{ state: 'RECEIVED' }, { state: 'RECEIVED' }]);
    // One of them had been begun by a node that died.
    const leasedUntil = new Date(nowMs + 30 * secondMs);
    await db.query('update provider_callback set lease = gen_random_uuid(), leased_until = $2 where event_id = $1', [
      second,
      leasedUntil,
    ]);
    florin = await florinOn(db, keys, clock);
    admin = await administratorOf(florin);
    await settled(first);
    expect((await kept(second))?.state).toBe('RECEIVED');
    nowMs += 30 * secondMs;
    await settled(second);
    for (const id of [here, there]) {
      expect((await detail(id)).status).toBe('SUCCESS');
      expect(await notesOf(id)).toHaveLength(1);
    }
  });

  test('after the settling and before it is written down settles nothing twice', async () => {
    const id = await pending();
    const eventId = await send(id);
    await settled(eventId);
    const before = await detail(id);
    await db.query(`update provider_callback set state = 'RECEIVED', settled_at = null where event_id = $1`, [eventId]);
    await settled(eventId);
    expect(await detail(id)).toEqual(before);
    expect(await notesOf(id)).toEqual([`${eventId} succeeded`]);
  });
});

describe('callbacks of one operation are settled in the order in which they were received', () => {
  const saying = (id: string, said: 'succeeded' | 'failed', reference = `sbx_${id}-1`) => ({
    key: `${id}-1`,
    reference,
    said,
    outcome: { kind: said, reference, ...(said === 'failed' && { failure: failure('card_declined') }) },
  });
  /** When this one is settled, what came before it has been looked at, too. */
  const settlesAnother = async () => settled(await send(await pending()));

  test.each([
    ['by our key and by the reference', (notice: object) => notice],
    ['by the reference alone', (notice: object) => ({ ...notice, key: null })],
  ])('a later one waits while a dead node holds the first under its lease; named %s', async (_, named) => {
    const id = await pending();
    await insertNotice(`${id}-first`, named(saying(id, 'succeeded')), channelId, {
      leasedUntilMs: nowMs + 30 * secondMs,
    });
    await insertNotice(`${id}-second`, named(saying(id, 'failed')));
    await settlesAnother();
    expect(await kept(`${id}-second`)).toMatchObject({ state: 'RECEIVED' });
    expect((await detail(id)).status).toBe('PROCESSING');
    nowMs += 30 * secondMs;
    await settled(`${id}-first`);
    await settled(`${id}-second`);
    expect((await detail(id)).status).toBe('SUCCESS');
    expect(await notesOf(id)).toContainEqual('contradiction failed');
  });

  test('a later one waits while the first waits for its turn, and callbacks of others do not', async () => {
    const [id, other] = [await pending(), await pending()];
    // As it is put off by a node whose database was away.
    await insertNotice(`${id}-first`, saying(id, 'succeeded'), channelId, { dueMs: nowMs + secondMs });
    await insertNotice(`${id}-second`, saying(id, 'failed'));
    await settled(await send(other));
    expect(await kept(`${id}-second`)).toMatchObject({ state: 'RECEIVED' });
    nowMs += secondMs;
    await settled(`${id}-first`);
    await settled(`${id}-second`);
    expect(await notesOf(id)).toContainEqual('contradiction failed');
    expect((await detail(id)).status).toBe('SUCCESS');
    expect((await detail(other)).status).toBe('SUCCESS');
  });

  test('one that named nothing known when it came goes before those that came after it', async () => {
    const id = await pending();
    const reference = `late-${id}`;
    await insertNotice(`${id}-first`, { ...saying(id, 'succeeded', reference), key: null });
    await tried(`${id}-first`, 1);
    await db.query(
      `update provider_operation set provider_reference = $2, due_at = due_at + interval '1 day'
        where transaction_id = $1`,
      [uuidOf(id), reference],
    );
    await insertNotice(`${id}-second`, { ...saying(id, 'failed', reference), key: null });
    // At once, not after five seconds, when it would have been looked at again by itself.
    await settled(`${id}-first`);
    await eventually('the second is put off', async () => (await dueMs(`${id}-second`)) === nowMs + secondMs);
    nowMs += secondMs;
    await settled(`${id}-second`);
    expect((await detail(id)).status).toBe('SUCCESS');
  });

  test('one that names nothing known holds up neither its successors nor others', async () => {
    const stranger = 'txn_0198a5b87c1f7000800000000000cafe';
    await insertNotice('stranger-1', saying(stranger, 'succeeded'));
    await tried('stranger-1', 1);
    await insertNotice('stranger-2', saying(stranger, 'failed'));
    await tried('stranger-2', 1);
    await settlesAnother();
  });
});

describe('two nodes', () => {
  let other: TestFlorin;
  beforeEach(async () => {
    other = await florinOn(db, keys, clock);
  });
  afterEach(() => other.stop());

  test('that are told the same at once settle it once', async () => {
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
      await settled(eventId);
      expect(await notesOf(id)).toEqual([`${eventId} succeeded`]);
      expect(await detail(id)).toMatchObject({ status: 'SUCCESS', version: 3 });
      expect((await eventsOf(id)).filter((type) => type === 'transaction.succeeded')).toHaveLength(1);
    }
  });
});

describe("the sandbox's own callbacks", () => {
  test.each(['late', 'callback:twice', 'callback:disorder', 'callback:contradiction'])('%s ends paid', async (word) => {
    const id = await makePayment(florin, admin, channelId, { metadata: { sandbox: word } });
    await waits(id);
    const owed = async () => {
      const [row] = await db.query<{ owed: number; due: string | null }>(
        `select json_array_length(callbacks) - callback_step as owed, callback_due_at as due
           from sandbox_operation where key = $1`,
        [`${id}-1`],
      );
      return row as { owed: number; due: string | null };
    };
    for (let { owed: left, due } = await owed(); left > 0; { owed: left, due } = await owed()) {
      // Not a moment before the look-up that would tell as well.
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
    expect((await notesOf(id)).filter((note) => note.startsWith('contradiction'))).toHaveLength(
      word === 'callback:contradiction' ? 1 : 0,
    );
  });
});

test('callbacks are kept for 30 days after they were settled', async () => {
  const id = await pending();
  const old = await send(id, { state: 'PENDING' }, 1);
  const recent = await send(id, { state: 'PENDING' }, 2);
  const open = await send('txn_0198a5b87c1f7000800000000000beef');
  await settled(old);
  await settled(recent);
  await tried(open, 1);
  await db.query(`update provider_callback set settled_at = settled_at - interval '31 days' where event_id = $1`, [
    old,
  ]);
  await db.query(`update provider_callback set received_at = received_at - interval '31 days' where event_id = $1`, [
    open,
  ]);
  await sweepCallbacks(db.database, nowMs);
  expect([await kept(old), await kept(recent), await kept(open)]).toEqual([
    undefined,
    expect.anything(),
    expect.anything(),
  ]);
});

/** A callback that a node kept before it died: none of the sandbox's own, which always name the key and the outcome. */
async function insertNotice(
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

const dueMs = async (eventId: string) => Date.parse((await kept(eventId))?.due_at ?? '');
