import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hourMs } from '../../src/core/clock.ts';
import { callWith, chargeOperation } from '../../src/domains/payments/providers/stripe/fixture/operations.ts';
import { StripeProvider } from '../../src/domains/payments/providers/stripe/stripe.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';
import { minimumAmounts } from '../support/simulators/stripe-rules.ts';

/**
 * How Stripe behaves where no schema says it. Each fact has its source, and a test by which the simulator enforces it.
 * "Check" marks a fact that nobody here has seen at Stripe itself.
 */
let simulator: StripeSimulator;
let stripe: StripeProvider;
let nowMs = Date.now();

let customer: string;
/** What saves a method for a customer. */
let saved: { customer: string; setup_future_usage: string };

beforeAll(async () => {
  simulator = await startStripeSimulator({ clock: () => nowMs });
  stripe = new StripeProvider(simulator.url, () => nowMs);
  customer = (await post('/v1/customers', { name: 'Jenny Rosen' })).body.id;
  saved = { customer, setup_future_usage: 'off_session' };
});
afterAll(() => simulator.close());

const call = callWith();

function post(path: string, fields: Record<string, string>, key?: string) {
  return send('POST', path, new URLSearchParams(fields), key);
}

async function send(method: string, path: string, body?: URLSearchParams, key?: string) {
  const response = await fetch(simulator.url + path, {
    method,
    headers: { authorization: `Bearer ${simulatedApiKey}`, ...(key !== undefined && { 'idempotency-key': key }) },
    ...(body && { body }),
  });
  const answer = (await response.json()) as { id: string; status: string; error?: Record<string, unknown> };
  return { status: response.status, replayed: response.headers.get('idempotent-replayed'), body: answer };
}

const form = { amount: '1999', currency: 'usd' };
const confirmed = (method: string, fields = {}) =>
  post('/v1/payment_intents', { ...form, confirm: 'true', payment_method: method, ...fields });
const lastIntent = () => [...simulator.account.intents.values()].at(-1);

/** The id of a payment method that was charged once, and belongs to a customer if one is named. */
async function chargedMethod(fields = {}, token = 'pm_card_visa'): Promise<string> {
  await confirmed(token, fields);
  return lastIntent()?.payment_method as string;
}

