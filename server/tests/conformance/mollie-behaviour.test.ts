import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hourMs, minuteMs } from '../../src/core/clock.ts';
import {
  callWith,
  cancelOperation,
  chargeOperation,
} from '../../src/domains/payments/providers/mollie/fixture/operations.ts';
import { MollieProvider } from '../../src/domains/payments/providers/mollie/mollie.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';
import { methodsThatNeed } from '../support/simulators/mollie-records.ts';

/**
 * How Mollie behaves where no schema says it. Each fact has its source, and a test by which the simulator enforces it.
 * "Check" marks a fact that nobody here has seen at Mollie itself.
 */
let simulator: MollieSimulator;
let mollie: MollieProvider;
let nowMs = Date.now();

beforeAll(async () => {
  simulator = await MollieSimulator.start({ now: () => nowMs });
  mollie = new MollieProvider(simulator.url);
});
afterAll(() => simulator.close());

const call = callWith();
const { apiKey } = call.credentials;

interface Answer {
  status: number;
  replayed: string | null;
  body: { id: string; status: unknown; isCancelable?: boolean; field?: string; amountRemaining?: { value: string } };
}

async function request(method: string, path: string, body?: object, key?: string): Promise<Answer> {
  const response = await fetch(`${simulator.url}/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(key !== undefined && { 'idempotency-key': key }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const replayed = response.headers.get('idempotent-replayed');
  return { status: response.status, replayed, body: text === '' ? undefined : JSON.parse(text) };
}

const order = {
  amount: { currency: 'EUR', value: '10.00' },
  description: 'x',
  redirectUrl: 'https://shop.example.org',
};
const create = async (facts = {}) => (await request('POST', '/payments', { ...order, ...facts })).body;
const read = async (id: string) => (await request('GET', `/payments/${id}`)).body;

describe('cancelling', () => {
  // https://github.com/mollie/api-documentation/issues/675
  test.each([
    [undefined, false],
    ['ideal', false],
    ['creditcard', false],
    ['paypal', false],
    ['banktransfer', true],
  ])('an open payment by %s can be cancelled: %s', async (method, isCancelable) => {
    const { id } = await create(method && { method });
    expect(await read(id)).toMatchObject({ status: 'open', isCancelable });
    expect((await request('DELETE', `/payments/${id}`)).status).toBe(isCancelable ? 200 : 422);
    expect((await read(id)).status).toBe(isCancelable ? 'canceled' : 'open');
  });

  // https://docs.mollie.com/reference/release-authorization, https://github.com/mollie/mollie-api-node/issues/477
  test('an authorized payment is not cancelled but released, which is asynchronous and not guaranteed', async () => {
    const { id } = await create();
    expect((await request('POST', `/payments/${id}/release-authorization`)).status).toBe(422);
    simulator.authorize(id);
    expect((await request('DELETE', `/payments/${id}`)).status).toBe(422);
    expect(await request('POST', `/payments/${id}/release-authorization`)).toMatchObject({
      status: 202,
      body: undefined,
    });
    expect((await read(id)).status).toBe('authorized');
    simulator.release(id);
    expect((await read(id)).status).toBe('canceled');
  });

  test('a payer who has changed their mind gets another payment beside the first, which stays open', async () => {
    const first = chargeOperation();
    const { reference } = (await mollie.charge(first, call)) as { reference: string };
    expect((await mollie.cancel(cancelOperation({ ...first, reference }), call)).kind).toBe('failed');
    expect((await mollie.lookUp({ ...first, reference }, call)).kind).toBe('needs_payer');
    const second = (await mollie.charge(chargeOperation(), call)) as { reference: string };
    simulator.pay(second.reference);
    expect((await read(reference)).status).toBe('open');
  });
});

describe('creating', () => {
  // https://docs.mollie.com/reference/create-payment: lines, billingAddress, captureMode
  test.each(Object.entries(methodsThatNeed))('%s is required by some methods', async (field, needing) => {
    for (const method of needing) {
      const { status, body } = await request('POST', '/payments', { ...order, method, ...given(field) });
      expect({ status, field: body.field }).toEqual({ status: 422, field });
    }
  });

  /** Everything that a method can need, without one field. */
  function given(without: string): object {
    const line = { description: 'x', quantity: 1, unitPrice: order.amount, totalAmount: order.amount };
    const all: Record<string, unknown> = {
      lines: [line],
      billingAddress: { email: 'payer@example.org' },
      captureMode: 'manual',
      terminalId: 'term_1',
    };
    return Object.fromEntries(Object.entries(all).filter(([name]) => name !== without));
  }

  // https://docs.mollie.com/reference/create-payment, 503
  test('503 means that the method is down: no payment is made', async () => {
    const before = simulator.payments.length;
    const hit = simulator.fault({ when: 'before', how: 503 });
    const outcome = await mollie.charge(chargeOperation({ paymentMethod: 'ideal' }), call);
    await hit;
    expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'provider_unavailable' } });
    expect(simulator.payments).toHaveLength(before);
  });

  // https://github.com/mollie/mollie-api-node/issues/477
  test('testmode is refused with an API key, which has its mode', async () => {
    expect(await request('POST', '/payments', { ...order, testmode: true })).toMatchObject({
      status: 400,
      body: { field: 'testmode' },
    });
  });

  // Check: a one-off payment by direct debit needs a mandate.
  test('a direct debit needs a mandate', async () => {
    expect((await request('POST', '/payments', { ...order, method: 'directdebit' })).status).toBe(422);
  });
});

describe('idempotency keys', () => {
  // https://docs.mollie.com/reference/api-idempotency
  test('a key is kept for about an hour, with refusals too, and for POST only', async () => {
    const first = await request('POST', '/payments', order, 'key-1');
    nowMs += 59 * minuteMs;
    expect(await request('POST', '/payments', order, 'key-1')).toMatchObject({ replayed: 'true', body: first.body });
    nowMs += hourMs;
    expect((await request('POST', '/payments', order, 'key-1')).body.id).not.toBe(first.body.id);
    const wrong = { ...order, description: '' };
    expect((await request('POST', '/payments', wrong, 'key-2')).replayed).toBeNull();
    expect(await request('POST', '/payments', wrong, 'key-2')).toMatchObject({ status: 422, replayed: 'true' });
  });
});

describe('payments and refunds', () => {
  // https://docs.mollie.com/reference/get-payment
  test('a paid payment stays paid when its money is charged back or captured in part', async () => {
    const operation = chargeOperation();
    const { reference } = (await mollie.charge(operation, call)) as { reference: string };
    simulator.pay(reference);
    simulator.payment(reference).amountChargedBack = { currency: 'EUR', value: '19.99' };
    expect((await read(reference)).status).toBe('paid');
    expect((await mollie.lookUp({ ...operation, reference }, call)).kind).toBe('succeeded');
    simulator.payment(reference).amountCaptured = { currency: 'EUR', value: '5.00' };
    expect((await read(reference)).status).toBe('paid');
    expect(await mollie.lookUp({ ...operation, reference }, call)).toMatchObject({
      mismatch: { money: { amount: 500 } },
    });
  });

  // https://docs.mollie.com/reference/create-refund, 409
  test('a second refund of the same amount shortly afterwards is refused as a duplicate', async () => {
    const { id } = await create();
    simulator.pay(id);
    simulator.api.detectsDuplicateRefunds = true;
    const refund = { amount: { currency: 'EUR', value: '1.00' }, description: 'x', metadata: null };
    expect((await request('POST', `/payments/${id}/refunds`, refund)).status).toBe(201);
    expect((await request('POST', `/payments/${id}/refunds`, refund)).status).toBe(409);
    simulator.api.detectsDuplicateRefunds = false;
    expect((await read(id)).amountRemaining).toMatchObject({ value: '9.00' });
  });

  // https://docs.mollie.com/reference/webhooks
  test('a webhook of a payment says only its id, also for changes of its refunds', async () => {
    const { id } = await create({ webhookUrl: 'https://shop.example.org/hook' });
    simulator.pay(id);
    expect(simulator.callbacks.at(-1)).toMatchObject({ url: 'https://shop.example.org/hook', body: `id=${id}` });
  });
});
