import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertDefaultMethod } from '../../../../../tests/support/billing/invoices.ts';
import { brokenClaims } from '../../../../../tests/support/broken-claims.ts';
import { operationsNode } from '../../../../../tests/support/payments/operations-node.ts';
import { arrangeChannels, principalOf } from '../../../../../tests/support/payments/payments.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { uuidOfPublicId } from '../../../../core/id.ts';
import type { Database } from '../../../../platform/postgres/database.ts';
import type { ProviderDispute, ProviderRefund } from '../../providers/dispute.ts';
import type { ApplyDeps } from '../apply-deps.ts';
import { disputeFundsOf } from '../found-funds.ts';
import { DisputeNotices } from '../notices.ts';
import { findOfPayment } from '../statements.ts';

/** What providers report of disputes and refunds, in every order, without a provider. */
let db: TestDatabase;
let nowMs: number;
let node: Awaited<ReturnType<typeof operationsNode>>;
let notices: DisputeNotices;
let deps: ApplyDeps;
const one = principalOf(1, 7);
const channelId = 21;

beforeAll(async () => {
  db = await databaseFromTemplate();
  await arrangeChannels(db);
  await db.query(`update channel set provider = 'sandbox' where id in (10, 21)`);
});

afterAll(() => db.drop());

beforeEach(async () => {
  nowMs = Date.parse('2026-11-21T12:00:00Z');
  node = await operationsNode(db, { clock: () => nowMs });
  node.dispatcher.start();
  deps = {
    database: db.database as Database,
    payments: node.payments,
    settler: node.settler,
    methodCustomers: { lock: async () => {} } as unknown as ApplyDeps['methodCustomers'],
    invoicePayments: { followDispute: async (_, { unpaid }) => ({ unpaid, excess: 0 }), settleExcess: async () => {} },
    observeDispute: () => {},
    onOverdrawn: () => {},
    onOtherCurrency: () => {},
    clock: () => nowMs,
    generateUuid: node.generateUuid,
  };
  notices = new DisputeNotices({
    ...deps,
    ...node,
    timeoutMs: 1000,
    providers: { of: () => Promise.reject() },
  } as never);
});

