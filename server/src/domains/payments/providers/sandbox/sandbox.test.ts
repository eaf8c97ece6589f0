import fc from 'fast-check';
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
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { currencyCodes, maximumAmount } from '../../../../core/currency.ts';
import type { ChargeOperation } from '../provider.ts';
import { referenceOf } from './messages.ts';
import { Sandbox } from './sandbox.ts';

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

const chargeWith = (word: string, changes: Partial<ChargeOperation> = {}) =>
  chargeOf({ metadata: { sandbox: word }, ...changes });

const recordOf = (key: string) =>
  db.query('select state, calls, amount, refunded, callback_trouble from sandbox_operation where key = $1', [key]);

const usd1999 = { amount: 1999, currency: 'USD' };

const times = <Result>(count: number, work: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

describe('one key is one operation', () => {
  test.each([
    ['succeed', 'succeeded'],
    ['decline:card_declined', 'failed'],
    ['late', 'pending'],
    ['payer', 'needs_payer'],
  ])('%s: 50 concurrent calls make one record and get the same answer', async (word, kind) => {
    const charge = chargeWith(word);
    const answers = await times(50, () => sandbox.charge(charge, call()));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ kind });
    expect(await recordOf(charge.key)).toMatchObject([{ calls: 50 }]);
  });

  test('two nodes and a restart get the same answers', async () => {
    const charge = chargeOf();
    const other = sandboxOn(db).sandbox;
    const answers = await times(40, (index) => (index % 2 === 0 ? sandbox : other).charge(charge, call()));
    expect(answers).toEqual(Array(40).fill({ kind: 'succeeded', reference: referenceOf(charge.key), money: usd1999 }));
    expect(await sandboxOn(db).sandbox.lookUp(charge, call())).toEqual(answers[0]);
    expect(await recordOf(charge.key)).toMatchObject([{ state: 'SUCCEEDED', calls: 40 }]);
  });

  test.each([{ amount: 2000 }, { currency: 'EUR' }, { kind: 'REFUND' }, { channelId: 8 }])(
    'a key with other content (%o) is unknown: neither carried out nor failed',
    async ({ channelId = 7, ...changes }) => {
      const charge = chargeOf();
      await sandbox.charge(charge, call());
      const other = { ...charge, ...changes } as ChargeOperation;
      expect(await sandbox.charge(other, call({ channelId }))).toMatchObject({ kind: 'unknown' });
      expect(await sandbox.lookUp(other, call({ channelId }))).toMatchObject({ kind: 'unknown' });
      expect(await recordOf(charge.key)).toMatchObject([{ amount: 1999 }]);
    },
  );

  test('thousands of concurrent calls take a few statements', async () => {
    const charges = Array.from({ length: 5_000 }, () => chargeOf());
    const answers = await times(5_000, (index) => sandbox.charge(charges[index] as ChargeOperation, call()));
    expect(answers.filter(({ kind }) => kind === 'succeeded')).toHaveLength(5_000);
    expect(node.statements.length).toBeLessThanOrEqual(12);
    const [row] = await db.query(
      `select count(*) as count, sum(calls) as calls from sandbox_operation where key = any($1)`,
      [charges.map(({ key }) => key)],
    );
    expect(row).toEqual({ count: 5_000, calls: 5_000 });
  });

  test('any amount of any currency is recorded exactly, with its fee in the same currency', async () => {
    const amounts = [1, maximumAmount, ...fc.sample(fc.integer({ min: 1, max: maximumAmount }), 3)];
    const charges = currencyCodes.flatMap((currency) =>
      amounts.map((amount) => chargeWith('fee:12', { amount, currency })),
    );
    const answers = await Promise.all(charges.map((charge) => sandbox.charge(charge, call())));
    expect(answers).toEqual(
      charges.map(({ key, amount, currency }) => ({
        kind: 'succeeded',
        reference: referenceOf(key),
        fee: { amount: 12, currency },
        money: { amount, currency },
      })),
    );
    const rows = await db.query(
      `select key, amount, currency from sandbox_operation where key = any($1) order by key`,
      [charges.map(({ key }) => key)],
    );
    expect(rows).toEqual(charges.map(({ key, amount, currency }) => ({ key, amount, currency })));
  });
});

