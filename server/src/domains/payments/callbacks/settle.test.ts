import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { dataOf, makePayment } from '../../../../tests/support/factories.ts';
import { callbackScenario } from '../../../../tests/support/payments/callback-scenario.ts';
import {
  accepted,
  channelSecret,
  eventIdOf,
  makeProviderChannel,
  postCallback,
  sandboxReportOf,
} from '../../../../tests/support/payments/callbacks.ts';
import { sandboxDelayMs } from '../../../../tests/support/payments/sandbox.ts';
import { eventually } from '../../../../tests/support/postgres/database.ts';
import { hourMs, minuteMs, secondMs } from '../../../core/clock.ts';
import { parseKeyring } from '../../../platform/crypto/keyring.ts';
import { Sealer } from '../../../platform/crypto/seal.ts';
import { referenceOf, signedMessage } from '../providers/sandbox/messages.ts';
import { bodyAssociatedData } from './receive.ts';
import { retryWaitsMs } from './rules.ts';
import { sweepCallbacks } from './sweep.ts';

const scenario = callbackScenario();
const {
  uuidOf,
  storedCallback,
  operationsOf,
  callbackSettled,
  callbackTried,
  operationWaiting,
  messagesOf,
  pending,
  send,
  detail,
  eventsOf,
  insertCallback,
  dueMs,
  keys,
} = scenario;

test('the body of a callback is stored unchanged, sealed to its row', async () => {
  const id = await pending();
  const message = signedMessage(sandboxReportOf(id), 1, channelSecret);
  await postCallback(scenario.florin, scenario.channelId, message);
  const [row] = await scenario.db.query<{ id: string; body_sealed: Buffer }>(
    'select id, body_sealed from provider_callback where event_id = $1',
    [eventIdOf(message)],
  );
  expect(row?.body_sealed.includes(id)).toBe(false);
  const sealer = new Sealer(parseKeyring(keys.APP_ENCRYPTION_KEYS));
  const opened = sealer.open(row?.body_sealed as Buffer, bodyAssociatedData(scenario.channelId, row?.id as string));
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
      await scenario.db.query('select debit, amount from ledger_transfer where transaction_id = $1 order by leg', [
        uuidOf(id),
      ]),
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
    const message = signedMessage(sandboxReportOf(id), 1, channelSecret);
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => postCallback(scenario.florin, scenario.channelId, message)),
    );
    for (const { body } of replies) expect(body).toEqual(accepted);
    const eventId = eventIdOf(message);
    await callbackSettled(eventId);
    expect((await postCallback(scenario.florin, scenario.channelId, message)).body).toEqual(accepted);
    expect(await messagesOf(id)).toEqual([`${eventId} succeeded`]);
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', version: 3 });
    const metrics = (await scenario.florin.get('/metrics')).body;
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

  test('that reports only a change has all open operations looked up at once, refunds included', async () => {
    // Without a secret the sandbox sends no callbacks.
    const silent = await makeProviderChannel(scenario.florin, scenario.admin, { webhookSecret: undefined });
    const id = await makePayment(scenario.florin, scenario.admin, silent, { metadata: { sandbox: 'pending:1' } });
    await operationWaiting(id);
    const notice = { key: null, reference: `sbx_${id}-1`, said: 'changed', outcome: null };
    await insertCallback('changed-1', notice, silent);
    await eventually('the payment succeeds', async () => (await detail(id)).status === 'SUCCESS');
    expect(await operationsOf(id)).toMatchObject([{ state: 'SUCCEEDED', settled_by: 'look_up' }]);

    const late = await makePayment(scenario.florin, scenario.admin, silent, { metadata: { sandbox: 'refund:late' } });
    await eventually('the payment succeeds', async () => (await detail(late)).status === 'SUCCESS');
    dataOf(await scenario.florin.post('/api/refund/create', { transactionId: late }, scenario.admin));
    await operationWaiting(late, 2);
    scenario.nowMs += sandboxDelayMs;
    await insertCallback('changed-2', { ...notice, reference: `sbx_${late}-1` }, silent);
    await eventually('the payment is refunded', async () => (await detail(late)).status === 'REFUNDED');
    expect([await messagesOf(id), await messagesOf(late)]).toEqual([['changed-1 changed'], ['changed-2 changed']]);
  });

  test('while an operation is leased, the look-up waits for the lease to end, and is not lost', async () => {
    const id = await makePayment(scenario.florin, scenario.admin, scenario.channelId, {
      metadata: { sandbox: 'pending:1' },
    });
    await operationWaiting(id);
    await scenario.db.query(
      'update provider_operation set leased_until = $2, lease = gen_random_uuid() where transaction_id = $1',
      [uuidOf(id), new Date(scenario.nowMs + hourMs)],
    );
    await insertCallback('changed-3', { key: `${id}-1`, reference: null, said: 'changed', outcome: null });
    await eventually('the callback is tried', async () => (await dueMs('changed-3')) === scenario.nowMs + secondMs);
    // The answer is recorded, with the next look-up in an hour.
    await scenario.db.query(
      'update provider_operation set leased_until = null, lease = null, due_at = $2 where transaction_id = $1',
      [uuidOf(id), new Date(scenario.nowMs + hourMs)],
    );
    scenario.nowMs += secondMs;
    await callbackSettled('changed-3');
    await eventually('the payment succeeds', async () => (await detail(id)).status === 'SUCCESS');
    expect(await messagesOf(id)).toEqual(['changed-3 changed']);
  });

  test('about something that Florin does not follow is stored as IGNORED', async () => {
    const mollie = await makeProviderChannel(scenario.florin, scenario.admin, { provider: 'mollie' });
    const body = JSON.stringify({ id: 'event_1', entityId: 'or_1' });
    const signature = `sha256=${createHmac('sha256', channelSecret).update(body).digest('hex')}`;
    const headers = { 'x-mollie-signature': signature };
    const reply = await scenario.florin.call('POST', `/api/callback/${mollie}`, { body, headers });
    expect(reply.body).toEqual(accepted);
    expect(await storedCallback('event_1')).toMatchObject({ state: 'IGNORED', tries: 0, channel_id: mollie });
  });
});

