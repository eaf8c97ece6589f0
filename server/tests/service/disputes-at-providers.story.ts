import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { dayMs, hourMs, minuteMs } from '../../src/core/clock.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin, untilTaken } from '../support/service/florin.ts';
import { MollieSimulator, type SimulatedCallback } from '../support/simulators/mollie.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';
import type { SignedCallback } from '../support/simulators/stripe-records.ts';

/**
 * Disputes, money that comes back and refunds made elsewhere, at Stripe and at Mollie: from what happens there to
 * Florin's books, over HTTP. After each test the money in the books is the money at the provider.
 */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;
let stripeChannel: number;
let mollieChannel: number;
let skewMs = 0;
/** What Stripe has sent and nobody has delivered. */
const stripeEvents: SignedCallback[] = [];
const now = () => Date.now() + skewMs;
const settings = () => ({ APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url });

beforeAll(async () => {
  db = await databaseFromTemplate();
  const onEvent = (callback: SignedCallback) => stripeEvents.push(callback);
  stripe = await startStripeSimulator({ webhookSecret: channelSecret, clock: now, onEvent });
  mollie = await MollieSimulator.start({ now });
  florin = await florinOn(db, settings(), now);
  admin = await administratorOf(florin);
  const common = { livemode: false, webhookSecret: channelSecret };
  stripeChannel = await makeChannel(florin, admin, { ...common, provider: 'stripe', apiKey: simulatedApiKey });
  mollieChannel = await makeChannel(florin, admin, { ...common, provider: 'mollie', apiKey: 'test_simulated' });
  // New channels are found by a poll each minute; these are at once.
  await db.query(
    `insert into dispute_reading (channel_id, since, due_at)
     select unnest($1::bigint[]), $2, $2 on conflict do nothing`,
    [[stripeChannel, mollieChannel], new Date(now())],
  );
  await eventually('the lists of both channels are read', () => listsAreRead());
});

afterEach(() => {
  stripeEvents.length = 0;
});

afterAll(async () => {
  await florin.stop();
  await mollie.close();
  await stripe.close();
  await db.drop();
});

// Runs before the one above.
afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
});

type Fields = Record<string, unknown>;
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const listOf = async (noun: string, id: string): Promise<Fields[]> =>
  dataOf(await florin.get(`/api/${noun}/list?transactionId=${id}`, admin));
const refund = (transactionId: string, input: Fields = {}) =>
  untilTaken(() => florin.post('/api/refund/create', { transactionId, ...input }, admin));

/** The dispute of a payment that is like this, once there is one. */
const disputeOf = (id: string, like: Fields = {}): Promise<Fields> =>
  eventually(`a dispute is ${JSON.stringify(like)}`, async () =>
    (await listOf('dispute', id)).find((one) => Object.entries(like).every(([name, value]) => one[name] === value)),
  );

const eventsOf = async (id: unknown): Promise<string[]> => {
  const rows = await db.query<{ type: string }>('select type from event where object_id = $1 order by id', [id]);
  return rows.map(({ type }) => type);
};

/** What an account holds for a payment: debits less credits. */
async function balanceOf(account: string, id: string): Promise<number> {
  const entries = dataOf(await florin.get(`/api/ledger/entries?transactionId=${id}&account=${account}`, admin));
  return entries.reduce(
    (sum: number, { side, amount }: { side: string; amount: number }) => sum + (side === 'DEBIT' ? amount : -amount),
    0,
  );
}

async function paidAtStripe(): Promise<{ id: string; reference: string }> {
  const id = await makePayment(florin, admin, stripeChannel, { paymentMethod: 'pm_card_visa' });
  await eventually('it is paid', async () => (await payment(id)).status === 'SUCCESS');
  stripeEvents.length = 0;
  return { id, reference: (await payment(id)).providerReference };
}

async function paidAtMollie(): Promise<{ id: string; reference: string }> {
  const id = await makePayment(florin, admin, mollieChannel, { currency: 'EUR' });
  const reference = await eventually('the payer is sent to Mollie', async () => {
    const { nextAction, providerReference } = await payment(id);
    return nextAction !== null && (providerReference as string);
  });
  mollie.pay(reference);
  await toldByMollie();
  await eventually('it is paid', async () => (await payment(id)).status === 'SUCCESS');
  return { id, reference };
}