describe('lost calls', () => {
  test.each(['timeout:before', 'error:before'])('%s: absent until the second call, then charged once', async (word) => {
    const charge = chargeWith(word);
    expect(await node.cutOff((lost) => sandbox.charge(charge, lost))).toMatchObject({ kind: 'unknown' });
    expect(await sandbox.lookUp(charge, call())).toEqual({ kind: 'absent' });
    expect(await sandbox.charge(charge, call())).toMatchObject({ kind: 'succeeded' });
    expect(await sandbox.charge(charge, call())).toMatchObject({ kind: 'succeeded' });
    expect(await sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
    expect(await recordOf(charge.key)).toMatchObject([{ state: 'SUCCEEDED', calls: 3 }]);
  });

  test('a refund whose first call was lost is carried out once, by the next call', async () => {
    const charge = chargeWith('refund:timeout:before');
    await sandbox.charge(charge, call());
    const refund = refundOf(charge);
    expect(await node.cutOff((lost) => sandbox.refund(refund, lost))).toMatchObject({ kind: 'unknown' });
    expect(await sandbox.lookUp(refund, call())).toEqual({ kind: 'absent' });
    expect(await recordOf(charge.key)).toMatchObject([{ refunded: 0 }]);
    const answers = await times(10, () => sandbox.refund(refund, call()));
    expect(answers).toEqual(Array(10).fill({ kind: 'succeeded', reference: referenceOf(refund.key), money: usd1999 }));
    expect(await recordOf(charge.key)).toMatchObject([{ refunded: 1999 }]);
  });

  test('the behaviour of the first call stays, whatever the metadata of later calls', async () => {
    const charge = chargeWith('silent');
    await node.cutOff((lost) => sandbox.charge(charge, lost));
    const changed = { ...charge, metadata: null };
    expect(await node.cutOff((lost) => sandbox.charge(changed, lost))).toMatchObject({ kind: 'unknown' });
    expect(await node.cutOff((lost) => sandbox.lookUp(changed, lost))).toMatchObject({ kind: 'unknown' });
    const cancel = cancelOf(changed);
    expect(await node.cutOff((lost) => sandbox.cancel(cancel, lost))).toMatchObject({ kind: 'unknown' });
    expect(await node.cutOff((lost) => sandbox.lookUp(cancel, lost))).toMatchObject({ kind: 'unknown' });
    expect(await recordOf(charge.key)).toMatchObject([{ state: 'UNTAKEN' }]);
  });

  test('a call after its deadline records nothing', async () => {
    const charge = chargeOf();
    const cause = new Error('The deadline has passed.');
    const answer = await sandbox.charge(charge, call({ signal: AbortSignal.abort(cause) }));
    expect(answer).toEqual({ kind: 'unknown', cause });
    expect(await recordOf(charge.key)).toEqual([]);
  });

  test('if the database fails, the outcome is unknown, never failed', async () => {
    const cause = new Error('gone');
    const broken = new Sandbox({
      database: { run: () => Promise.reject(cause) },
      clock: node.now,
      publicUrl: '',
      sandboxDelayMs,
    });
    const charge = chargeOf();
    for (const answer of [
      await broken.charge(charge, call()),
      await broken.refund(refundOf(charge), call()),
      await broken.cancel(cancelOf(charge), call()),
      await broken.lookUp(charge, call()),
    ]) {
      expect(answer).toEqual({ kind: 'unknown', cause });
    }
  });

  test('a look-up starts nothing', async () => {
    const charge = chargeOf();
    expect(await sandbox.lookUp(charge, call())).toEqual({ kind: 'absent' });
    expect(await recordOf(charge.key)).toEqual([]);
  });

  test('an unknown word fails with a message that quotes it, and records nothing', async () => {
    const charge = chargeWith('sucseed');
    expect(await sandbox.charge(charge, call())).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'invalid_operation',
        providerCode: 'unknown_behaviour',
        message: expect.stringContaining('sucseed'),
      },
    });
    expect(await recordOf(charge.key)).toEqual([]);
  });
});

