import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makePayment } from '../support/factories.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/**
 * Every way in which a payment that is authorized first can end, at Stripe and at Mollie, over HTTP. After each test
 * the money in the books is the money at the provider.
 */
let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let stripe: StripeSimulator;
let mollie: MollieSimulator;
let stripeChannel: number;
let mollieChannel: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  stripe = await startStripeSimulator({
    webhookSecret: channelSecret,
    // A callback that comes before its channel, or that meets a busy operation, is sent again by the look-up.
    onEvent: ({ headers, body }) => {
      florin?.call('POST', `/api/callback/${stripeChannel}`, { headers, body: body.toString() }).catch(() => {});
    },
  });
  mollie = await MollieSimulator.start();
  florin = await florinOn(db, { APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_MOLLIE_URL: mollie.url });
  admin = await administratorOf(florin);
  const common = { livemode: false, webhookSecret: channelSecret, capture: 'MULTIPLE' };
  stripeChannel = await makeChannel(florin, admin, { ...common, provider: 'stripe', apiKey: simulatedApiKey });
  mollieChannel = await makeChannel(florin, admin, { ...common, provider: 'mollie', apiKey: 'test_simulated' });
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
const until = (id: string, like: Fields): Promise<Fields> =>
  eventually(`${id} is ${JSON.stringify(like)}`, async () => {
    const one = await payment(id);
    return Object.entries(like).every(([name, value]) => one[name] === value) && one;
  });
const capture = (id: string, input: Fields = {}) => florin.post('/api/transaction/capture', { id, ...input }, admin);
const release = (id: string) => florin.post('/api/transaction/release', { id }, admin);
const cancel = (id: string) => florin.post('/api/transaction/update', { id, status: 'CANCELLED' }, admin);
const eventsOf = async (id: string): Promise<string[]> => {
  const rows = await db.query<{ type: string }>('select type from event where object_id = $1 order by id', [id]);
  return rows.map(({ type }) => type.replace('transaction.', ''));
};

/** What the merchant is owed for a payment, by the ledger. */
async function booked(id: string): Promise<number> {
  const entries = dataOf(await florin.get(`/api/ledger/entries?transactionId=${id}&account=MERCHANT_PAYABLE`, admin));
  return entries.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0);
}

interface Authorized {
  id: string;
  reference: string;
}

async function authorizedAtStripe(): Promise<Authorized> {
  const input = { amount: 1000, captureMethod: 'MANUAL', paymentMethod: 'pm_card_visa' };
  const id = await makePayment(florin, admin, stripeChannel, input);
  const { providerReference } = await until(id, { amountCapturable: 1000 });
  return { id, reference: providerReference as string };
}

const toldByMollie = async (): Promise<void> => {
  const { url, headers, body } = mollie.callbacks.at(-1) as {
    url: string;
    headers: Record<string, string>;
    body: string;
  };
  const path = url === '' ? `/api/callback/${mollieChannel}` : new URL(url).pathname + new URL(url).search;
  expect((await florin.call('POST', path, { headers, body })).status).toBe(200);
};

async function authorizedAtMollie(): Promise<Authorized> {
  const input = { amount: 1000, currency: 'EUR', captureMethod: 'MANUAL', paymentMethod: 'creditcard' };
  const id = await makePayment(florin, admin, mollieChannel, input);
  const reference = await eventually('the payer is sent to Mollie', async () => {
    const { nextAction, providerReference } = await payment(id);
    return nextAction !== null && (providerReference as string);
  });
  mollie.authorize(reference);
  await toldByMollie();
  await until(id, { amountCapturable: 1000 });
  return { id, reference };
}

const isAsked = (reference: string) =>
  eventually('Mollie is asked to capture', () =>
    mollie.payment(reference).captures.some(({ status }) => status === 'pending'),
  );

const providers = [
  {
    name: 'Stripe',
    authorized: authorizedAtStripe,
    taken: (reference: string) =>
      stripe.charges.find(({ payment_intent }) => payment_intent === reference)?.amount_captured ?? 0,
    /** What was asked for is carried out, which Stripe does at once. */
    captured: async (_reference: string) => {},
    released: async (_reference: string) => {},
    failing: async (reference: string, act: () => Promise<void>) => {
      const body = JSON.stringify({
        error: { type: 'invalid_request_error', code: 'amount_too_large', message: 'Not now.' },
      });
      stripe.next({ status: 400, body }, new RegExp(`${reference}/capture`)).catch(() => {});
      await act();
    },
    expires: async (reference: string) => {
      stripe.account.expireAuthorization(reference);
    },
  },
  {
    name: 'Mollie',
    authorized: authorizedAtMollie,
    taken: (reference: string) =>
      mollie
        .payment(reference)
        .captures.filter(({ status }) => status === 'succeeded')
        .reduce((sum, { amount }) => sum + Math.round(Number(amount.value) * 100), 0),
    captured: async (reference: string) => {
      await isAsked(reference);
      mollie.capture(reference);
      await toldByMollie();
    },
    released: async (reference: string) => {
      await eventually('Mollie is asked to release', () => mollie.payment(reference).isReleasing);
      mollie.release(reference);
      await toldByMollie();
    },
    failing: async (reference: string, act: () => Promise<void>) => {
      await act();
      await isAsked(reference);
      mollie.failCapture(reference);
      await toldByMollie();
    },
    expires: async (reference: string) => {
      const isCaptured = mollie.payment(reference).amountCaptured !== undefined;
      // Mollie releases what is left of a payment that was captured in part.
      mollie.payment(reference).isReleasing = true;
      if (isCaptured) mollie.release(reference);
      else mollie.expire(reference);
      await toldByMollie();
    },
  },
];