/** Delivers what Stripe has sent. It signs a message at each attempt. */
const toldByStripe = async (callbacks: SignedCallback[] = stripeEvents.splice(0)) => {
  for (const callback of callbacks) {
    const { headers, body } = stripe.sign(JSON.parse(callback.body.toString()));
    const sent = { headers, body: body.toString() };
    const reply = await untilTaken(() => florin.call('POST', `/api/callback/${stripeChannel}`, sent));
    expect(reply.status).toBe(200);
  }
};

const toldByMollie = async ({ url, headers, body } = mollie.callbacks.at(-1) as SimulatedCallback) => {
  const path = url === '' ? `/api/callback/${mollieChannel}` : new URL(url).pathname + new URL(url).search;
  expect((await untilTaken(() => florin.call('POST', path, { headers, body }))).status).toBe(200);
};

/** The hourly reading of the lists, of both channels. */
async function listed(): Promise<void> {
  skewMs += hourMs + minuteMs;
  // Logins end after a day.
  admin = await administratorOf(florin);
  const begun = now();
  await eventually('the lists are read', async () => {
    if (await listsAreRead(begun)) return true;
    // A list that is claimed while the reading before is still in flight would be due ten minutes later.
    const values = [new Date(now()), new Date(begun + 30 * minuteMs)];
    await db.query('update dispute_reading set due_at = $1 where due_at > $1 and due_at < $2', values);
    return false;
  });
}

/** The daily reading of known disputes. Logins have ended by then. */
async function tomorrow(): Promise<void> {
  skewMs += dayMs + minuteMs;
  admin = await administratorOf(florin);
}

/** Whether the lists of both channels were read to their end since then: they are due again in an hour. */
async function listsAreRead(begunMs = 0): Promise<boolean> {
  const rows = await db.query<{ due_at: string }>('select due_at from dispute_reading where began_at is null');
  return rows.length === 2 && rows.every(({ due_at }) => Date.parse(due_at) >= begunMs + 30 * minuteMs);
}

