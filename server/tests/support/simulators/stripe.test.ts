import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '../webhooks/receiver.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from './stripe.ts';

let simulator: StripeSimulator;

beforeAll(async () => {
  simulator = await startStripeSimulator();
});
afterAll(() => simulator.close());

const form = { amount: '1999', currency: 'usd', confirm: 'true', payment_method: 'pm_card_visa' };

async function post(path: string, fields: Record<string, string>, key?: string) {
  const response = await fetch(simulator.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${simulatedApiKey}`, ...(key !== undefined && { 'idempotency-key': key }) },
    body: new URLSearchParams(fields),
  });
  const body = (await response.json()) as { id: string; error: { type: string; code?: string; param?: string } };
  return { status: response.status, replayed: response.headers.get('idempotent-replayed'), body };
}

test('a repeated key gets the stored answer, and is refused with other parameters', async () => {
  const first = await post('/v1/payment_intents', form, 'key-1');
  expect(first).toMatchObject({ status: 200, replayed: null });
  expect(await post('/v1/payment_intents', form, 'key-1')).toEqual({ ...first, replayed: 'true' });
  expect(await post('/v1/payment_intents', { ...form, amount: '2000' }, 'key-1')).toMatchObject({
    status: 400,
    body: { error: { type: 'idempotency_error' } },
  });
  expect(simulator.charges.filter(({ payment_intent }) => payment_intent === first.body.id)).toHaveLength(1);
  simulator.forgetKeys();
  expect((await post('/v1/payment_intents', form, 'key-1')).body.id).not.toBe(first.body.id);
});

test('a key in use is a conflict; a validation error frees its key, a decline does not', async () => {
  const stalled = simulator.next('stall');
  const first = post('/v1/payment_intents', form, 'key-2');
  await stalled;
  expect(await post('/v1/payment_intents', form, 'key-2')).toMatchObject({ status: 409 });
  simulator.resume();
  expect((await first).status).toBe(200);

  const red = { ...form, colour: 'red' };
  const unknown = await simulator.conformance.unchecked(() => post('/v1/payment_intents', red, 'key-3'));
  expect(unknown).toMatchObject({ status: 400, body: { error: { code: 'parameter_unknown', param: 'colour' } } });
  expect(await post('/v1/payment_intents', form, 'key-3')).toMatchObject({ status: 200, replayed: null });

  const declined = { ...form, payment_method: 'pm_card_chargeDeclined' };
  expect(await post('/v1/payment_intents', declined, 'key-4')).toMatchObject({ status: 402, replayed: null });
  expect(await post('/v1/payment_intents', declined, 'key-4')).toMatchObject({ status: 402, replayed: 'true' });
});

test('Stripe’s library reads all pages of a list and accepts the signatures', async () => {
  const { hostname: host, port } = new URL(simulator.url);
  const stripe = new Stripe(simulatedApiKey, { host, port, protocol: 'http', telemetry: false, maxNetworkRetries: 0 });
  for (let i = 0; i < 5; i++) await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
  const ids: string[] = [];
  for await (const { id } of stripe.paymentIntents.list({ limit: 2 })) ids.push(id);
  expect(ids).toEqual([...simulator.account.intents.keys()].toReversed());

  const [id = ''] = ids;
  const { headers, body } = simulator.callback('payment_intent.canceled', id);
  const event = stripe.webhooks.constructEvent(body, headers['stripe-signature'], simulator.webhookSecret);
  expect(event).toMatchObject({ object: 'event', type: 'payment_intent.canceled', data: { object: { id } } });
});

test('the simulator starts as a program, listens on the address that it prints, and posts its events', async () => {
  const file = fileURLToPath(new URL('./stripe.ts', import.meta.url));
  const receiver = await startReceiver();
  const received = new Promise<{ body: Buffer }>((resolve) => {
    receiver.answering = (post, _request, response) => {
      response.end();
      if (post.body.includes('payment_intent.succeeded')) resolve(post);
    };
  });
  const program = spawn(process.execPath, [file, '--port', '0', '--callback-url', receiver.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(program.stdout, 'data');
    const url = /http:\/\/[\d.:]+/.exec(String(line))?.[0];
    const authorization = `Bearer ${simulatedApiKey}`;
    const made = await fetch(`${url}/v1/payment_intents`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(form),
    });
    expect(made.status).toBe(200);
    expect((await fetch(`${url}/authenticate/pi_nobody`)).status).toBe(500);
    expect(JSON.parse((await received).body.toString())).toMatchObject({ type: 'payment_intent.succeeded' });
  } finally {
    program.kill();
    await receiver.close();
  }
});