afterEach(async () => {
  await node.stop();
  expect(node.errors).toEqual([]);
  const claims = await brokenClaims(db.database);
  // The scripted provider is no sandbox.
  expect(claims.filter((claim) => !/sandbox's/.test(claim))).toEqual([]);
});

async function paid(): Promise<string> {
  const id = await node.create({ amount: 1000, currency: 'USD', channelId }, one);
  await eventually('the payment succeeds', async () => (await node.find(id, one)).status === 'SUCCESS');
  return id;
}

const charged = (id: string) => `ref-${id}-1`;

function disputeOf(id: string, changes: Partial<ProviderDispute> = {}): ProviderDispute {
  return {
    reference: `dp-${id}`,
    chargeReference: charged(id),
    stage: 'CHARGEBACK',
    status: 'OPEN',
    amount: 1000,
    currency: 'USD',
    fee: null,
    reason: 'fraudulent',
    providerReason: 'fraud',
    respondBy: '2026-12-01T00:00:00.000Z',
    actions: ['SUBMIT'],
    evidenceFields: [],
    defenseReasons: [],
    movements: [{ reference: 'm1', direction: 'WITHDRAWN', amount: 1000, currency: 'USD' }],
    ...changes,
  };
}

/** A further reading, a second later. */
function report(dispute: ProviderDispute) {
  nowMs += 1000;
  return notices.apply(channelId, dispute, nowMs);
}

const rowsOf = (id: string) => db.database.run(findOfPayment, [1, uuidOfPublicId('txn', id)]);
const eventsOf = async (id: string) => {
  const rows = await db.query<{ type: string }>('select type from event where object_id = $1 order by id', [id]);
  return rows.map(({ type }) => type);
};
const disputeEvents = async (id: string) => {
  const [row] = await rowsOf(id);
  return (await eventsOf(`dsp_${row?.id.replaceAll('-', '')}`)).map((type) => type.replace('dispute.', ''));
};
const refundsOf = (id: string) =>
  db.query<{ id: string; status: string; origin: string | null; failure_code: string | null; amount: number }>(
    'select id, status, origin, failure_code, amount::int from refund where transaction_id = $1 order by id',
    [uuidOfPublicId('txn', id)],
  );
const discrepanciesOf = (id: string) =>
  db.query<{ id: string; kind: string; state: string; amount: number }>(
    'select id, kind, state, amount::int from discrepancy where transaction_id = $1 order by opened_at, id',
    [uuidOfPublicId('txn', id)],
  );

describe('a reading', () => {
  test('that is repeated changes nothing, and each movement is booked once', async () => {
    const id = await paid();
    for (let i = 0; i < 3; i++) expect(await report(disputeOf(id))).toBe('settled');
    expect(await rowsOf(id)).toMatchObject([{ version: 1, amount_withdrawn: 1000 }]);
    expect(await disputeEvents(id)).toEqual(['created', 'funds_withdrawn']);
    expect(await node.find(id, one)).toMatchObject({ amount_disputed: 1000 });
  });

  test('that began before a newer one changes nothing', async () => {
    const id = await paid();
    await report(disputeOf(id, { status: 'WON' }));
    await notices.apply(channelId, disputeOf(id, { status: 'LOST' }), nowMs - 10_000);
    expect(await rowsOf(id)).toMatchObject([{ status: 'WON' }]);
  });

  test('about a charge that is not known is kept for later', async () => {
    expect(await report(disputeOf('txn_none'))).toBe('unknown');
  });

  test('is followed as often as the provider changes its decision, each movement with its own transfer', async () => {
    const id = await paid();
    const movements = (count: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...{ reference: `m${i}`, amount: 1000, currency: 'USD' },
        direction: i % 2 === 0 ? ('WITHDRAWN' as const) : ('REINSTATED' as const),
      }));
    for (let count = 1; count <= 5; count++) {
      const status = count % 2 === 0 ? 'WON' : 'LOST';
      await report(disputeOf(id, { status, movements: movements(count), reason: 'returned' }));
    }
    const changes = ['funds_reinstated', 'won', 'funds_withdrawn', 'lost'];
    expect(await disputeEvents(id)).toEqual(['created', 'funds_withdrawn', 'lost', ...changes, ...changes]);
    const booked = await db.query('select from ledger_transfer where dispute_id is not null and transaction_id = $1', [
      uuidOfPublicId('txn', id),
    ]);
    expect(booked).toHaveLength(5);
  });

  test('of a debit that its payer had not authorized ends the payment method, and one event says so', async () => {
    const id = await paid();
    const [customer] = (await db.query<{ id: number }>(
      `insert into customer (tenant_id, name, default_channel_id, created_at)
       values (1, 'One', 21, now()) returning id`,
    )) as [{ id: number }];
    await insertDefaultMethod(db, customer.id, channelId);
    await db.query(
      `update transaction t set customer_id = m.customer_id, method_id = m.id from payment_method m where t.id = $1`,
      [uuidOfPublicId('txn', id)],
    );
    const calls: string[] = [];
    deps.methodCustomers.lock = async (_, { customerId }) => {
      calls.push(`locked ${customerId === customer.id}`);
    };
    deps.methodCustomers.defaultChanged = async () => {
      calls.push('changed');
    };
    const returned = { status: 'LOST', reason: 'not_authorized', methodFailure: 'mandate_revoked' } as const;
    await report(disputeOf(id, returned));
    await report(disputeOf(id, { ...returned, providerReason: 'again' }));
    const methods = await db.query('select status, failure_code, is_default from payment_method');
    expect(methods).toEqual([{ status: 'REVOKED', failure_code: 'mandate_revoked', is_default: false }]);
    expect(calls.filter((call) => call === 'changed')).toHaveLength(1);
    expect(calls[0]).toBe('locked true');
    const events = await db.query<{ type: string }>(`select type from event where type like 'payment_method.%'`);
    expect(events.map(({ type }) => type)).toEqual(['payment_method.revoked']);
    // Florin did not attach it, which `verify` would find.
    await db.query('update transaction set customer_id = null, method_id = null where method_id is not null');
    await db.query('delete from payment_method');
  });

  test('of a fee books the difference to what was told before, in either direction', async () => {
    const id = await paid();
    const fees = [1500, 2000, 500];
    for (const amount of fees) await report(disputeOf(id, { fee: { amount, currency: 'EUR' } }));
    const booked = await db.query<{ debit: string; amount: number }>(
      `select debit, amount::int from ledger_transfer
        where transaction_id = $1 and 'PROVIDER_FEES' in (debit, credit) order by created_at, source_id`,
      [uuidOfPublicId('txn', id)],
    );
    expect(booked.map(({ debit, amount }) => [debit, amount])).toEqual([
      ['PROVIDER_FEES', 1500],
      ['PROVIDER_FEES', 500],
      ['PROVIDER_RECEIVABLE', 1500],
    ]);
  });

  test('with money reinstated while the answer is under way leaves the dispute SUBMITTED', async () => {
    const id = await paid();
    await report(disputeOf(id, { status: 'SUBMITTED' }));
    const reinstated = { reference: 'm2', direction: 'REINSTATED', amount: 1000, currency: 'USD' } as const;
    await report(disputeOf(id, { status: 'SUBMITTED', movements: [...disputeOf(id).movements, reinstated] }));
    expect(await rowsOf(id)).toMatchObject([{ status: 'SUBMITTED', amount_withdrawn: 0 }]);
  });
});