describe.each(providers)('at $name', ({ authorized, taken, captured, released, failing, expires }) => {
  /** The payment when it is like this, after its money is compared with the provider's. */
  async function ended({ id, reference }: Authorized, like: Fields): Promise<Fields> {
    const one = await until(id, like);
    expect(one.amountCaptured).toBe(taken(reference));
    expect(await booked(id)).toBe(taken(reference));
    return one;
  }

  test('a capture of the whole takes it and ends the payment', async () => {
    const held = await authorized();
    expect(await booked(held.id)).toBe(0);
    dataOf(await capture(held.id));
    await captured(held.reference);
    await ended(held, { status: 'SUCCESS', amountCaptured: 1000, amountCapturable: 0 });
    expect((await eventsOf(held.id)).slice(-3)).toEqual(['authorized', 'captured', 'succeeded']);
  });

  test('several captures take their parts, and the last one ends the payment', async () => {
    const held = await authorized();
    dataOf(await capture(held.id, { amount: 300, final: false }));
    await captured(held.reference);
    await ended(held, { status: 'PROCESSING', amountCaptured: 300, amountCapturable: 700 });
    const tooMuch = await capture(held.id, { amount: 701 });
    expect(tooMuch).toMatchObject({ status: 409, body: { error: { type: 'capture_exceeds_authorization' } } });
    dataOf(await capture(held.id, { amount: 700, final: false }));
    await captured(held.reference);
    await ended(held, { status: 'SUCCESS', amountCaptured: 1000, amountCapturable: 0 });
  });

  test('a final capture of a part ends the payment when the rest is released', async () => {
    const held = await authorized();
    dataOf(await capture(held.id, { amount: 300 }));
    await captured(held.reference);
    await released(held.reference);
    await ended(held, { status: 'SUCCESS', amountCaptured: 300, amountCapturable: 0 });
    expect(await capture(held.id)).toMatchObject({ status: 409, body: { error: { type: 'not_capturable' } } });
  });

  test('a release after a capture ends the payment', async () => {
    const held = await authorized();
    dataOf(await capture(held.id, { amount: 300, final: false }));
    await captured(held.reference);
    await until(held.id, { amountCaptured: 300, amountCapturable: 700 });
    dataOf(await release(held.id));
    await released(held.reference);
    await ended(held, { status: 'SUCCESS', amountCaptured: 300, amountCapturable: 0 });
  });

  test('a capture that fails leaves the payment capturable as before', async () => {
    const held = await authorized();
    await failing(held.reference, async () => {
      dataOf(await capture(held.id, { amount: 300, final: false }));
    });
    await ended(held, { status: 'PROCESSING', amountCaptured: 0, amountCapturable: 1000 });
    expect((await eventsOf(held.id)).at(-1)).toBe('capture_failed');
    dataOf(await capture(held.id));
    await captured(held.reference);
    await ended(held, { status: 'SUCCESS', amountCaptured: 1000 });
  });

  test('a payment of which nothing was captured is cancelled at the provider', async () => {
    const held = await authorized();
    await cancel(held.id);
    await released(held.reference);
    await ended(held, { status: 'CANCELLED', amountCaptured: 0, amountCapturable: 0, failureCode: null });
  });

  test('an authorization that expires ends the payment without a failure', async () => {
    const held = await authorized();
    await expires(held.reference);
    await ended(held, { status: 'CANCELLED', failureCode: 'authorization_expired', amountCapturable: 0 });
  });

  test('an authorization that expires after a capture leaves what was captured', async () => {
    const held = await authorized();
    dataOf(await capture(held.id, { amount: 300, final: false }));
    await captured(held.reference);
    await until(held.id, { amountCaptured: 300, amountCapturable: 700 });
    await expires(held.reference);
    await ended(held, { status: 'SUCCESS', amountCaptured: 300, amountCapturable: 0, failureCode: null });
  });
});