describe('payment methods', () => {
  // https://docs.stripe.com/payments/save-and-reuse, https://github.com/stripe/stripe-php/issues/1221
  test('a method that was confirmed once without a customer cannot be used again', async () => {
    const method = await chargedMethod();
    const again = await confirmed(method);
    expect(again).toMatchObject({ status: 400, body: { error: { type: 'invalid_request_error' } } });
    expect(again.body.error?.message).toMatch(/may not be used again/);
    const outcome = await stripe.charge(chargeOperation({ paymentMethod: method }), call);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'invalid_operation' } });
    expect(lastIntent()?.status).toBe('canceled');
  });

  // https://github.com/Automattic/woocommerce-payments/issues/323
  test('a declined attempt uses a method up as well', async () => {
    await confirmed('pm_card_chargeDeclined');
    const error = lastIntent()?.last_payment_error as { payment_method: { id: string } } | undefined;
    expect((await confirmed(error?.payment_method.id as string)).status).toBe(400);
  });

  // https://docs.stripe.com/payments/save-during-payment
  test('a method that was saved for its customer can be charged again with the customer', async () => {
    const method = await chargedMethod(saved);
    const again = await confirmed(method, { customer: saved.customer, off_session: 'true' });
    expect(again.body).toMatchObject({ status: 'succeeded' });
  });

  // https://github.com/ezet/stripe-sdk/issues/49. Check: the code, the parameter, and that the intent is attached.
  test('a method of a customer is refused without the customer: no decline, and its intent is cancelled', async () => {
    const paymentMethod = await chargedMethod(saved);
    expect(await confirmed(paymentMethod)).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_missing', param: 'source', payment_intent: { object: 'payment_intent' } } },
    });
    const outcome = await stripe.charge(chargeOperation({ paymentMethod }), call);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'invalid_operation' } });
    expect(lastIntent()?.status).toBe('canceled');
  });

  // https://docs.stripe.com/declines/codes#authentication_required
  test('an issuer that wants the payer answers an off-session charge with 402 and the intent', async () => {
    expect(await confirmed('pm_card_authenticationRequired', { ...saved, off_session: 'true' })).toMatchObject({
      status: 402,
      body: {
        error: {
          type: 'card_error',
          code: 'authentication_required',
          payment_intent: { status: 'requires_payment_method' },
        },
      },
    });
  });

  // https://docs.stripe.com/testing#three-ds-cards
  test('a card that wants its payer once is charged without them after they have authenticated its setup', async () => {
    const token = 'pm_card_authenticationRequiredOnSetup';
    const setup = { customer, confirm: 'true', payment_method: token, return_url: 'https://shop.example.org' };
    const { id, status } = (await post('/v1/setup_intents', setup)).body;
    expect(status).toBe('requires_action');
    simulator.account.setups.authenticate(id, true);
    const { payment_method: method } = simulator.account.setups.get(id);
    const charged = await confirmed(method as string, { customer, off_session: 'true' });
    expect(charged.body).toMatchObject({ status: 'succeeded' });
  });

  // https://docs.stripe.com/api/setup_intents/create
  test('a setup intent takes a return_url only with confirm, and attaches its method to the customer', async () => {
    expect(await post('/v1/setup_intents', { customer, return_url: 'https://shop.example.org' })).toMatchObject({
      status: 400,
      body: { error: { param: 'return_url' } },
    });
    const setup = (await post('/v1/setup_intents', { customer, confirm: 'true', payment_method: 'pm_card_visa' })).body;
    expect(setup).toMatchObject({ status: 'succeeded', payment_method: expect.stringMatching(/^pm_/) });
    const { payment_method: method } = simulator.account.setups.get(setup.id);
    expect((await send('GET', `/v1/payment_methods/${method}`)).body).toMatchObject({ customer });
  });

  // https://docs.stripe.com/api/payment_methods/detach. Check: the text, and that there is no code.
  test('a detached method can neither be used nor detached again, and can still be read', async () => {
    const method = await chargedMethod(saved);
    expect((await post(`/v1/payment_methods/${method}/detach`, {})).body).toMatchObject({ customer: null });
    expect((await confirmed(method, { customer })).body.error?.message).toMatch(/detached from a Customer/);
    expect((await post(`/v1/payment_methods/${method}/detach`, {})).status).toBe(400);
    expect((await send('GET', `/v1/payment_methods/${method}`)).body).toMatchObject({ customer: null });
  });

  // https://docs.stripe.com/api/customers/delete
  test('a deleted customer can still be read, takes no payment, and has lost its methods', async () => {
    const { id } = (await post('/v1/customers', { name: 'Gone' })).body;
    const method = await chargedMethod({ ...saved, customer: id });
    expect((await send('DELETE', `/v1/customers/${id}`)).body).toEqual({ id, object: 'customer', deleted: true });
    expect((await send('GET', `/v1/customers/${id}`)).body).toEqual({ id, object: 'customer', deleted: true });
    const missing = { code: 'resource_missing', param: 'customer' };
    expect(await confirmed(method, { customer: id })).toMatchObject({ status: 400, body: { error: missing } });
    expect((await confirmed(method)).status).toBe(400);
    const events = simulator.events.filter(({ type }) => type === 'customer.deleted');
    expect(events).toMatchObject([{ data: { object: { id } } }]);
  });

  // https://docs.stripe.com/payments/cards/overview#automatic-card-updates
  test('an expired card is declined until its network replaces it', async () => {
    const method = await chargedMethod(saved);
    simulator.account.methods.replaceCard(method, { exp_month: 1, exp_year: 2020 });
    const declined = await confirmed(method, { customer, off_session: 'true' });
    expect(declined).toMatchObject({ status: 402, body: { error: { code: 'expired_card' } } });
    simulator.account.methods.replaceCard(method, { exp_month: 1, exp_year: 2040, last4: '0001' });
    expect((await confirmed(method, { customer, off_session: 'true' })).body.status).toBe('succeeded');
    expect(simulator.events.map(({ type }) => type)).toContain('payment_method.automatically_updated');
  });

  const online = 'mandate_data[customer_acceptance][online]';
  const consent = {
    'mandate_data[customer_acceptance][type]': 'online',
    [`${online}[ip_address]`]: '192.0.2.1',
    [`${online}[user_agent]`]: 'Browser',
  };

  // https://docs.stripe.com/payments/ach-direct-debit/accept-a-payment. Check: the code and the parameter.
  test("a debit that a server confirms needs mandate_data with the payer's address and browser", async () => {
    const refused = { status: 400, body: { error: { code: 'parameter_missing', param: 'mandate_data' } } };
    expect(await confirmed('pm_usBankAccount_success')).toMatchObject(refused);
    expect((await confirmed('pm_usBankAccount_success', consent)).body).toMatchObject({ status: 'processing' });
    const setup = { customer, confirm: 'true', payment_method: 'pm_success_de' };
    expect(await post('/v1/setup_intents', setup)).toMatchObject(refused);
    expect((await post('/v1/setup_intents', { ...setup, ...consent })).body).toMatchObject({ status: 'succeeded' });
  });

  // https://docs.stripe.com/payments/sepa-debit/set-up-payment, https://docs.stripe.com/api/mandates/object
  test('a kept debit needs no further mandate, until its mandate is inactive', async () => {
    const eur = { currency: 'eur', ...consent };
    const method = await chargedMethod({ ...saved, ...eur }, 'pm_success_de');
    const again = { customer, currency: 'eur', off_session: 'true' };
    expect((await confirmed(method, again)).body.status).toBe('processing');
    simulator.account.methods.endMandate(method);
    expect(await confirmed(method, again)).toMatchObject({
      status: 400,
      body: { error: { code: 'payment_intent_mandate_invalid' } },
    });
    expect(simulator.events.map(({ type }) => type)).toContain('mandate.updated');
  });

  // https://docs.stripe.com/payments/ach-direct-debit: up to four business days.
  test('a debit stays processing for days, cannot be cancelled then, and may fail', async () => {
    const { id } = (await post('/v1/payment_intents', form)).body;
    simulator.account.confirmIntent(id, { payment_method: 'pm_usBankAccount_success' });
    expect(simulator.account.intent(id).status).toBe('processing');
    expect(await post(`/v1/payment_intents/${id}/cancel`, {})).toMatchObject({
      status: 400,
      body: { error: { code: 'payment_intent_unexpected_state', payment_intent: { id } } },
    });
    simulator.account.settle(id, false);
    expect(simulator.account.intent(id).status).toBe('requires_payment_method');
  });
});