describe('at Stripe', () => {
  const disputes = () => stripe.account.disputes;
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    Buffer.from('pixels'),
    Buffer.from([0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]),
  ]);

  /** A dispute that has arrived, and that Florin knows. */
  async function disputed(facts = {}) {
    const { id, reference } = await paidAtStripe();
    const dispute = disputes().open(reference, facts);
    await toldByStripe();
    return { id, reference, dispute, record: await disputeOf(id) };
  }

  /** What Stripe's balance has lost by the disputes of a payment. */
  const withdrawnAtStripe = (reference: string) =>
    disputes()
      .all.filter((dispute) => dispute.payment_intent === reference)
      .flatMap((dispute) => dispute.balance_transactions)
      .reduce((sum, { amount }) => sum - amount, 0);

  const draft = (id: unknown, evidence: Fields) => florin.post('/api/dispute/evidence', { id, evidence }, admin);

  test('a dispute is created, its evidence is drafted and submitted with a file, and it is won', async () => {
    const { id, reference, dispute, record } = await disputed({ reason: 'product_not_received' });
    expect(record).toMatchObject({
      providerReference: dispute.id,
      stage: 'CHARGEBACK',
      status: 'OPEN',
      amountWithdrawn: 1999,
      fee: { amount: 1500, currency: 'USD' },
      reason: 'not_received',
      actions: ['SUBMIT', 'ACCEPT'],
    });
    expect(await balanceOf('DISPUTED', id)).toBe(1999);
    dataOf(await draft(record.id, { product_description: 'A chess board', customer_name: 'Ada' }));
    const file = await fetch(`${florin.address}/api/dispute/file?id=${record.id}&name=receipt`, {
      method: 'POST',
      headers: { authorization: admin, 'content-type': 'image/png' },
      body: new Uint8Array(png),
    });
    expect(await file.json()).toMatchObject({ data: { name: 'receipt', type: 'image/png', bytes: png.length } });
    dataOf(await florin.post('/api/dispute/submit', { id: record.id }, admin));
    await disputeOf(id, { status: 'SUBMITTED' });
    expect(dispute.evidence).toMatchObject({ product_description: 'A chess board', customer_name: 'Ada' });
    expect(disputes().files.get(dispute.evidence.receipt as string)).toMatchObject({ size: png.length, type: 'png' });
    expect(dispute.evidence_details.submission_count).toBe(1);
    const again = await florin.post('/api/dispute/submit', { id: record.id }, admin);
    expect(again).toMatchObject({ status: 409, body: { error: { type: 'dispute_not_answerable' } } });

    disputes().decide(dispute.id, 'won', { feeGivenBack: 1500 });
    await toldByStripe();
    const won = await disputeOf(id, { status: 'WON', amountWithdrawn: 0 });
    expect(won).toMatchObject({ actions: [], fee: { amount: 0, currency: 'USD' } });
    expect(await balanceOf('DISPUTED', id)).toBe(withdrawnAtStripe(reference));
    const types = await eventsOf(record.id);
    expect(types.slice(0, 3)).toEqual(['dispute.created', 'dispute.funds_withdrawn', 'dispute.updated']);
    expect(types.slice(3).sort()).toEqual(['dispute.funds_reinstated', 'dispute.won']);
    expect((await refund(id)).status).toBe(200);
  });

  test('a dispute is lost, and another is accepted', async () => {
    const lost = await disputed();
    expect(await refund(lost.id)).toMatchObject({ status: 409, body: { error: { type: 'payment_disputed' } } });
    disputes().decide(lost.dispute.id, 'lost');
    await toldByStripe();
    await disputeOf(lost.id, { status: 'LOST', amountWithdrawn: 1999 });
    expect(await payment(lost.id)).toMatchObject({ status: 'SUCCESS', amountDisputed: 1999 });

    const accepted = await disputed();
    dataOf(await florin.post('/api/dispute/accept', { id: accepted.record.id }, admin));
    await eventually('Stripe has closed it', () => accepted.dispute.status === 'lost');
    await toldByStripe();
    await disputeOf(accepted.id, { status: 'LOST' });
  });

  test('an inquiry takes nothing and can be refunded; one that goes on takes what is left', async () => {
    const { id, reference, dispute, record } = await disputed({ isInquiry: true });
    expect(record).toMatchObject({ stage: 'INQUIRY', amountWithdrawn: 0, actions: ['SUBMIT'] });
    dataOf(await refund(id, { amount: 500 }));
    await eventually('it is refunded', async () => (await payment(id)).amountRefunded === 500);
    dispute.amount = 1499;
    disputes().escalate(dispute.id);
    await toldByStripe();
    await disputeOf(id, { stage: 'CHARGEBACK', status: 'OPEN', amountWithdrawn: 1499 });
    expect(await balanceOf('DISPUTED', id)).toBe(withdrawnAtStripe(reference));
    expect(await listOf('discrepancy', id)).toEqual([]);
  });

  test('several disputes of one payment are booked once each, whatever the order of repeated events', async () => {
    const { id, reference } = await paidAtStripe();
    const opened = [700, 600].map((amount) => disputes().open(reference, { amount }));
    disputes().decide(opened[0]?.id as string, 'won');
    const told = stripeEvents.splice(0);
    await toldByStripe([...told.toReversed(), ...told]);
    await disputeOf(id, { providerReference: opened[0]?.id, status: 'WON' });
    await disputeOf(id, { providerReference: opened[1]?.id, status: 'OPEN' });
    expect(await listOf('dispute', id)).toHaveLength(2);
    expect(await balanceOf('DISPUTED', id)).toBe(600);
    expect(withdrawnAtStripe(reference)).toBe(600);
  });

  test('without any callback the hourly list tells of it, of what became of it, and of warnings', async () => {
    const { id, reference } = await paidAtStripe();
    const dispute = disputes().open(reference);
    await listed();
    const record = await disputeOf(id);
    disputes().decide(dispute.id, 'lost');
    disputes().warn(reference);
    await listed();
    await disputeOf(id, { status: 'LOST' });
    expect(await eventsOf(record.id)).toContain('dispute.lost');
    expect((await payment(id)).fraudWarningTime).toMatch(/^\d{4}-/);
    stripeEvents.length = 0;
  });

  test('where the key may not read events, the daily reading tells what became of it', async () => {
    stripe.mayNotReadEvents = true;
    const { id, reference } = await paidAtStripe();
    const dispute = disputes().open(reference);
    await listed();
    await disputeOf(id);
    disputes().decide(dispute.id, 'won');
    await tomorrow();
    await disputeOf(id, { status: 'WON', amountWithdrawn: 0 });
    stripe.mayNotReadEvents = false;
    stripeEvents.length = 0;
  });

  test.each([
    [
      'a bank that returns a debit',
      (reference: string) => {
        disputes().returnDebit(reference, 'insufficient_funds');
      },
    ],
    [
      'a charge that fails',
      (reference: string) => {
        disputes().failDebit(reference, 'insufficient_funds');
      },
    ],
  ])('%s after it succeeded takes the money back at once, once, and SUCCESS stays', async (_, comeBack) => {
    const { id, reference } = await paidAtStripe();
    comeBack(reference);
    const told = stripeEvents.splice(0);
    await toldByStripe([...told, ...told]);
    const record = await disputeOf(id, { status: 'LOST' });
    expect(record).toMatchObject({ reason: 'returned', respondBy: null, actions: [], amountWithdrawn: 1999 });
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS', amountDisputed: 1999 });
    await listed();
    expect(await listOf('dispute', id)).toHaveLength(1);
    expect(await balanceOf('DISPUTED', id)).toBe(1999);
  });

  test('a dispute in another currency is booked by what a person finds, and reversed when it is won', async () => {
    const { id, reference } = await paidAtStripe();
    const dispute = disputes().open(reference, { amount: 1800 });
    const [booking] = dispute.balance_transactions;
    Object.assign(dispute, { currency: 'eur' });
    Object.assign(booking as object, { currency: 'eur' });
    await toldByStripe();
    await disputeOf(id, { currency: 'EUR', amount: 1800, amountWithdrawn: 0 });
    const [discrepancy] = await listOf('discrepancy', id);
    const record = await disputeOf(id);
    expect(discrepancy).toMatchObject({ kind: 'OPERATION', operation: null, disputeId: record.id, state: 'OPEN' });
    expect(await refund(id, { amount: 1 })).toMatchObject({
      status: 409,
      body: { error: { type: 'payment_disputed' } },
    });

    const close = (withdrawn?: number) =>
      florin.post('/api/discrepancy/close', { id: discrepancy?.id, note: 'It was 15.00 USD', withdrawn }, admin);
    expect((await close()).status).toBe(400);
    expect((await close(2000)).status).toBe(400);
    expect(dataOf(await close(1500))).toMatchObject({ state: 'CLOSED' });
    expect(await balanceOf('DISPUTED', id)).toBe(1500);
    expect(await payment(id)).toMatchObject({ amountDisputed: 1500 });
    expect((await refund(id, { amount: 500 })).body.error?.type).toBe('payment_disputed');

    disputes().decide(dispute.id, 'won');
    await toldByStripe();
    await disputeOf(id, { status: 'WON', amountWithdrawn: 0 });
    expect(await balanceOf('DISPUTED', id)).toBe(0);
    expect(await listOf('discrepancy', id)).toEqual([]);
    dataOf(await refund(id));
  });

  test('an early fraud warning is shown on the payment, and refunds nothing', async () => {
    const { id, reference } = await paidAtStripe();
    disputes().warn(reference);
    await toldByStripe();
    await eventually('it is warned', async () => (await payment(id)).fraudWarningTime !== null);
    expect(await payment(id)).toMatchObject({ status: 'SUCCESS', amountRefunded: 0, amountDisputed: 0 });
  });

  test('a node that dies between callback and reading leaves it to another, which books it once', async () => {
    const { id, reference } = await paidAtStripe();
    const dispute = disputes().open(reference);
    const stalled = stripe.next('stall', /^GET \/v1\/disputes/);
    await toldByStripe(stripeEvents.splice(0, 1));
    await stalled;
    // For the other node the lease has ended. The first one, which still waits, must not renew it.
    const other = await florinOn(db, settings(), () => now() + 5 * minuteMs);
    try {
      const record = await disputeOf(id);
      skewMs += 5 * minuteMs;
      stripe.resume();
      await toldByStripe();
      await eventually('all callbacks are settled', async () => {
        const rows = await db.query(`select from provider_callback where state = 'RECEIVED'`);
        return rows.length === 0;
      });
      expect(await balanceOf('DISPUTED', id)).toBe(1999);
      expect(await eventsOf(record.id)).toEqual(['dispute.created', 'dispute.funds_withdrawn']);
      expect(record.providerReference).toBe(dispute.id);
    } finally {
      await other.stop();
    }
  });
});

