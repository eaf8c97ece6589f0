import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf, makeChannel } from '../support/factories.ts';
import { seededRandom } from '../support/faults/kills.ts';
import { channelSecret } from '../support/payments/callbacks.ts';
import { type PayingNode, payingNode } from '../support/payments/paying-node.ts';
import { eventually } from '../support/postgres/database.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';

/**
 * Payments that are authorized first, with random captures, releases, cancellations and expiries, of which some race,
 * some answers are lost, and the service is killed nine times. In the end the money captured equals the provider's
 * books, payment by payment. `CAPTURE_RUNS` payments (5,000 by default), from the seed `CAPTURE_SEED`.
 */
const runs = Number(process.env.CAPTURE_RUNS ?? 5_000);
const seed = Number(process.env.CAPTURE_SEED ?? randomInt(1_000_000));
const kills = 9;
const inFlight = 16;
const amount = 1_000;
/** Look-ups come 5 s, 30 s and 5 min after a lost answer; a kill can end the answer and the first look-up. */
const endsWithinMs = 420_000;

let stripe: StripeSimulator;
let node: PayingNode;
let channelId: number;
let restarted: Promise<void> | undefined;

beforeAll(async () => {
  stripe = await startStripeSimulator({ webhookSecret: channelSecret });
  // A call that was in progress when the service was killed is looked up when its lease ends: 12 s instead of 50.
  node = await payingNode({ APP_PROVIDER_STRIPE_URL: stripe.url, APP_PROVIDER_TIMEOUT: '1s' });
  const channel = { provider: 'stripe', livemode: false, apiKey: simulatedApiKey, webhookSecret: channelSecret };
  channelId = await makeChannel(node.service, node.as, { ...channel, capture: 'MULTIPLE' });
});

afterAll(async () => {
  await node.close();
  await stripe.close();
});

interface Payment {
  id: string;
  status: string;
  amountCapturable: number;
  amountCaptured: number;
  providerReference: string | null;
}

let keys = 0;

/** Sends a request until it is answered, under one key. Refusals are answers. */
async function send(path: string, body: object): Promise<{ status: number; id: string | undefined }> {
  const headers = { 'idempotency-key': `drill-${++keys}` };
  return answered(async () => {
    const reply = await node.service.call('POST', path, { as: node.as, body, headers });
    return reply.status < 500 && reply.status !== 401 && { status: reply.status, id: reply.body.data?.id };
  });
}

const detail = (id: string): Promise<Payment> =>
  answered(async () => {
    const { status, body } = await node.service.get(`/api/transaction/detail?id=${id}`, node.as);
    return status === 200 && body.data;
  });

/** Also while the service is killed and started again. */
function answered<Answer>(ask: () => Promise<Answer | false>): Promise<Answer> {
  return eventually(
    'the service answers',
    async () => {
      await restarted;
      return ask().catch(() => false as const);
    },
    endsWithinMs,
  );
}

const until = (id: string, holds: (payment: Payment) => boolean): Promise<Payment> =>
  eventually(
    `${id} goes on`,
    async () => {
      const payment = await detail(id);
      return holds(payment) && payment;
    },
    endsWithinMs,
  );

const isOver = ({ status }: Payment) => status !== 'PENDING' && status !== 'PROCESSING';

const capture = (id: string, random: () => number) => {
  const part = 1 + Math.floor(random() * 700);
  return send('/api/transaction/capture', { id, amount: part, final: random() < 0.3 });
};
const release = (id: string) => send('/api/transaction/release', { id });
const cancel = (id: string) => send('/api/transaction/update', { id, status: 'CANCELLED' });

/** One payment: some steps at random, of which two may race, and an end. */
async function run(random: () => number): Promise<Payment> {
  const input = { amount, currency: 'USD', channelId, paymentMethod: 'pm_card_visa', captureMethod: 'MANUAL' };
  const { id } = await send('/api/transaction/create', input);
  const { providerReference: intent } = await until(id as string, (one) => one.amountCapturable > 0 || isOver(one));
  const steps = Math.floor(random() * 4);
  for (let step = 0; step < steps; step++) {
    // Whether a request meets it shows only later.
    if (random() < 0.05) stripe.next(random() < 0.5 ? 'dropAfter' : 'dropBefore', /capture/).catch(() => {});
    await Promise.all(Array.from({ length: random() < 0.3 ? 2 : 1 }, () => act(id as string, intent, random)));
  }
  return end(id as string, random);
}