describe('a refund', () => {
  test('that was not sent and no longer fits fails when a dispute arrives; one that was sent stays', async () => {
    const id = await paid();
    let answer: (() => void) | undefined;
    node.provider.answer = (_verb, { key }) =>
      new Promise((resolve) => {
        answer = () => resolve({ kind: 'succeeded', reference: `ref-${key}` });
      });
    const sent = await node.refund({ transactionId: id, amount: 400 }, one);
    await eventually('it is sent', async () => answer !== undefined);
    // Nothing further is claimed.
    const stopped = node.dispatcher.stop();
    const unsent = await node.refund({ transactionId: id, amount: 600 }, one);
    await report(disputeOf(id));
    const [first, second] = await refundsOf(id);
    expect(first).toMatchObject({ amount: sent.amount, status: 'PROCESSING', failure_code: null });
    expect(second).toMatchObject({ amount: unsent.amount, status: 'FAILED', failure_code: 'payment_disputed' });
    expect(await eventsOf(unsent.id)).toEqual(['refund.created', 'refund.failed']);
    expect(await discrepanciesOf(id)).toMatchObject([{ kind: 'OVERDRAWN', state: 'OPEN', amount: 400 }]);
    answer?.();
    await stopped;
    expect(await node.find(id, one)).toMatchObject({ amount_refunded: 400, amount_refund_held: 400 });
  });
});

describe('fifty concurrent refunds and a dispute that arrives', () => {
  test.each(['before', 'among', 'after'] as const)(
    '%s them never give more than is left, of what Florin sends',
    async (order) => {
      const id = await paid();
      // A busy machine refuses some, which can be sent again at once.
      const refund = (): Promise<number | string> =>
        node.refund({ transactionId: id, amount: 50 }, one).then(
          () => 1,
          ({ type }: { type: string }) => (['overloaded', 'database_unavailable'].includes(type) ? refund() : type),
        );
      const disputed = disputeOf(id, {
        amount: 600,
        movements: [{ reference: 'm1', direction: 'WITHDRAWN', amount: 600, currency: 'USD' }],
      });
      const refunds = () => Array.from({ length: 50 }, refund);
      let results: (number | string)[];
      if (order === 'before') {
        await report(disputed);
        results = await Promise.all(refunds());
      } else if (order === 'among') {
        const some = Array.from({ length: 25 }, refund);
        const arriving = report(disputed);
        results = await Promise.all([...some, ...Array.from({ length: 25 }, refund)]);
        await arriving;
      } else {
        results = await Promise.all(refunds());
        await report(disputed);
      }
      await eventually('every refund has ended', async () =>
        (await refundsOf(id)).every(({ status }) => status !== 'PENDING' && status !== 'PROCESSING'),
      );
      const payment = await node.find(id, one);
      const given = (await refundsOf(id)).filter(({ status }) => status === 'SUCCESS');
      expect(given.reduce((sum, { amount }) => sum + amount, 0)).toBe(payment.amount_refunded);
      expect(payment.amount_refund_held).toBe(payment.amount_refunded);
      expect(results.filter((result) => result === 1)).toHaveLength((await refundsOf(id)).length);
      const over = payment.amount_refunded + 600 - 1000;
      const open = (await discrepanciesOf(id)).filter(({ state }) => state === 'OPEN');
      if (order === 'before') {
        expect(payment.amount_refunded).toBe(400);
        expect(results.filter((result) => result === 'payment_disputed')).toHaveLength(42);
      }
      // What was sent before the dispute was known stays, and is told.
      expect(open).toMatchObject(over > 0 ? [{ kind: 'OVERDRAWN', amount: over }] : []);
      const failed = (await refundsOf(id)).filter(({ status }) => status === 'FAILED');
      expect(new Set(failed.map(({ failure_code }) => failure_code))).toEqual(
        new Set(failed.length > 0 ? ['payment_disputed'] : []),
      );
    },
  );
});

