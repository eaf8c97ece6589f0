import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  call,
  cancelOf,
  chargeOf,
  freshKey,
  refundOf,
  sandboxDelayMs,
  sandboxOn,
} from '../../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { referenceOf } from './messages.ts';
import type { Sandbox } from './sandbox.ts';

let db: TestDatabase;
let node: ReturnType<typeof sandboxOn>;
let sandbox: Sandbox;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

beforeEach(() => {
  node = sandboxOn(db);
  sandbox = node.sandbox;
});

afterAll(() => db.drop());

const chargeWith = (word: string) => chargeOf({ metadata: { sandbox: word } });

const recordOf = (key: string) =>
  db.query('select state, calls, refunded from sandbox_operation where key = $1', [key]);

const times = <Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

describe('refunds', () => {
  test('50 concurrent refunds never exceed the charge', async () => {
    const charge = chargeOf({ amount: 1_000 });
    await sandbox.charge(charge, call());
    const other = sandboxOn(db).sandbox;
    const answers = await times(50, (index) =>
      (index % 2 === 0 ? sandbox : other).refund(refundOf(charge, { amount: 300 }), call()),
    );
    expect(answers.filter(({ kind }) => kind === 'succeeded')).toHaveLength(3);
    expect(answers.filter(({ kind }) => kind === 'failed')).toHaveLength(47);
    expect(answers.find(({ kind }) => kind === 'failed')).toMatchObject({ failure: { code: 'refund_refused' } });
    expect(await recordOf(charge.key)).toMatchObject([{ refunded: 900 }]);
  });

  test('behave as the payment method of their charge says, unless its metadata says otherwise', async () => {
    const charge = chargeOf({ paymentMethod: 'sandbox:refund:fail' });
    expect(await sandbox.charge(charge, call())).toMatchObject({ kind: 'succeeded' });
    const refused = { kind: 'failed', failure: { code: 'refund_refused' } };
    expect(await sandbox.refund(refundOf(charge, { amount: 1 }), call())).toMatchObject(refused);
    const other = chargeOf({ paymentMethod: 'sandbox:refund:fail', metadata: { sandbox: 'succeed' } });
    await sandbox.charge(other, call());
    expect(await sandbox.refund(refundOf(other, { amount: 1 }), call())).toMatchObject({ kind: 'succeeded' });
  });

  test('50 concurrent calls with one key refund once', async () => {
    const charge = chargeOf();
    await sandbox.charge(charge, call());
    const refund = refundOf(charge, { amount: 1 });
    const answers = await times(50, () => sandbox.refund(refund, call()));
    expect(answers).toEqual(
      Array(50).fill({ kind: 'succeeded', reference: referenceOf(refund.key), money: { amount: 1, currency: 'USD' } }),
    );
    expect(await recordOf(charge.key)).toMatchObject([{ refunded: 1 }]);
    expect(await recordOf(refund.key)).toMatchObject([{ state: 'SUCCEEDED', calls: 50 }]);
  });

  test('concurrent calls with one key on three nodes refund once', async () => {
    const charge = chargeOf();
    await sandbox.charge(charge, call());
    const refund = refundOf(charge, { amount: 1 });
    const answers = await db.database.transaction(async (holding) => {
      await holding.run({ name: '', text: 'select 1 from sandbox_operation where key = $1 for update' }, [charge.key]);
      const answers = times(3, () => sandboxOn(db).sandbox.refund(refund, call()));
      await eventually('all three wait for a lock', async () => {
        const waiting = await db.query(
          `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length === 3;
      });
      return { answers };
    });
    expect(new Set((await answers.answers).map(({ kind }) => kind))).toEqual(new Set(['succeeded']));
    expect(await recordOf(charge.key)).toMatchObject([{ refunded: 1 }]);
  });

  test('a refund needs a charge that succeeded, on the same channel and in the same currency', async () => {
    const declined = chargeWith('decline:card_declined');
    const late = chargeWith('late');
    const good = chargeOf();
    for (const charge of [declined, late, good]) await sandbox.charge(charge, call());
    const refused = { kind: 'failed', failure: { code: 'refund_refused' } };
    expect(await sandbox.refund(refundOf(declined), call())).toMatchObject(refused);
    expect(await sandbox.refund(refundOf(late), call())).toMatchObject(refused);
    expect(await sandbox.refund(refundOf(good, { chargeReference: referenceOf(freshKey()) }), call())).toMatchObject(
      refused,
    );
    expect(await sandbox.refund(refundOf(good, { chargeReference: 'pi_123' }), call())).toMatchObject(refused);
    expect(await sandbox.refund(refundOf(good, { currency: 'EUR' }), call())).toMatchObject(refused);
    expect(await sandbox.refund(refundOf(good), call({ channelId: 8 }))).toMatchObject(refused);
    node.moveBy(sandboxDelayMs);
    expect(await sandbox.refund(refundOf(late), call())).toMatchObject({ kind: 'succeeded' });
  });
});

describe('cancellation', () => {
  test.each(['late', 'late:decline', 'pending', 'pending:3', 'payer'])('%s is cancelled for good', async (word) => {
    const charge = chargeWith(word);
    await sandbox.charge(charge, call());
    const cancel = cancelOf(charge);
    expect(await sandbox.cancel(cancel, call())).toMatchObject({ kind: 'cancelled' });
    node.moveBy(sandboxDelayMs);
    expect(await sandbox.lookUp(cancel, call())).toMatchObject({ kind: 'cancelled' });
    expect(await sandbox.lookUp(charge, call())).toMatchObject({ kind: 'cancelled' });
    expect(await sandbox.charge(charge, call())).toMatchObject({ kind: 'cancelled' });
    const [row] = await db.query('select callback_due_at from sandbox_operation where key = $1', [charge.key]);
    expect(row).toEqual({ callback_due_at: null });
  });

  test.each(['succeed', 'decline:card_declined', 'late'])(
    '%s: too late after the final state was reported',
    async (word) => {
      const charge = chargeWith(word);
      await sandbox.charge(charge, call());
      const beforeMs = node.now();
      node.moveBy(sandboxDelayMs);
      const reported = await sandbox.lookUp(charge, call());
      // A node whose clock is behind must not revoke a result that another node has reported.
      const behind = sandboxOn(db, beforeMs).sandbox;
      const cancel = cancelOf(charge);
      expect(await behind.cancel(cancel, call())).toMatchObject({
        kind: 'failed',
        failure: { code: 'invalid_operation', providerCode: 'too_late' },
      });
      expect(await behind.cancel(cancel, call())).toMatchObject({ kind: 'failed' });
      expect(await sandbox.lookUp(charge, call())).toEqual(reported);
    },
  );

  test('a charge that is cancelled before it arrives is never carried out', async () => {
    const charge = chargeOf();
    expect(await sandbox.cancel(cancelOf(charge), call())).toMatchObject({ kind: 'cancelled' });
    expect(await sandbox.charge(charge, call())).toMatchObject({ kind: 'cancelled' });
    expect(await recordOf(charge.key)).toMatchObject([{ state: 'CANCELLED', calls: 1 }]);
  });

  test('a concurrent charge, look-up, cancellation and refund agree in the end', async () => {
    await times(40, async (index) => {
      const charge = chargeWith(index % 2 === 0 ? 'late' : 'succeed');
      const other = sandboxOn(db, node.now() + (index % 3) * sandboxDelayMs).sandbox;
      const [, , cancelled, refunded] = await Promise.all([
        sandbox.charge(charge, call()),
        other.lookUp(charge, call()),
        sandbox.cancel(cancelOf(charge), call()),
        other.refund(refundOf(charge), call()),
      ]);
      const end = await sandboxOn(db, node.now() + 10 * sandboxDelayMs).sandbox.lookUp(charge, call());
      expect(end.kind).toBe(cancelled.kind === 'cancelled' ? 'cancelled' : 'succeeded');
      if (refunded.kind === 'succeeded') expect(end.kind).toBe('succeeded');
    });
  });

  test('50 concurrent cancellations, with one key and with many, cancel the charge', async () => {
    const charge = chargeWith('pending');
    await sandbox.charge(charge, call());
    const cancel = cancelOf(charge);
    const answers = await times(50, (index) => sandbox.cancel(index % 2 === 0 ? cancel : cancelOf(charge), call()));
    expect(answers.every(({ kind }) => kind === 'cancelled')).toBe(true);
  });
});
