import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hourMs, minuteMs } from '../../src/core/clock.ts';
import {
  callWith,
  cancelOperation,
  chargeOperation,
} from '../../src/domains/payments/providers/mollie/fixture/operations.ts';
import { MollieProvider } from '../../src/domains/payments/providers/mollie/mollie.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';
import { methodsThatNeed } from '../support/simulators/mollie-orders.ts';

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
  body: {
    id: string;
    status: unknown;
    method?: string;
    mandateId?: string;
    isCancelable?: boolean;
    field?: string;
    amountRemaining?: { value: string };
    amountChargedBack?: { value: string };
    count?: number;
    reason?: { code: string } | null;
    _links?: Record<string, unknown>;
    _embedded?: { methods: { id: string }[] };
  };
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
const euros = (value: string) => ({ currency: 'EUR', value });
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

  // https://docs.mollie.com/reference/create-payment, lines: the formulas of totalAmount and vatAmount
  test.each<[string, object]>([
    ['a total that is not price times quantity', { totalAmount: { currency: 'EUR', value: '9.99' } }],
    ['lines that do not add up to the amount', { unitPrice: euros('9.00'), totalAmount: euros('9.00') }],
    ['another currency', { unitPrice: { currency: 'USD', value: '10.00' } }],
    ['a VAT that is not the share of the total', { vatRate: '21.00', vatAmount: euros('2.10') }],
    ['a price below zero that is no discount', { unitPrice: euros('-10.00'), totalAmount: euros('-10.00') }],
  ])('%s is refused', async (_, facts) => {
    const line = { description: 'x', quantity: 1, unitPrice: order.amount, totalAmount: order.amount, ...facts };
    const { status, body } = await request('POST', '/payments', { ...order, lines: [line] });
    expect([status, body.field]).toEqual([422, 'lines']);
  });

  // https://docs.mollie.com/reference/create-payment, billingAddress
  test('an address has an e-mail address or is a whole postal one, and for pay-later methods both', async () => {
    const of = (billingAddress: object, facts = {}) =>
      request('POST', '/payments', { ...order, billingAddress, ...facts });
    expect((await of({ city: 'Amsterdam' })).body.field).toBe('billingAddress');
    expect((await of({ email: 'ada@example.org' })).status).toBe(201);
    const lines = [{ description: 'x', quantity: 1, unitPrice: order.amount, totalAmount: order.amount }];
    expect((await of({ email: 'ada@example.org' }, { method: 'klarna', lines })).body.field).toBe('billingAddress');
  });

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
    simulator.chargeBack(reference);
    expect(await read(reference)).toMatchObject({ amountChargedBack: { currency: 'EUR', value: '19.99' } });
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

describe('capturing', () => {
  // https://docs.mollie.com/reference/create-capture, https://docs.mollie.com/reference/get-capture
  test('only an authorized payment is captured, and is paid when its capture has succeeded', async () => {
    const { id } = await create({ method: 'creditcard', captureMode: 'manual' });
    const capture = () => request('POST', `/payments/${id}/captures`, {});
    expect((await capture()).status).toBe(422);
    simulator.authorize(id);
    expect(await capture()).toMatchObject({ status: 201, body: { status: 'pending', amount: order.amount } });
    expect(await read(id)).toMatchObject({ status: 'authorized' });
    simulator.capture(id);
    expect(await read(id)).toMatchObject({ status: 'paid', amountCaptured: order.amount });
  });

  // https://docs.mollie.com/reference/get-capture, status
  test('a capture may fail, and the payment stays authorized', async () => {
    const { id } = await create({ method: 'creditcard', captureMode: 'manual' });
    simulator.authorize(id);
    await request('POST', `/payments/${id}/captures`, {});
    simulator.failCapture(id);
    expect(await read(id)).toMatchObject({ status: 'authorized' });
  });
});

