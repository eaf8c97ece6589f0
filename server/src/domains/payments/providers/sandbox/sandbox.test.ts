import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { currencyCodes, maximumAmount } from '../../../../core/currency.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../testing/database.ts';
import { call, cancelOf, chargeOf, freshKey, refundOf, sandboxOn } from '../../../../testing/sandbox.ts';
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

const asking = (word: string, changes: Partial<ChargeOperation> = {}) =>
  chargeOf({ metadata: { sandbox: word }, ...changes });

const bookOf = (key: string) =>
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
  ])('%s: asked for 50 times at once, booked once, answered alike', async (word, kind) => {
    const charge = asking(word);
    const answers = await times(50, () => sandbox.charge(charge, call()));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ kind });
    expect(await bookOf(charge.key)).toMatchObject([{ calls: 50 }]);
  });

  test('two nodes and a restart make no difference', async () => {
    const charge = chargeOf();
    const other = sandboxOn(db).sandbox;
    const answers = await times(40, (index) => (index % 2 === 0 ? sandbox : other).charge(charge, call()));
    expect(answers).toEqual(Array(40).fill({ kind: 'succeeded', reference: referenceOf(charge.key), money: usd1999 }));
    expect(await sandboxOn(db).sandbox.lookUp(charge, call())).toEqual(answers[0]);
    expect(await bookOf(charge.key)).toMatchObject([{ state: 'SUCCEEDED', calls: 40 }]);
  });

  test.each([{ amount: 2000 }, { currency: 'EUR' }, { kind: 'REFUND' }, { channelId: 8 }])(
    'with other content (%o) it is neither carried out nor called failed',
    async ({ channelId = 7, ...changes }) => {
      const charge = chargeOf();
      await sandbox.charge(charge, call());
      const other = { ...charge, ...changes } as ChargeOperation;
      expect(await sandbox.charge(other, call({ channelId }))).toMatchObject({ kind: 'unknown' });
      expect(await sandbox.lookUp(other, call({ channelId }))).toMatchObject({ kind: 'unknown' });
      expect(await bookOf(charge.key)).toMatchObject([{ amount: 1999 }]);
    },
  );

  test('thousands at once take a few statements', async () => {
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

  test('any amount of any currency is booked as it is, with its fee in the same currency', async () => {
    const amounts = [1, maximumAmount, ...fc.sample(fc.integer({ min: 1, max: maximumAmount }), 3)];
    const charges = currencyCodes.flatMap((currency) =>
      amounts.map((amount) => asking('fee:12', { amount, currency })),
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

describe('what was lost', () => {
  test.each(['timeout:before', 'error:before'])(
    '%s: absent until it is called again, then charged once',
    async (word) => {
      const charge = asking(word);
      expect(await node.cutOff((lost) => sandbox.charge(charge, lost))).toMatchObject({ kind: 'unknown' });
      expect(await sandbox.lookUp(charge, call())).toEqual({ kind: 'absent' });
      expect(await sandbox.charge(charge, call())).toMatchObject({ kind: 'succeeded' });
      expect(await sandbox.charge(charge, call())).toMatchObject({ kind: 'succeeded' });
      expect(await sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
      expect(await bookOf(charge.key)).toMatchObject([{ state: 'SUCCEEDED', calls: 3 }]);
    },
  );

  test('a refund that was lost on its way gives the money back once, when it is called again', async () => {
    const charge = asking('refund:timeout:before');
    await sandbox.charge(charge, call());
    const refund = refundOf(charge);
    expect(await node.cutOff((lost) => sandbox.refund(refund, lost))).toMatchObject({ kind: 'unknown' });
    expect(await sandbox.lookUp(refund, call())).toEqual({ kind: 'absent' });
    expect(await bookOf(charge.key)).toMatchObject([{ refunded: 0 }]);
    const answers = await times(10, () => sandbox.refund(refund, call()));
    expect(answers).toEqual(Array(10).fill({ kind: 'succeeded', reference: referenceOf(refund.key), money: usd1999 }));
    expect(await bookOf(charge.key)).toMatchObject([{ refunded: 1999 }]);
  });

  test('it stays as it was asked for first, whatever the metadata says later', async () => {
    const charge = asking('silent');
    await node.cutOff((lost) => sandbox.charge(charge, lost));
    const changed = { ...charge, metadata: null };
    expect(await node.cutOff((lost) => sandbox.charge(changed, lost))).toMatchObject({ kind: 'unknown' });
    expect(await node.cutOff((lost) => sandbox.lookUp(changed, lost))).toMatchObject({ kind: 'unknown' });
    const cancel = cancelOf(changed);
    expect(await node.cutOff((lost) => sandbox.cancel(cancel, lost))).toMatchObject({ kind: 'unknown' });
    expect(await node.cutOff((lost) => sandbox.lookUp(cancel, lost))).toMatchObject({ kind: 'unknown' });
    expect(await bookOf(charge.key)).toMatchObject([{ state: 'UNTAKEN' }]);
  });

  test('a deadline that has passed already books nothing', async () => {
    const charge = chargeOf();
    const cause = new Error('The deadline has passed.');
    const answer = await sandbox.charge(charge, call({ signal: AbortSignal.abort(cause) }));
    expect(answer).toEqual({ kind: 'unknown', cause });
    expect(await bookOf(charge.key)).toEqual([]);
  });

  test('a database that fails makes the outcome unknown, never failed', async () => {
    const cause = new Error('gone');
    const broken = new Sandbox({
      database: { run: () => Promise.reject(cause) },
      clock: node.now,
      publicUrl: '',
      deliverCallback: async () => {},
      onError: () => {},
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
    expect(await bookOf(charge.key)).toEqual([]);
  });

  test('a word that is not in the table is refused, says so, and books nothing', async () => {
    const charge = asking('sucseed');
    expect(await sandbox.charge(charge, call())).toMatchObject({
      kind: 'failed',
      failure: {
        code: 'invalid_operation',
        providerCode: 'unknown_behaviour',
        message: expect.stringContaining('sucseed'),
      },
    });
    expect(await bookOf(charge.key)).toEqual([]);
  });
});

test("books that cannot be reached before the deadline are the database's fault; silence that was asked for is not", async () => {
  const deadline = new AbortController();
  const cause = new Error('The deadline has passed.');
  const away = new Sandbox({
    database: { run: () => new Promise(() => {}) },
    clock: node.now,
    publicUrl: '',
    deliverCallback: async () => {},
    onError: () => {},
  });
  const late = away.lookUp(chargeOf(), call({ signal: deadline.signal }));
  deadline.abort(cause);
  expect(await late).toMatchObject({ kind: 'unknown', cause: { type: 'database_unavailable', cause } });

  const silent = asking('silent');
  for (const verb of ['charge', 'lookUp'] as const) {
    const answer = await node.cutOff((lost): Promise<unknown> => sandbox[verb](silent, lost));
    expect(answer).toEqual({ kind: 'unknown', cause });
  }
});

test('pending:2 succeeds by the second look-up and stays so', async () => {
  const charge = asking('pending:2');
  await sandbox.charge(charge, call());
  const kinds: string[] = [];
  for (let i = 0; i < 4; i++) kinds.push((await sandbox.lookUp(charge, call())).kind);
  expect(kinds).toEqual(['pending', 'succeeded', 'succeeded', 'succeeded']);
});

describe("the payer's page", () => {
  test('leads to Florin, shows what is to be paid, and tells what was chosen', async () => {
    const charge = asking('payer');
    expect(await sandbox.charge(charge, call())).toEqual({
      kind: 'needs_payer',
      reference: referenceOf(charge.key),
      nextAction: { type: 'redirect', url: `https://pay.example.com/sandbox/pay/${charge.key}` },
    });
    const bill = { amount: 1999, currency: 'USD', returnUrl: charge.returnUrl };
    expect(await sandbox.bill(charge.key)).toEqual({ ...bill, state: 'UNDECIDED' });
    expect(await sandbox.decide(charge.key, 'pay')).toEqual({ ...bill, state: 'SUCCEEDED' });
    expect(await sandbox.decide(charge.key, 'cancel')).toEqual({ ...bill, state: 'SUCCEEDED' });
    expect(await sandbox.lookUp(charge, call())).toMatchObject({ kind: 'succeeded' });
  });

  test.each([
    ['fail', { kind: 'failed', failure: { code: 'authentication_failed' } }],
    ['cancel', { kind: 'cancelled' }],
  ] as const)('%s', async (decision, outcome) => {
    const charge = asking('payer');
    await sandbox.charge(charge, call());
    await sandbox.decide(charge.key, decision);
    expect(await sandbox.lookUp(charge, call())).toMatchObject(outcome);
  });

  test('of many choices at once one counts, and everybody is told which', async () => {
    const charge = asking('payer');
    await sandbox.charge(charge, call());
    const choices = ['pay', 'fail', 'cancel'] as const;
    const bills = await times(30, (index) => sandbox.decide(charge.key, choices[index % 3] as 'pay'));
    expect(new Set(bills.map((bill) => bill?.state)).size).toBe(1);
  });

  test('there is none for any other key, whatever it is', async () => {
    const charge = chargeOf();
    await sandbox.charge(charge, call());
    for (const key of [charge.key, freshKey(), '', 'x'.repeat(1_000), 'a\0b', '../etc', "';--", '\ud800']) {
      expect(await sandbox.bill(key)).toBeUndefined();
      expect(await sandbox.decide(key, 'pay')).toBeUndefined();
    }
  });
});