describe('payment intents', () => {
  // https://docs.stripe.com/api/payment_intents/cancel
  test('an intent can be cancelled until it is processing', async () => {
    const open = (await post('/v1/payment_intents', form)).body;
    expect((await post(`/v1/payment_intents/${open.id}/cancel`, {})).body.status).toBe('canceled');
    const unconfirmed = (await post('/v1/payment_intents', { ...form, payment_method: 'pm_card_visa' })).body;
    expect((await post(`/v1/payment_intents/${unconfirmed.id}/cancel`, {})).body.status).toBe('canceled');
    const waiting = (await confirmed('pm_card_threeDSecure')).body;
    expect((await post(`/v1/payment_intents/${waiting.id}/cancel`, {})).body.status).toBe('canceled');
    const paid = (await confirmed('pm_card_visa')).body;
    expect((await post(`/v1/payment_intents/${paid.id}/cancel`, {})).status).toBe(400);
    expect((await post(`/v1/payment_intents/${open.id}/cancel`, {})).status).toBe(400);
  });

  // https://docs.stripe.com/payments/paymentintents/lifecycle
  test('a declined intent can be paid by another method until it is cancelled', async () => {
    await confirmed('pm_card_chargeDeclined');
    const { id } = lastIntent() as { id: string };
    expect(simulator.account.confirmIntent(id, { payment_method: 'pm_card_visa' }).status).toBe('succeeded');
  });

  // https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
  test('the minimum amount differs by currency, and nothing below it is charged', async () => {
    for (const [currency, minimum] of Object.entries(minimumAmounts)) {
      const below = await post('/v1/payment_intents', { amount: `${minimum - 1}`, currency });
      expect(below).toMatchObject({ status: 400, body: { error: { code: 'amount_too_small' } } });
      expect((await post('/v1/payment_intents', { amount: `${minimum}`, currency })).status).toBe(200);
    }
    // Another channel may take it.
    expect(await stripe.charge(chargeOperation({ amount: 174_99, currency: 'HUF' }), call)).toMatchObject({
      kind: 'failed',
      failure: { code: 'not_supported', providerCode: 'amount_too_small' },
    });
  });

  // The changelog of 2026-10-28.endive; the library's types have it no more.
  test('payment_method_types is gone as a parameter of the pinned version', async () => {
    expect(await post('/v1/payment_intents', { ...form, 'payment_method_types[0]': 'card' })).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_unknown', param: 'payment_method_types' } },
    });
  });

  // https://support.stripe.com/questions/use-of-the-statement-descriptor-parameter-on-paymentintents-for-card-charges
  test('where a card can pay, only a suffix of the statement descriptor is taken', async () => {
    expect(await confirmed('pm_card_visa', { statement_descriptor: 'FLORIN' })).toMatchObject({
      status: 400,
      body: { error: { param: 'statement_descriptor' } },
    });
    expect((await confirmed('pm_card_visa', { statement_descriptor_suffix: 'FLORIN' })).status).toBe(200);
  });

  // https://docs.stripe.com/api/charges/object, payment_method_details.card.capture_before
  test('until when an authorized card can be captured stands on its charge', async () => {
    await confirmed('pm_card_visa', { capture_method: 'manual' });
    const { id } = lastIntent() as { id: string };
    const { body } = await send('GET', `/v1/payment_intents/${id}?expand[0]=latest_charge`);
    expect(body).toMatchObject({
      status: 'requires_capture',
      latest_charge: { payment_method_details: { card: { capture_before: expect.any(Number) } } },
    });
    expect(body).not.toHaveProperty('capture_before');
  });

  // https://docs.stripe.com/api/payment_intents/create#create_payment_intent-return_url
  test('return_url and off_session are taken only with confirm', async () => {
    for (const field of [{ return_url: 'https://shop.example.org' }, { off_session: 'true' }]) {
      expect(await post('/v1/payment_intents', { ...form, ...field } as Record<string, string>)).toMatchObject({
        status: 400,
        body: { error: { param: Object.keys(field)[0] } },
      });
    }
  });
});