describe('methods that are kept', () => {
  const customer = async () => (await request('POST', '/customers', { name: 'Ada', email: 'ada@example.org' })).body.id;

  /** A paid first payment, with the id of its mandate. */
  async function first(customerId: string, method: string) {
    const { id } = await create({ customerId, sequenceType: 'first', method });
    simulator.pay(id);
    return (await read(id)) as Answer['body'] & { mandateId: string };
  }

  const { redirectUrl, ...withoutPage } = order;
  const recur = (facts: object) =>
    request('POST', '/payments', { ...withoutPage, sequenceType: 'recurring', ...facts });
  const mandate = (customerId: string, id: string) => request('GET', `/customers/${customerId}/mandates/${id}`);

  // https://docs.mollie.com/docs/recurring-payments
  test('a first payment needs a customer, and makes its mandate when it is paid', async () => {
    expect(await request('POST', '/payments', { ...order, sequenceType: 'first' })).toMatchObject({
      status: 422,
      body: { field: 'customerId' },
    });
    const customerId = await customer();
    const { id } = await create({ customerId, sequenceType: 'first', method: 'ideal' });
    expect(await read(id)).not.toHaveProperty('mandateId');
    simulator.pay(id);
    const { mandateId } = await read(id);
    expect(await mandate(customerId, mandateId as string)).toMatchObject({
      body: { method: 'directdebit', status: 'valid' },
    });
  });

  // https://help.mollie.com/hc/en-us/articles/214072489
  test('a bank transfer keeps nothing, so it is no first payment', async () => {
    const facts = { ...order, customerId: await customer(), sequenceType: 'first', method: 'banktransfer' };
    expect(await request('POST', '/payments', facts)).toMatchObject({ status: 422, body: { field: 'method' } });
  });

  // https://github.com/mollie/laravel-cashier-mollie/issues/70
  test('a mandate is pending until its IBAN is known, and can be charged meanwhile', async () => {
    const customerId = await customer();
    const { mandateId } = await first(customerId, 'belfius');
    expect(await mandate(customerId, mandateId)).toMatchObject({ body: { status: 'pending' } });
    expect((await recur({ customerId, mandateId })).status).toBe(201);
  });

  // https://docs.mollie.com/reference/create-payment, mandateId
  test('without the id of a mandate the newest is charged', async () => {
    const customerId = await customer();
    const card = await first(customerId, 'creditcard');
    const debit = await first(customerId, 'ideal');
    expect(await recur({ customerId })).toMatchObject({ body: { mandateId: debit.mandateId, status: 'pending' } });
    const named = await recur({ customerId, mandateId: card.mandateId });
    expect(named.body).toMatchObject({ mandateId: card.mandateId, status: 'paid', method: 'creditcard' });
  });

  // https://docs.mollie.com/docs/recurring-payments. Check: that a redirectUrl is refused, and not ignored.
  test('a recurring payment has no page and takes no redirectUrl', async () => {
    const customerId = await customer();
    const { mandateId } = await first(customerId, 'creditcard');
    expect((await recur({ customerId, mandateId })).body._links).not.toHaveProperty('checkout');
    expect(await recur({ customerId, mandateId, redirectUrl })).toMatchObject({
      status: 422,
      body: { field: 'redirectUrl' },
    });
  });

  // https://docs.mollie.com/reference/revoke-mandate, https://github.com/Viincenttt/MollieApi/issues/271.
  // Check: the status of a second revocation.
  test('a revoked mandate stays as invalid, is charged no longer, and sends no event', async () => {
    const customerId = await customer();
    const { mandateId } = await first(customerId, 'creditcard');
    const events = simulator.callbacks.length;
    const path = `/customers/${customerId}/mandates/${mandateId}`;
    expect((await request('DELETE', path)).status).toBe(204);
    expect(await request('GET', path)).toMatchObject({ status: 200, body: { status: 'invalid' } });
    expect((await recur({ customerId, mandateId })).status).toBe(422);
    expect((await request('DELETE', path)).status).toBe(404);
    expect(simulator.callbacks).toHaveLength(events);
  });

  // https://docs.mollie.com/reference/delete-customer, https://github.com/mollie/mollie-api-php/issues/130.
  // Check: 410, where the document names 404.
  test('deleting a customer ends its mandates, and sends no event', async () => {
    const customerId = await customer();
    const { mandateId } = await first(customerId, 'creditcard');
    const events = simulator.callbacks.length;
    expect((await request('DELETE', `/customers/${customerId}`)).status).toBe(204);
    expect((await request('GET', `/customers/${customerId}`)).status).toBe(410);
    expect((await mandate(customerId, mandateId)).status).toBe(410);
    expect((await recur({ customerId, mandateId })).status).toBe(422);
    expect(simulator.callbacks).toHaveLength(events);
  });

  // https://docs.mollie.com/reference/create-mandate
  test('mandates without a payment exist only for IBANs and PayPal agreements', async () => {
    const path = `/customers/${await customer()}/mandates`;
    const facts = { consumerName: 'Ada', consumerAccount: 'NL55INGB0000000000' };
    expect((await request('POST', path, { ...facts, method: 'directdebit' })).status).toBe(201);
    expect(await request('POST', path, { ...facts, method: 'creditcard' })).toMatchObject({
      status: 422,
      body: { field: 'method' },
    });
    const paypal = { consumerName: 'Ada', method: 'paypal', paypalBillingAgreementId: 'B-1' };
    expect(await request('POST', path, paypal)).toMatchObject({ status: 422, body: { field: 'consumerEmail' } });
    expect((await request('POST', path, { ...paypal, consumerEmail: 'ada@example.org' })).status).toBe(201);
  });

  // https://help.mollie.com/hc/en-us/articles/214072489, https://docs.mollie.com/reference/list-methods
  test('a first payment of 0.00 is taken with cards and PayPal only', async () => {
    const customerId = await customer();
    const nothing = { ...order, amount: { currency: 'EUR', value: '0.00' }, customerId, sequenceType: 'first' };
    expect((await request('POST', '/payments', { ...nothing, method: 'creditcard' })).status).toBe(201);
    expect(await request('POST', '/payments', { ...nothing, method: 'ideal' })).toMatchObject({ status: 422 });
    const oneoff = { ...nothing, sequenceType: 'oneoff', method: 'creditcard' };
    expect((await request('POST', '/payments', oneoff)).status).toBe(422);
    const listed = await request('GET', '/methods?sequenceType=first&amount[value]=0.00&amount[currency]=EUR');
    expect(listed.body._embedded?.methods.map(({ id }) => id)).toEqual(['creditcard', 'paypal']);
  });

  // https://docs.mollie.com/docs/recurring-payments: a debit takes days, and its bank may return it.
  test('a direct debit is pending for days and may fail then; it can be cancelled while it is pending', async () => {
    const customerId = await customer();
    const { mandateId } = await first(customerId, 'ideal');
    const { id } = (await recur({ customerId, mandateId })).body;
    expect(await read(id)).toMatchObject({ status: 'pending', isCancelable: true });
    simulator.returnDebit(id, 'AM04');
    expect(await read(id)).toMatchObject({ status: 'failed', details: { bankReasonCode: 'AM04' } });
  });
});