describe('at Mollie', () => {
  test('a chargeback is lost at once, and a reversal wins it: each movement is booked once', async () => {
    const { id, reference } = await paidAtMollie();
    const { id: chargeback } = mollie.chargeBack(reference, { value: '12.00', code: 'AM04' });
    await toldByMollie();
    await toldByMollie();
    const record = await disputeOf(id);
    expect(record).toMatchObject({
      providerReference: chargeback,
      stage: 'CHARGEBACK',
      status: 'LOST',
      reason: 'returned',
      providerReason: 'AM04',
      amountWithdrawn: 1200,
      respondBy: null,
      actions: [],
      evidenceFields: [],
    });
    for (const [verb, body] of [
      ['submit', {}],
      ['accept', {}],
      ['evidence', { evidence: { text: 'x' } }],
    ] as const) {
      const refused = await florin.post(`/api/dispute/${verb}`, { id: record.id, ...body }, admin);
      expect(refused, verb).toMatchObject({ status: 409, body: { error: { type: 'dispute_not_answerable' } } });
    }
    mollie.reverseChargeback(chargeback);
    await toldByMollie();
    await disputeOf(id, { status: 'WON', amountWithdrawn: 0 });
    expect(await balanceOf('DISPUTED', id)).toBe(0);
    expect(await eventsOf(record.id)).toEqual([
      'dispute.created',
      'dispute.funds_withdrawn',
      'dispute.lost',
      'dispute.funds_reinstated',
      'dispute.won',
    ]);
  });

  test.each(['event', 'bare', 'entity'] as const)('a signed %s tells of it too', async (form) => {
    const { id, reference } = await paidAtMollie();
    const { id: chargeback } = mollie.chargeBack(reference);
    await toldByMollie(mollie.signedCallback(chargeback, channelSecret, form));
    await disputeOf(id, { providerReference: chargeback, status: 'LOST', amountWithdrawn: 1999 });
  });

  test('without any callback the hourly list tells of it, and of its reversal', async () => {
    const { id, reference } = await paidAtMollie();
    const { id: chargeback } = mollie.chargeBack(reference);
    await listed();
    await disputeOf(id, { status: 'LOST' });
    skewMs += 9 * hourMs;
    mollie.reverseChargeback(chargeback);
    await listed();
    await disputeOf(id, { status: 'WON' });
  });

  test('a refund made elsewhere that takes hours is followed by the list alone', async () => {
    const { id, reference } = await paidAtMollie();
    const { id: made } = mollie.refundInDashboard(reference, '5.00');
    await listed();
    expect(await listOf('refund', id)).toMatchObject([{ amount: 500, origin: 'PROVIDER', status: 'PROCESSING' }]);
    for (let hours = 0; hours < 5; hours++) await listed();
    mollie.progressRefund(made, 'refunded');
    await listed();
    expect(await listOf('refund', id)).toMatchObject([{ amount: 500, origin: 'PROVIDER', status: 'SUCCESS' }]);
    expect(await payment(id)).toMatchObject({ amountRefunded: 500 });
  });

  test('a chargeback after a refund takes the money twice: it is booked, and a discrepancy warns', async () => {
    const { id, reference } = await paidAtMollie();
    dataOf(await refund(id, { amount: 1500 }));
    const made = await eventually('Mollie has the refund', () => mollie.payment(reference).refunds[0]?.id);
    mollie.progressRefund(made, 'refunded');
    await toldByMollie();
    await eventually('it is refunded', async () => (await payment(id)).amountRefunded === 1500);
    mollie.chargeBack(reference);
    await toldByMollie();
    await disputeOf(id, { amountWithdrawn: 1999 });
    expect(await payment(id)).toMatchObject({ amountRefunded: 1500, amountDisputed: 1999 });
    expect(await listOf('discrepancy', id)).toMatchObject([{ kind: 'OVERDRAWN', state: 'OPEN', amount: 1500 }]);
  });
});