describe('pages', () => {
  const url = 'https://shop.example.org';
  const item = 'line_items[0]';
  const page = {
    mode: 'payment',
    success_url: url,
    [`${item}[quantity]`]: '1',
    [`${item}[price_data][currency]`]: 'usd',
    [`${item}[price_data][unit_amount]`]: '1999',
    [`${item}[price_data][product_data][name]`]: 'Order 66',
  };
  const opened = (fields = {}) => post('/v1/checkout/sessions', { ...page, ...fields });
  const seconds = () => Math.floor(nowMs / 1_000);

  // https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-expires_at
  test('a page expires between 30 minutes and 24 hours from its creation, by default after 24 hours', async () => {
    for (const minutes of [29, 24 * 60 + 1]) {
      const wrong = { expires_at: `${seconds() + minutes * 60}` };
      expect(await opened(wrong)).toMatchObject({ status: 400, body: { error: { param: 'expires_at' } } });
    }
    expect((await opened({ expires_at: `${seconds() + 30 * 60}` })).status).toBe(200);
    expect((await opened()).body).toMatchObject({ expires_at: seconds() + 24 * 60 * 60 });
  });

  // https://docs.stripe.com/api/checkout/sessions/create: line_items, currency
  test('a page of a payment needs items, one of a setup a currency', async () => {
    const missing = (param: string) => ({ status: 400, body: { error: { code: 'parameter_missing', param } } });
    expect(await post('/v1/checkout/sessions', { mode: 'payment', success_url: url })).toMatchObject(
      missing('line_items'),
    );
    const setup = { mode: 'setup', success_url: url };
    expect(await post('/v1/checkout/sessions', setup)).toMatchObject(missing('currency'));
    expect((await post('/v1/checkout/sessions', { ...setup, currency: 'eur' })).status).toBe(200);
  });

  // https://docs.stripe.com/api/checkout/sessions/object#checkout_session_object-payment_intent
  test('the intent of a page exists after the first attempt, and is ended only by expiring the page', async () => {
    const { id } = (await opened()).body;
    const session = simulator.account.sessions.get(id);
    expect(session.payment_intent).toBeNull();
    simulator.account.sessions.submit(id, 'pm_card_chargeDeclined');
    const intent = session.payment_intent as string;
    expect((await post(`/v1/payment_intents/${intent}/cancel`, {})).status).toBe(400);
    expect((await post(`/v1/checkout/sessions/${id}/expire`, {})).body).toMatchObject({ status: 'expired', url: null });
    expect(simulator.account.intent(intent).status).toBe('canceled');
  });

  // https://docs.stripe.com/api/payment_intents/cancel: "except when … requires_capture"
  test('the intent of a page can be cancelled when it is authorized', async () => {
    const { id } = (await opened({ 'payment_intent_data[capture_method]': 'manual' })).body;
    simulator.account.sessions.submit(id, 'pm_card_visa');
    const intent = simulator.account.sessions.get(id).payment_intent as string;
    expect(simulator.account.intent(intent).status).toBe('requires_capture');
    expect((await post(`/v1/payment_intents/${intent}/cancel`, {})).body.status).toBe('canceled');
  });

  // https://docs.stripe.com/api/checkout/sessions/expire
  test('only an open page can be expired', async () => {
    const { id } = (await opened()).body;
    simulator.account.sessions.submit(id, 'pm_card_visa');
    expect((await post(`/v1/checkout/sessions/${id}/expire`, {})).status).toBe(400);
  });

  // https://docs.stripe.com/api/checkout/sessions/list
  test('pages are listed by creation, customer, intent and status, and not by our reference', async () => {
    const { id } = (await opened({ client_reference_id: 'ours' })).body;
    const listed = async (query: string) => (await send('GET', `/v1/checkout/sessions?${query}`)).body;
    expect(await listed('status=open&limit=1')).toMatchObject({ data: [{ id, client_reference_id: 'ours' }] });
    await simulator.conformance.unchecked(async () => {
      const refused = { error: { code: 'parameter_unknown', param: 'client_reference_id' } };
      expect(await listed('client_reference_id=ours')).toMatchObject(refused);
    });
  });

  // The changelog of 2026-10-28.endive; the library's types have it no more.
  test('payment_method_types is gone as a parameter of the pinned version', async () => {
    expect(await opened({ 'payment_method_types[0]': 'card' })).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_unknown', param: 'payment_method_types' } },
    });
  });
});