test('unreachable records are reported as an unavailable database; a requested silence is not', async () => {
  const deadline = new AbortController();
  const cause = new Error('The deadline has passed.');
  const unreachable = new Sandbox({
    database: { run: () => new Promise(() => {}) },
    clock: node.now,
    publicUrl: '',
    sandboxDelayMs,
  });
  const late = unreachable.lookUp(chargeOf(), call({ signal: deadline.signal }));
  deadline.abort(cause);
  expect(await late).toMatchObject({ kind: 'unknown', cause: { type: 'database_unavailable', cause } });

  const silent = chargeWith('silent');
  for (const verb of ['charge', 'lookUp'] as const) {
    const answer = await node.cutOff((lost): Promise<unknown> => sandbox[verb](silent, lost));
    expect(answer).toEqual({ kind: 'unknown', cause });
  }
});

test('pending:2 succeeds at the second look-up and stays succeeded', async () => {
  const charge = chargeWith('pending:2');
  await sandbox.charge(charge, call());
  const kinds: string[] = [];
  for (let i = 0; i < 4; i++) kinds.push((await sandbox.lookUp(charge, call())).kind);
  expect(kinds).toEqual(['pending', 'succeeded', 'succeeded', 'succeeded']);
});

describe("the payer's page", () => {
  test('is at Florin, shows the amount, and applies the first choice', async () => {
    const charge = chargeWith('payer');
    expect(await sandbox.charge(charge, call())).toEqual({
      kind: 'needs_payer',
      reference: referenceOf(charge.key),
      nextAction: { type: 'redirect', url: `https://pay.example.com/sandbox/pay/${charge.key}` },
    });
    const statementDescriptor = null;
    const payment = { amount: 1999, currency: 'USD', returnUrl: charge.returnUrl, statementDescriptor };
    expect(await sandbox.payerPayment(charge.key)).toEqual({ ...payment, state: 'UNDECIDED' });
    expect(await sandbox.decide(charge.key, 'pay')).toEqual({ ...payment, state: 'SUCCEEDED' });
    expect(await sandbox.decide(charge.key, 'cancel')).toEqual({ ...payment, state: 'SUCCEEDED' });
    expect(await sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
  });

  test.each([
    ['fail', { kind: 'failed', failure: { code: 'authentication_failed' } }],
    ['cancel', { kind: 'cancelled' }],
  ] as const)('%s', async (decision, outcome) => {
    const charge = chargeWith('payer');
    await sandbox.charge(charge, call());
    await sandbox.decide(charge.key, decision);
    expect(await sandbox.lookUp(charge, call())).toMatchObject(outcome);
  });

  test('of concurrent choices one counts, and every answer shows it', async () => {
    const charge = chargeWith('payer');
    await sandbox.charge(charge, call());
    const choices = ['pay', 'fail', 'cancel'] as const;
    const payments = await times(30, (index) => sandbox.decide(charge.key, choices[index % 3] as 'pay'));
    expect(new Set(payments.map((payment) => payment?.state)).size).toBe(1);
  });

  test('does not exist for any other key', async () => {
    const charge = chargeOf();
    await sandbox.charge(charge, call());
    for (const key of [charge.key, freshKey(), '', 'x'.repeat(1_000), 'a\0b', '../etc', "';--", '\ud800']) {
      expect(await sandbox.payerPayment(key)).toBeUndefined();
      expect(await sandbox.decide(key, 'pay')).toBeUndefined();
    }
  });
});