describe('a refund made elsewhere', () => {
  const told = (id: string, changes: Partial<ProviderRefund> = {}): ProviderRefund => ({
    ...{ reference: `re-${id}`, chargeReference: charged(id), amount: 700, currency: 'USD', status: 'SUCCESS' },
    ...changes,
  });

  test('is recorded once, with its events, and counts like any other', async () => {
    const id = await paid();
    for (let i = 0; i < 2; i++) expect(await notices.applyRefund(channelId, told(id))).toBe('settled');
    const [refund] = await refundsOf(id);
    expect(await refundsOf(id)).toMatchObject([{ status: 'SUCCESS', origin: 'PROVIDER', amount: 700 }]);
    expect(await node.find(id, one)).toMatchObject({
      status: 'REFUNDED',
      amount_refunded: 700,
      amount_refund_held: 700,
    });
    const events = await eventsOf(`ref_${refund?.id.replaceAll('-', '')}`);
    expect(events).toEqual(['refund.created', 'refund.succeeded']);
    await expect(node.refund({ transactionId: id, amount: 301 }, one)).rejects.toMatchObject({
      type: 'refund_exceeds_payment',
    });
  });

  test('that takes more than was left is recorded nevertheless, and opens a discrepancy', async () => {
    const id = await paid();
    await node.refund({ transactionId: id, amount: 600 }, one);
    await eventually('it is refunded', async () => (await node.find(id, one)).amount_refunded === 600);
    await notices.applyRefund(channelId, told(id));
    expect(await node.find(id, one)).toMatchObject({ amount_refunded: 1300, amount_refund_held: 1300 });
    expect(await discrepanciesOf(id)).toMatchObject([{ kind: 'OVERDRAWN', state: 'OPEN', amount: 300 }]);
    await notices.applyRefund(channelId, told(id, { status: 'FAILED' }));
    expect(await node.find(id, one)).toMatchObject({
      status: 'REFUNDED',
      amount_refunded: 600,
      amount_refund_held: 600,
    });
    expect(await discrepanciesOf(id)).toMatchObject([{ state: 'AGREES' }]);
  });

  test('that is under way reserves its amount, and is given back or not', async () => {
    const id = await paid();
    await notices.applyRefund(channelId, told(id, { status: 'PROCESSING' }));
    expect(await node.find(id, one)).toMatchObject({ status: 'SUCCESS', amount_refunded: 0, amount_refund_held: 700 });
    await notices.applyRefund(channelId, told(id));
    expect(await node.find(id, one)).toMatchObject({ status: 'REFUNDED', amount_refunded: 700 });
  });

  test('that is one of ours is left alone', async () => {
    const id = await paid();
    await node.refund({ transactionId: id, amount: 700 }, one);
    await eventually('it is refunded', async () => (await node.find(id, one)).amount_refunded === 700);
    await notices.applyRefund(channelId, told(id, { reference: `ref-${id}-2` }));
    await notices.applyRefund(channelId, told(id, { key: `${id}-2` }));
    expect(await refundsOf(id)).toMatchObject([{ origin: null }]);
  });
});

describe('a dispute in another currency', () => {
  const euros = (id: string, directions: ('WITHDRAWN' | 'REINSTATED')[]) =>
    disputeOf(id, {
      ...{ amount: 900, currency: 'EUR' },
      movements: directions.map((direction, i) => ({ reference: `m${i}`, direction, amount: 900, currency: 'EUR' })),
    });

  test('opens a discrepancy, and no refund is taken until a person says what was withdrawn', async () => {
    const id = await paid();
    await report(euros(id, ['WITHDRAWN']));
    const [dispute] = await rowsOf(id);
    expect(dispute).toMatchObject({ currency: 'EUR', amount_withdrawn: 0 });
    expect(await discrepanciesOf(id)).toMatchObject([{ kind: 'OPERATION', state: 'OPEN', amount: 900 }]);
    await expect(node.refund({ transactionId: id, amount: 1 }, one)).rejects.toMatchObject({
      type: 'payment_disputed',
    });
    await db.database.transaction(async (transaction) => {
      const funds = { tenantId: 1, disputeId: dispute?.id as string, amount: 980 };
      await disputeFundsOf(deps).book(transaction, funds);
      await transaction.run({
        name: '',
        text: `update discrepancy set state = 'CLOSED', closed_at = now(), closed_by = 7`,
      } as never);
    });
    expect(await node.find(id, one)).toMatchObject({ amount_disputed: 980 });
    await node.refund({ transactionId: id, amount: 20 }, one);
    await report(euros(id, ['WITHDRAWN', 'REINSTATED']));
    expect(await node.find(id, one)).toMatchObject({ amount_disputed: 0 });
    expect(await discrepanciesOf(id)).toMatchObject([{ kind: 'OPERATION', state: 'CLOSED' }]);

    await report(euros(id, ['WITHDRAWN', 'REINSTATED', 'WITHDRAWN']));
    expect(await discrepanciesOf(id)).toMatchObject([{ state: 'CLOSED' }, { kind: 'OPERATION', state: 'OPEN' }]);
    await expect(node.refund({ transactionId: id, amount: 1 }, one)).rejects.toMatchObject({
      type: 'payment_disputed',
    });
    const again = { tenantId: 1, disputeId: dispute?.id as string, amount: 970 };
    await db.database.transaction((transaction) => disputeFundsOf(deps).book(transaction, again));
    expect(await node.find(id, one)).toMatchObject({ amount_disputed: 970 });
    await db.query(`update discrepancy set state = 'CLOSED', closed_at = now(), closed_by = 7`);
  });
});