describe('chargebacks', () => {
  async function chargedBack(facts = {}) {
    const { id } = await create();
    simulator.pay(id);
    return { id, chargeback: simulator.chargeBack(id, facts).id };
  }

  const chargebacksOf = async (id: string) => (await request('GET', `/payments/${id}/chargebacks`)).body;

  // https://docs.mollie.com/reference/get-chargeback
  test('a chargeback has neither status nor deadline nor mode, and nothing answers it', async () => {
    const { id, chargeback } = await chargedBack();
    const { body } = await request('GET', `/payments/${id}/chargebacks/${chargeback}`);
    expect(Object.keys(body).sort()).toEqual([
      '_links',
      'amount',
      'createdAt',
      'id',
      'paymentId',
      'reason',
      'resource',
      'reversedAt',
    ]);
    expect((await chargebacksOf(id)).count).toBe(1);
  });

  // https://docs.mollie.com/reference/get-chargeback, `reason`
  test('only a chargeback of a direct debit has a reason', async () => {
    const card = await chargedBack();
    const debit = await chargedBack({ code: 'AC04' });
    const reasonOf = async ({ id, chargeback }: typeof card) =>
      (await request('GET', `/payments/${id}/chargebacks/${chargeback}`)).body.reason;
    expect(await reasonOf(card)).toBeNull();
    expect(await reasonOf(debit)).toMatchObject({ code: 'AC04' });
  });

  // https://github.com/mollie/laravel-mollie/issues/147, https://github.com/laravel/cashier-mollie/issues/157. Check: the
  // webhook is called for a reversal too, and `amountChargedBack` is gone then.
  test('the webhook of the payment is called again, whose status stays paid', async () => {
    const { id, chargeback } = await chargedBack({ value: '4.00' });
    expect(await read(id)).toMatchObject({ status: 'paid', amountChargedBack: { value: '4.00' } });
    simulator.reverseChargeback(chargeback);
    expect((await read(id)).amountChargedBack).toBeUndefined();
    expect((await read(id)).status).toBe('paid');
  });

  // https://docs.adyen.com/risk-management/chargeback-guidelines/sepa-chargebacks: a bank may ignore a refund.
  test('a refunded payment can still be charged back', async () => {
    const { id } = await create();
    simulator.pay(id);
    simulator.refundInDashboard(id);
    simulator.chargeBack(id);
    expect(await read(id)).toMatchObject({ amountRefunded: { value: '10.00' }, amountChargedBack: { value: '10.00' } });
  });
});