describe('idempotency keys', () => {
  // https://docs.stripe.com/api/idempotent_requests
  test('a 500 under a key is replayed, and marked as a repetition', async () => {
    const hit = simulator.next('status500After');
    const first = post('/v1/payment_intents', form, 'key-500');
    await hit;
    expect(await first).toMatchObject({ status: 500, replayed: null });
    expect(await post('/v1/payment_intents', form, 'key-500')).toMatchObject({ status: 500, replayed: 'true' });
  });

  // https://docs.stripe.com/api/idempotent_requests: "at least 24 hours".
  test('a key is kept for at least a day, and may be kept for longer', async () => {
    const { id } = (await post('/v1/payment_intents', form, 'key-day')).body;
    nowMs += 25 * hourMs;
    expect(await post('/v1/payment_intents', form, 'key-day')).toMatchObject({ replayed: 'true', body: { id } });
    simulator.forgetKeys();
    expect((await post('/v1/payment_intents', form, 'key-day')).body.id).not.toBe(id);
  });

  // https://docs.stripe.com/api/idempotent_requests
  test('a key does not store the refusal of wrong parameters', async () => {
    expect((await post('/v1/payment_intents', { ...form, amount: '1' }, 'key-wrong')).status).toBe(400);
    expect((await post('/v1/payment_intents', form, 'key-wrong')).status).toBe(200);
  });
});