/** What both providers do. */
const providers = [
  {
    name: 'Stripe',
    paid: paidAtStripe,
    told: () => toldByStripe(),
    /** Takes the whole of the payment. */
    dispute: (reference: string) => {
      stripe.account.disputes.open(reference, { amount: 1999 });
    },
    /** Of 500, somewhere else than in Florin. */
    refundElsewhere: (reference: string) =>
      stripe.account.createRefund({ payment_intent: reference, amount: '500' }).id,
    refundedThere: (reference: string) =>
      stripe.refunds
        .filter(({ payment_intent, status }) => payment_intent === reference && status !== 'failed')
        .reduce((sum, { amount }) => sum + amount, 0),
  },
  {
    name: 'Mollie',
    paid: paidAtMollie,
    told: () => toldByMollie(),
    dispute: (reference: string) => {
      mollie.chargeBack(reference);
    },
    refundElsewhere: (reference: string) => {
      const { id } = mollie.refundInDashboard(reference, '5.00');
      mollie.progressRefund(id, 'refunded');
      return id;
    },
    refundedThere: (reference: string) =>
      mollie
        .payment(reference)
        .refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled')
        .reduce((sum, { amount }) => sum + Math.round(Number(amount.value) * 100), 0),
  },
];

describe.each(providers)('at $name', ({ paid, told, dispute, refundElsewhere, refundedThere }) => {
  const fifty = (id: string) => Promise.all(Array.from({ length: 50 }, () => refund(id, { amount: 100 })));

  test('50 refunds after a dispute are all refused, and nothing is asked of the provider', async () => {
    const { id, reference } = await paid();
    dispute(reference);
    await told();
    await disputeOf(id);
    const replies = await fifty(id);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([409]));
    expect(new Set(replies.map(({ body }) => body.error.type))).toEqual(new Set(['payment_disputed']));
    expect(refundedThere(reference)).toBe(0);
    expect(await listOf('discrepancy', id)).toEqual([]);
  });

  test('of 50 refunds against an arriving dispute, what was sent stays and is booked, and all others end', async () => {
    const { id, reference } = await paid();
    const replies = fifty(id);
    // Both orders happen: some of them are created, and some of those are sent, before the dispute is known.
    dispute(reference);
    const callback = told();
    await Promise.all([replies, callback]);
    await disputeOf(id);
    const refunds = await eventually('no refund waits to be sent', async () => {
      const waiting = await db.query(
        `select from provider_operation where kind = 'REFUND' and state in ('READY', 'CALLING')`,
      );
      return (
        waiting.length === 0 &&
        (dataOf(await florin.get(`/api/refund/list?transactionId=${id}&pageSize=100`, admin)) as Fields[])
      );
    });
    const kept = refunds.filter(({ status }) => status !== 'FAILED');
    const sum = kept.reduce((all, { amount }) => all + (amount as number), 0);
    expect(sum).toBe(refundedThere(reference));
    expect(sum).toBeLessThanOrEqual(1999);
    // One that the provider has refused meanwhile ends it, an hour later at the latest.
    skewMs += hourMs + minuteMs;
    await eventually('a discrepancy is open if money was given back twice', async () => {
      const open = (await listOf('discrepancy', id)).filter(({ state }) => state === 'OPEN');
      return open.length === (sum > 0 ? 1 : 0);
    });
    expect(await balanceOf('DISPUTED', id)).toBe(1999);
    expect((await refund(id, { amount: 1 })).status).toBe(409);
  });

  test.each(['the callback', 'the list'])(
    'a refund made elsewhere is recorded once when %s tells it first',
    async (first) => {
      const { id, reference } = await paid();
      const made = refundElsewhere(reference);
      const recorded = () =>
        eventually('the refund is recorded', async () => {
          const [one] = await listOf('refund', id);
          return one?.status === 'SUCCESS' && one;
        });
      const steps = [told, listed];
      for (const step of first === 'the callback' ? steps : steps.toReversed()) {
        await step();
        await recorded();
      }
      await told();
      expect(await listOf('refund', id)).toMatchObject([
        { origin: 'PROVIDER', providerReference: made, amount: 500, status: 'SUCCESS', userId: null },
      ]);
      expect(await payment(id)).toMatchObject({ amountRefunded: 500 });
      expect(await balanceOf('REFUNDS', id)).toBe(500);
      expect((await refund(id, { amount: 1500 })).body.error?.type).toBe('refund_exceeds_payment');
    },
  );
});