describe('a callback whose operation is not found', () => {
  test('is settled by a retry when the operation is known', async () => {
    const id = await pending();
    const outcome = { kind: 'succeeded', reference: 'late-reference' };
    await insertCallback('early', { key: null, reference: 'late-reference', said: 'succeeded', outcome });
    await callbackTried('early', 1);
    await scenario.db.query(
      `update provider_operation set provider_reference = 'late-reference', due_at = due_at + interval '1 day'
        where transaction_id = $1`,
      [uuidOf(id)],
    );
    scenario.nowMs += retryWaitsMs[0] as number;
    await callbackSettled('early');
    expect(await detail(id)).toMatchObject({ status: 'SUCCESS', providerReference: 'late-reference' });
  });

  test('is retried after 5 s, 30 s, 5 min and 1 h, then ignored', async () => {
    const eventId = await send('txn_0198a5b87c1f7000800000000000dead');
    for (const [tries, waitMs] of [5 * secondMs, 30 * secondMs, 5 * minuteMs, hourMs].entries()) {
      await callbackTried(eventId, tries + 1);
      expect(await dueMs(eventId)).toBe(scenario.nowMs + waitMs);
      scenario.nowMs += waitMs;
    }
    await eventually('the callback is ignored', async () => (await storedCallback(eventId))?.state === 'IGNORED');
    await eventually('the metrics show it', async () =>
      /^florin_callbacks_settled_total\{result="ignored"\} [1-9]/m.test((await scenario.florin.get('/metrics')).body),
    );
  });

  test('with the reference of a charge settles the charge, not its cancellation', async () => {
    const id = await pending();
    await scenario.db.query(
      `insert into provider_operation (tenant_id, transaction_id, number, kind, channel_id, provider, amount, state,
           due_at,
                                       created_at, provider_reference)
       select tenant_id, transaction_id, 2, 'CANCEL', channel_id, provider, amount, 'WAITING',
           due_at + interval '1 day',
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

test('callbacks are deleted 30 days after they were settled', async () => {
  const id = await pending();
  const old = await send(id, { state: 'PENDING' }, 1);
  const recent = await send(id, { state: 'PENDING' }, 2);
  const open = await send('txn_0198a5b87c1f7000800000000000beef');
  await callbackSettled(old);
  await callbackSettled(recent);
  await callbackTried(open, 1);
  await scenario.db.query(
    `update provider_callback set settled_at = settled_at - interval '31 days' where event_id = $1`,
    [old],
  );
  await scenario.db.query(
    `update provider_callback set received_at = received_at - interval '31 days' where event_id = $1`,
    [open],
  );
  await sweepCallbacks(scenario.db.database, scenario.nowMs);
  expect([await storedCallback(old), await storedCallback(recent), await storedCallback(open)]).toEqual([
    undefined,
    expect.anything(),
    expect.anything(),
  ]);
});