describe('events', () => {
  // https://docs.stripe.com/webhooks/versioning
  test('an event has the API version of its endpoint, not that of the library, and is read nevertheless', async () => {
    const operation = chargeOperation();
    const { reference } = (await stripe.charge(operation, call)) as { reference: string };
    const { headers, body } = simulator.callback('payment_intent.succeeded', reference);
    expect(JSON.parse(body.toString())).toMatchObject({ api_version: '2026-08-26.dahlia' });
    const { notice } = stripe.readCallback({ headers, query: {}, body, receivedMs: nowMs }, call.credentials);
    expect(notice).toMatchObject({ key: operation.key, outcome: { kind: 'succeeded' } });
  });
});

describe('disputes', () => {
  const disputes = () => simulator.account.disputes;
  const evidence = { 'evidence[product_description]': 'A chess board' };

  async function disputed(facts = {}): Promise<string> {
    await confirmed('pm_card_visa');
    return disputes().open(lastIntent()?.id as string, facts).id;
  }

  const answer = (id: string, fields: Record<string, string> = evidence) => post(`/v1/disputes/${id}`, fields);

  // https://docs.stripe.com/api/disputes/update: "submit … true (the default)"
  test('evidence is submitted at once unless submit is false', async () => {
    const id = await disputed();
    const staged = await answer(id, { ...evidence, submit: 'false' });
    expect(staged.body).toMatchObject({
      status: 'needs_response',
      evidence_details: { has_evidence: true, submission_count: 0 },
    });
    expect((await answer(id)).body).toMatchObject({
      status: 'under_review',
      evidence_details: { submission_count: 1 },
    });
  });

  // https://docs.stripe.com/disputes/responding. Check: the texts, and that a late answer is refused, not only ignored.
  test('evidence is submitted once, not after the deadline, and not where the bank takes no answer', async () => {
    const id = await disputed();
    await answer(id);
    expect((await answer(id)).status).toBe(400);
    const unanswerable = await disputed({ dueInDays: null });
    expect((await answer(unanswerable)).status).toBe(400);
    const late = await disputed({ dueInDays: 1 });
    nowMs += 25 * hourMs;
    expect((await answer(late)).status).toBe(400);
    expect(disputes().get(late).status).toBe('needs_response');
  });

  // https://docs.stripe.com/file-upload
  test('a file is a PDF, JPEG or PNG of at most 5 MB, and evidence names files by the id of an upload', async () => {
    const upload = (content: string, type: string) => {
      const form = new FormData();
      form.set('purpose', 'dispute_evidence');
      form.set('file', new File([content], 'file', { type }));
      const headers = { authorization: `Bearer ${simulatedApiKey}` };
      return fetch(`${simulator.url}/v1/files`, { method: 'POST', headers, body: form });
    };
    expect((await upload('x', 'image/tiff')).status).toBe(400);
    expect((await upload('x'.repeat(5_000_001), 'image/png')).status).toBe(400);
    const { id: file } = (await (await upload('x', 'image/png')).json()) as { id: string };
    const id = await disputed();
    expect(await answer(id, { 'evidence[receipt]': 'file_nothing' })).toMatchObject({
      status: 400,
      body: { error: { code: 'resource_missing' } },
    });
    expect((await answer(id, { 'evidence[receipt]': file })).status).toBe(200);
  });

  // https://docs.stripe.com/disputes/api: the texts together.
  test('all texts of the evidence have at most 150,000 characters together', async () => {
    const id = await disputed();
    const names = [
      'access_activity_log',
      'cancellation_policy_disclosure',
      'cancellation_rebuttal',
      'duplicate_charge_explanation',
      'product_description',
      'refund_policy_disclosure',
      'refund_refusal_explanation',
      'uncategorized_text',
    ];
    const long = Object.fromEntries(names.map((name) => [`evidence[${name}]`, 'x'.repeat(20_000)]));
    expect((await answer(id, long)).status).toBe(400);
  });

  // https://docs.stripe.com/api/disputes/close: "from needs_response to lost … irreversible". Check: of an inquiry.
  test('only a dispute that waits for an answer can be closed, and is lost then', async () => {
    const id = await disputed();
    expect((await post(`/v1/disputes/${id}/close`, {})).body).toMatchObject({ status: 'lost' });
    expect((await post(`/v1/disputes/${id}/close`, {})).status).toBe(400);
    const inquiry = await disputed({ isInquiry: true });
    expect((await post(`/v1/disputes/${inquiry}/close`, {})).status).toBe(400);
  });

  // https://docs.stripe.com/disputes/how-disputes-work; error code `charge_disputed`.
  test('a charge whose money was taken cannot be refunded, one that is only asked about can', async () => {
    const refund = () => post('/v1/refunds', { payment_intent: lastIntent()?.id as string, amount: '100' });
    await disputed({ isInquiry: true });
    expect((await refund()).status).toBe(200);
    const id = await disputed();
    expect(await refund()).toMatchObject({ status: 400, body: { error: { code: 'charge_disputed' } } });
    disputes().decide(id, 'won');
    expect((await refund()).status).toBe(200);
  });

  // https://docs.stripe.com/api/disputes/object, `amount`, `balance_transactions`
  test('the amount may differ from that of the charge, and the funds are zero, one or two bookings', async () => {
    const inquiry = disputes().get(await disputed({ isInquiry: true }));
    expect(inquiry.balance_transactions).toEqual([]);
    const dispute = disputes().get(await disputed({ amount: 2100 }));
    expect(dispute.balance_transactions.map(({ amount }) => amount)).toEqual([-2100]);
    disputes().decide(dispute.id, 'won');
    expect(dispute.balance_transactions.map(({ amount }) => amount)).toEqual([-2100, 2100]);
  });

  // https://docs.stripe.com/api/charges/object, `failure_balance_transaction`. Check: that its intent stays succeeded.
  test('a charge that fails after its money was booked has the booking by which the money left', async () => {
    await confirmed('pm_card_visa');
    const { id } = lastIntent() as { id: string };
    disputes().failDebit(id, 'insufficient_funds');
    const { body } = await send('GET', '/v1/balance_transactions?type=payment_failure_refund&expand[0]=data.source');
    const [booking] = (body as unknown as { data: { id: string; source: unknown }[] }).data;
    expect(booking?.source).toMatchObject({ status: 'failed', failure_balance_transaction: booking?.id });
  });

  // https://docs.stripe.com/testing#disputes
  test.each([
    ['pm_card_createDispute', 'needs_response', 1],
    ['pm_card_createDisputeInquiry', 'warning_needs_response', 1],
    ['pm_card_createMultipleDisputes', 'needs_response', 2],
  ])('the test card %s is disputed at once', async (token, status, count) => {
    const before = disputes().all.length;
    await confirmed(token);
    expect(
      disputes()
        .all.slice(before)
        .map((dispute) => dispute.status),
    ).toEqual(Array(count).fill(status));
  });
});