async function act(id: string, intent: string | null, random: () => number): Promise<void> {
  const drawn = random();
  if (drawn < 0.6) await capture(id, random);
  else if (drawn < 0.75) await release(id);
  else if (drawn < 0.9) await cancel(id);
  else if (intent !== null) expireAtStripe(intent);
}

/** The authorization ends at Stripe, if it has not ended, and an event tells of it. */
function expireAtStripe(intent: string): void {
  if (stripe.account.intent(intent).status !== 'requires_capture') return;
  stripe.account.expireAuthorization(intent);
  const type =
    stripe.account.intent(intent).status === 'canceled' ? 'payment_intent.canceled' : 'payment_intent.succeeded';
  const { headers, body } = stripe.callback(type, intent);
  node.service.call('POST', `/api/callback/${channelId}`, { headers, body: body.toString() }).catch(() => {});
}

/** What is left is captured, released or cancelled, as often as it takes. */
async function end(id: string, random: () => number): Promise<Payment> {
  return eventually(
    `${id} ends`,
    async () => {
      const payment = await detail(id);
      if (isOver(payment)) return payment;
      if (payment.amountCapturable > 0) {
        const ends = payment.amountCaptured > 0 ? [release] : [cancel];
        const all = [...ends, (one: string) => send('/api/transaction/capture', { id: one })];
        await all[Math.floor(random() * all.length)]?.(id);
      }
      return false;
    },
    endsWithinMs,
  ).catch(async (cause) => {
    throw new Error(`${id} does not end: ${await timelinesIn([id])}`, { cause });
  });
}

test(`money captured equals the provider's books (seed ${seed})`, { timeout: 3_600_000 }, async () => {
  const random = seededRandom(seed);
  const killAfter = Array.from({ length: kills }, (_, i) => Math.floor(((i + 1) * runs) / (kills + 1)));
  const ended: Payment[] = [];
  let begun = 0;
  const worker = async () => {
    while (begun < runs) {
      begun++;
      const own = seededRandom(Math.floor(random() * 2 ** 31));
      ended.push(await run(own));
      if (killAfter[0] !== undefined && ended.length >= killAfter[0]) {
        killAfter.shift();
        restarted = node.service.end('SIGKILL').then(() => node.start());
        await restarted;
      }
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  expect(ended).toHaveLength(runs);

  const taken = new Map(stripe.charges.map((charge) => [charge.payment_intent, charge.amount_captured]));
  const differing = ended.filter(({ amountCaptured, providerReference, status }) => {
    const atProvider = taken.get(providerReference ?? '') ?? 0;
    return amountCaptured !== atProvider || (status === 'SUCCESS') !== atProvider > 0;
  });
  expect(differing).toEqual([]);
  const balances = dataOf(await node.service.get('/api/ledger/balance?livemode=false', node.as));
  const payable = balances.find(({ account }: { account: string }) => account === 'MERCHANT_PAYABLE');
  const inAll = ended.reduce((sum, { amountCaptured }) => sum + amountCaptured, 0);
  expect(Number(payable?.credit ?? 0)).toBe(inAll);
  const { broken } = await node.verified();
  expect(broken, await timelinesIn(broken)).toEqual([]);
});

/** What happened to the payments that a claim names. */
async function timelinesIn(broken: readonly string[]): Promise<string> {
  const ids = [...broken.join(' ').matchAll(/txn_[0-9a-f]{32}/g)].map(([id]) => id);
  const timelines = ids.map(async (id) =>
    dataOf(await node.service.get(`/api/transaction/timeline?id=${id}`, node.as)),
  );
  return JSON.stringify(await Promise.all(timelines), null, 1);
}
