import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenClaims } from '../../../../tests/support/broken-claims.ts';
import { administratorOf, dataOf, makeChannel, makeKey, unique } from '../../../../tests/support/factories.ts';
import { sandboxTime } from '../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../../../tests/support/service/florin.ts';
import { aTime } from '../../../../tests/support/shapes.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;
let channelId: number;

/** The service runs on the 15th of a month, which is neither over soon nor begins just now. */
const day = new Date();
const aheadMs =
  Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + (day.getUTCDate() > 15 ? 1 : 0), 15, 12) - day.getTime();
const time = sandboxTime(aheadMs);

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, time.settings, time.clock);
  admin = await administratorOf(florin);
  channelId = await sandboxChannel();
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await db.drop();
});

const sandboxChannel = (changes: object = {}) =>
  makeChannel(florin, admin, { provider: 'sandbox', webhookSecret: 'whsec', ...changes });

async function makeCustomer(changes: object = {}): Promise<number> {
  const input = { name: unique('Customer'), livemode: false, ...changes };
  return dataOf(await florin.post('/api/customer/modify', input, admin)).id;
}

const setUp = (body: object, as = admin) => florin.call('POST', '/api/payment-method/setup', { as, body });
const method = async (id: string) => dataOf(await florin.get(`/api/payment-method/detail?id=${id}`, admin));
const payment = async (id: string) => dataOf(await florin.get(`/api/transaction/detail?id=${id}`, admin));
const customer = async (id: number) => dataOf(await florin.get(`/api/customer/detail?id=${id}`, admin));

async function methodIn(id: string, status: string) {
  return eventually(`${id} is ${status}`, async () => {
    const found = await method(id);
    return found.status === status && found;
  });
}

async function paymentIn(id: string, status: string) {
  return eventually(`${id} is ${status}`, async () => {
    const found = await payment(id);
    return found.status === status && found;
  });
}

async function kept(customerId: number, changes: object = {}) {
  const { id } = dataOf(await setUp({ customerId, channelId, token: 'tok_visa', ...changes }));
  return methodIn(id, 'ACTIVE');
}

const create = (changes: object, as = admin) =>
  florin.call('POST', '/api/transaction/create', {
    as,
    body: { amount: 1999, currency: 'USD', channelId, ...changes },
  });

async function eventsOf(id: string): Promise<string[]> {
  const rows = await db.query<{ type: string }>('select type from event where object_id = $1 order by id', [id]);
  return rows.map(({ type }) => type);
}

const refusal = ({ status, body }: { status: number; body: { error?: { type: string; field?: string } } }) => ({
  status,
  type: body.error?.type,
  field: body.error?.field,
});

describe('a setup with a token', () => {
  test('is PENDING at once, and ACTIVE with its event when the provider has answered', async () => {
    const customerId = await makeCustomer();
    const begun = dataOf(await setUp({ customerId, channelId, token: 'tok_visa', metadata: { shop: 7 } }));
    expect(begun).toEqual({
      id: expect.stringMatching(/^mtd_[0-9a-f]{32}$/),
      livemode: false,
      customerId,
      channelId,
      type: 'other',
      providerType: null,
      brand: null,
      last4: null,
      expiryMonth: null,
      expiryYear: null,
      bankName: null,
      country: null,
      fingerprint: null,
      mandateReference: null,
      mandateUrl: null,
      agreement: 'SUBSCRIPTION',
      status: 'PENDING',
      isDefault: false,
      nextAction: null,
      failureCode: null,
      metadata: { shop: 7 },
      version: 1,
      createdTime: aTime,
      updatedTime: aTime,
    });
    const active = await methodIn(begun.id, 'ACTIVE');
    expect(active).toMatchObject({
      type: 'card',
      brand: 'visa',
      last4: '4242',
      expiryMonth: 12,
      fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
      isDefault: true,
      nextAction: null,
    });
    expect(await eventsOf(begun.id)).toEqual(['payment_method.attached']);
    expect((await customer(customerId)).defaultMethodId).toBe(begun.id);
    expect(await eventsOf(`cus_${customerId}`)).toEqual(['customer.created', 'customer.updated']);
  });

  test('keeps no token and no id of the provider in clear', async () => {
    const { id } = await kept(await makeCustomer(), { token: 'tok_very_secret' });
    const rows = await db.query<{ row: string }>(
      `select row_to_json(m)::text as row from payment_method m where 'mtd_' || replace(id::text, '-', '') = $1`,
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toMatch(/tok_very_secret|sbxm_/);
    const audit = await db.query<{ row: string }>('select row_to_json(a)::text as row from audit_entry a');
    expect(audit.map(({ row }) => row).join()).not.toContain('tok_very_secret');
  });

  test('that the provider refuses is FAILED, and never the default', async () => {
    const customerId = await makeCustomer();
    const { id } = dataOf(await setUp({ customerId, channelId, token: 'sandbox:setup:fail', isDefault: true }));
    expect(await methodIn(id, 'FAILED')).toMatchObject({ failureCode: 'card_declined', isDefault: false });
    expect(await eventsOf(id)).toEqual(['payment_method.failed']);
    expect((await customer(customerId)).defaultMethodId).toBeNull();
  });

  test('repeated with its key is one setup', async () => {
    const customerId = await makeCustomer();
    const body = { customerId, channelId, token: 'tok_visa' };
    const options = { as: admin, body, headers: { 'idempotency-key': unique('setup') } };
    const first = dataOf(await florin.call('POST', '/api/payment-method/setup', options));
    expect(dataOf(await florin.call('POST', '/api/payment-method/setup', options)).id).toBe(first.id);
    const list = await florin.get(`/api/payment-method/list?customerId=${customerId}`, admin);
    expect(dataOf(list).map(({ id }: { id: string }) => id)).toEqual([first.id]);
  });
});

describe('a setup without a token', () => {
  test('leads the payer to a page, and is ACTIVE once the payer agrees', async () => {
    const customerId = await makeCustomer();
    const { id } = dataOf(await setUp({ customerId, channelId, returnUrl: 'https://shop.example.com/back' }));
    const { nextAction } = await eventually('the payer is asked', async () => {
      const found = await method(id);
      return found.nextAction !== null && found;
    });
    const { pathname } = new URL(nextAction.url);
    expect(await (await fetch(florin.address + pathname)).text()).toContain('Save a payment method');
    const form = { method: 'POST', body: 'decision=pay', redirect: 'manual' } as const;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await fetch(florin.address + pathname, { ...form, headers })).status).toBe(303);
    expect((await methodIn(id, 'ACTIVE')).nextAction).toBeNull();
    expect(await eventsOf(id)).toEqual(['payment_method.action_required', 'payment_method.attached']);
    expect(await (await fetch(florin.address + pathname)).text()).toContain('This payment method is saved.');
  });
});

describe('a payment with a method', () => {
  test('is charged with it, and its customer is that of the method', async () => {
    const customerId = await makeCustomer();
    const { id } = await kept(customerId);
    const created = dataOf(await create({ methodId: id, initiator: 'MERCHANT' }));
    expect(created).toMatchObject({ methodId: id, initiator: 'MERCHANT', customerId });
    expect(await paymentIn(created.id, 'SUCCESS')).toMatchObject({ methodId: id });
    const [charge] = await db.query<{ used_by: string }>(
      `select used_by from sandbox_operation where key = $1 || '-1'`,
      [id],
    );
    expect(charge?.used_by).toBe(`${created.id}-1`);
  });

  test('of another customer is unknown, of another channel refused, one that has ended unusable', async () => {
    const [owner, other] = [await makeCustomer(), await makeCustomer()];
    const { id: methodId } = await kept(owner);
    const foreign = await create({ methodId, customerId: other });
    expect(refusal(foreign)).toEqual({ status: 404, type: 'record_not_found', field: 'methodId' });
    const elsewhere = await create({ methodId, channelId: await sandboxChannel() });
    expect(refusal(elsewhere)).toEqual({ status: 400, type: 'method_of_other_channel', field: 'channelId' });
    const live = await makeKey(florin, admin, 'transaction_write');
    expect(refusal(await create({ methodId }, live.as)).status).toBe(409);
    dataOf(await florin.post('/api/payment-method/detach', { id: methodId }, admin));
    expect(refusal(await create({ methodId }))).toEqual({
      status: 409,
      type: 'payment_method_unusable',
      field: 'methodId',
    });
  });

  test('that is charged without its payer needs a method', async () => {
    expect(refusal(await create({ initiator: 'MERCHANT' }))).toEqual({
      status: 400,
      type: 'invalid_request',
      field: 'initiator',
    });
  });

  test('fails at once, without a step for a payer, where the issuer wants one and nobody is there', async () => {
    const { id: methodId } = await kept(await makeCustomer(), { token: 'sandbox:offsession:authentication_required' });
    const { id } = dataOf(await create({ methodId, initiator: 'MERCHANT' }));
    expect(await paymentIn(id, 'FAILED')).toMatchObject({ failureCode: 'authentication_required', nextAction: null });
    expect(await method(methodId)).toMatchObject({ status: 'ACTIVE', failureCode: 'authentication_required' });
    const present = dataOf(await create({ methodId }));
    const asked = await eventually('the payer is asked', async () => {
      const found = await payment(present.id);
      return found.nextAction !== null && found;
    });
    expect(asked.nextAction.url).toContain('/sandbox/pay/');
  });

  test('that the bank has ended makes the method REVOKED, and the customer has no default', async () => {
    const customerId = await makeCustomer();
    const { id: methodId } = await kept(customerId, { token: 'sandbox:decline:account_closed' });
    const { id } = dataOf(await create({ methodId, initiator: 'MERCHANT' }));
    await paymentIn(id, 'FAILED');
    expect(await method(methodId)).toMatchObject({
      status: 'REVOKED',
      failureCode: 'account_closed',
      isDefault: false,
    });
    expect(await eventsOf(methodId)).toEqual(['payment_method.attached', 'payment_method.revoked']);
    expect((await customer(customerId)).defaultMethodId).toBeNull();
  });
});

describe('a payment that saves', () => {
  test('has a method with its success, which is the default and can be charged', async () => {
    const customerId = await makeCustomer();
    const { id } = dataOf(await create({ customerId, saveMethod: true, paymentMethod: 'tok_visa' }));
    const { methodId } = await paymentIn(id, 'SUCCESS');
    expect(await method(methodId)).toMatchObject({ status: 'ACTIVE', type: 'card', isDefault: true, customerId });
    expect(await eventsOf(methodId)).toEqual(['payment_method.attached']);
    const [event] = await db.query<{ body: string }>(
      `select body from event where object_id = $1 and type = 'transaction.succeeded'`,
      [id],
    );
    expect(JSON.parse(event?.body ?? '').data.object.methodId).toBe(methodId);
    const again = dataOf(await create({ methodId, initiator: 'MERCHANT' }));
    await paymentIn(again.id, 'SUCCESS');
  });

  test('and fails leaves no method and no event of one', async () => {
    const customerId = await makeCustomer();
    const { id } = dataOf(
      await create({ customerId, saveMethod: true, paymentMethod: 'sandbox:decline:card_declined' }),
    );
    expect(await paymentIn(id, 'FAILED')).toMatchObject({ methodId: null });
    expect(dataOf(await florin.get(`/api/payment-method/list?customerId=${customerId}`, admin))).toEqual([]);
  });

  test('and succeeds later by a callback keeps the method as well', async () => {
    const customerId = await makeCustomer();
    const { id } = dataOf(await create({ customerId, saveMethod: true, paymentMethod: 'sandbox:debit:late' }));
    await time.pass(db);
    const { methodId } = await paymentIn(id, 'SUCCESS');
    expect(await method(methodId)).toMatchObject({ status: 'ACTIVE', type: 'sepa_debit' });
  });

  test('leaves the former default, unless it asks to be it', async () => {
    const customerId = await makeCustomer();
    const first = await kept(customerId);
    const pay = async (changes: object) => {
      const { id } = dataOf(await create({ customerId, saveMethod: true, paymentMethod: 'tok_visa', ...changes }));
      return (await paymentIn(id, 'SUCCESS')).methodId;
    };
    await pay({});
    expect((await customer(customerId)).defaultMethodId).toBe(first.id);
    const second = await pay({ isDefault: true });
    expect((await customer(customerId)).defaultMethodId).toBe(second);
    expect((await method(first.id)).isDefault).toBe(false);
  });
});

describe('detaching', () => {
  test('ends the method here and at the provider, and the customer has no default', async () => {
    const customerId = await makeCustomer();
    const { id } = await kept(customerId);
    await kept(customerId);
    expect(dataOf(await florin.post('/api/payment-method/detach', { id }, admin))).toMatchObject({
      status: 'DETACHED',
      isDefault: false,
    });
    await eventually('the provider was asked', async () => {
      const [row] = await db.query<{ detached: boolean }>(
        `select detached_at is not null as detached from sandbox_operation where key = $1 || '-1'`,
        [id],
      );
      return row?.detached === true;
    });
    expect(await eventsOf(id)).toEqual(['payment_method.attached', 'payment_method.detached']);
    expect((await customer(customerId)).defaultMethodId).toBeNull();
  });
});

describe('a method that changes at the provider', () => {
  test.each([
    ['method:revoked', 'REVOKED', 'payment_method.revoked', { failureCode: 'mandate_revoked' }],
    ['method:updated', 'ACTIVE', 'payment_method.updated', { last4: '4444' }],
    ['method:expires', 'EXPIRED', 'payment_method.expired', {}],
  ])('%s is %s', async (word, status, event, changes) => {
    const { id } = await kept(await makeCustomer(), { token: `sandbox:${word}` });
    await time.pass(db);
    const found = await eventually(`${event} is sent`, async () => {
      const types = await eventsOf(id);
      return types.includes(event) && (await method(id));
    });
    expect(found).toMatchObject({ status, ...changes });
  });

  test('is used up after one charge, where it is for single use', async () => {
    const { id: methodId } = await kept(await makeCustomer(), { token: 'sandbox:method:single-use' });
    await paymentIn(dataOf(await create({ methodId })).id, 'SUCCESS');
    const { id } = dataOf(await create({ methodId }));
    expect(await paymentIn(id, 'FAILED')).toMatchObject({ failureCode: 'payment_method_missing' });
    expect((await method(methodId)).status).toBe('REVOKED');
  });
});

describe('a payment with a method that may be taken by a fallback channel', () => {
  test('is charged with the only method that the customer has there', async () => {
    const fallback = await sandboxChannel();
    const first = await sandboxChannel({ fallbackChannelIds: [fallback] });
    const customerId = await makeCustomer();
    const declined = await kept(customerId, { channelId: first, token: 'sandbox:decline:card_declined' });
    const other = await kept(customerId, { channelId: fallback });
    const { id } = dataOf(await create({ channelId: first, methodId: declined.id, initiator: 'MERCHANT' }));
    expect(await paymentIn(id, 'SUCCESS')).toMatchObject({ methodId: declined.id });
    const [charge] = await db.query<{ used_by: string }>(
      `select used_by from sandbox_operation where key = $1 || '-1'`,
      [other.id],
    );
    expect(charge?.used_by).toBe(`${id}-2`);
    expect(await method(declined.id)).toMatchObject({ status: 'ACTIVE', failureCode: 'card_declined' });
  });

  test('is not authorized there by a method that is captured at once', async () => {
    const fallback = await sandboxChannel();
    const first = await sandboxChannel({ fallbackChannelIds: [fallback] });
    const customerId = await makeCustomer();
    const declined = await kept(customerId, { channelId: first, token: 'sandbox:decline:card_declined' });
    await kept(customerId, { channelId: fallback, token: 'sandbox:debit:late', type: 'sepa_debit', consent });
    const { id } = dataOf(await create({ channelId: first, methodId: declined.id, captureMethod: 'MANUAL' }));
    expect(await paymentIn(id, 'FAILED')).toMatchObject({ failureCode: 'card_declined' });
    expect((await eventsOf(id)).at(-1)).toBe('transaction.failed');
    const charges = await db.query('select from sandbox_operation where key = $1', [`${id}-2`]);
    expect(charges).toEqual([]);
  });

  test('fails where the customer has several methods there', async () => {
    const fallback = await sandboxChannel();
    const first = await sandboxChannel({ fallbackChannelIds: [fallback] });
    const customerId = await makeCustomer();
    const declined = await kept(customerId, { channelId: first, token: 'sandbox:decline:card_declined' });
    await kept(customerId, { channelId: fallback });
    await kept(customerId, { channelId: fallback });
    const { id } = dataOf(await create({ channelId: first, methodId: declined.id }));
    expect(await paymentIn(id, 'FAILED')).toMatchObject({ failureCode: 'card_declined' });
  });
});

describe('the month of a card', () => {
  const print = (id: string, monthsFromNow: number) =>
    db.query(
      `update payment_method
          set expiry_month = extract(month from printed), expiry_year = extract(year from printed),
              expiry_due_at = now()
         from (select $3::timestamptz at time zone 'UTC' + $2::int * interval '1 month' as printed) as card
        where 'mtd_' || replace(id::text, '-', '') = $1`,
      [id, monthsFromNow, new Date(time.clock())],
    );

  test('is announced once before it ends, and the card stays ACTIVE', async () => {
    const { id } = await kept(await makeCustomer());
    const sent = () => eventsOf(id).then((types) => types.filter((type) => type === 'payment_method.expiring'));
    await print(id, 0);
    await db.query(`update payment_method set expiring_told = null where 'mtd_' || replace(id::text, '-', '') = $1`, [
      id,
    ]);
    await eventually('the event is sent', async () => (await sent()).length === 1);
    expect((await method(id)).status).toBe('ACTIVE');
  });

  test('that is over makes the card EXPIRED, and it is still charged', async () => {
    const customerId = await makeCustomer();
    const { id: methodId } = await kept(customerId);
    await print(methodId, -2);
    await methodIn(methodId, 'EXPIRED');
    expect((await customer(customerId)).defaultMethodId).toBe(methodId);
    await paymentIn(dataOf(await create({ methodId, initiator: 'MERCHANT' })).id, 'SUCCESS');
  });

  test('of which the issuer said that it is over ends the card', async () => {
    const { id: methodId } = await kept(await makeCustomer(), { token: 'sandbox:decline:expired_card' });
    await paymentIn(dataOf(await create({ methodId, initiator: 'MERCHANT' })).id, 'FAILED');
    expect(await method(methodId)).toMatchObject({ status: 'EXPIRED', failureCode: 'expired_card' });
    expect(refusal(await create({ methodId }))).toMatchObject({ status: 409, type: 'payment_method_unusable' });
  });
});

describe('the cap of a network', () => {
  const chargeTimes = (times: number, input: object, status: string) => {
    const charged = async () => paymentIn(dataOf(await create(input)).id, status);
    return Promise.all(Array.from({ length: times }, charged));
  };
  const declinedTo = (methodId: string, times: number) =>
    chargeTimes(times, { methodId, initiator: 'MERCHANT' }, 'FAILED');
  const reached = { status: 409, type: 'payment_method_attempts_reached', field: 'methodId' };
  const age = (methodId: string, days: number) =>
    db.query(
      `update payment_method_decline set declined_at = declined_at - $2 * interval '1 day'
        where 'mtd_' || replace(method_id::text, '-', '') = $1`,
      [methodId, days],
    );

  test('refuses a further payment with a method that was declined too often, until 30 days are over', async () => {
    const { id: methodId } = await kept(await makeCustomer(), { token: 'sandbox:decline:insufficient_funds' });
    await declinedTo(methodId, 14);
    const last = dataOf(await create({ methodId }));
    await paymentIn(last.id, 'FAILED');
    const refused = await create({ methodId });
    expect(refusal(refused)).toEqual(reached);
    expect(refused.body.error.details).toMatchObject({ brand: 'visa', declines: 15, period: '30 days' });
    expect(refusal(await create({ methodId, initiator: 'MERCHANT' }))).toEqual(reached);
    await age(methodId, 30);
    await paymentIn(dataOf(await create({ methodId })).id, 'FAILED');
  });

  test('is not passed by 20 simultaneous payments, with and without idempotency keys', async () => {
    const { id: methodId } = await kept(await makeCustomer(), { token: 'sandbox:decline:insufficient_funds' });
    await declinedTo(methodId, 12);
    const creates = Array.from({ length: 20 }, (_, i) =>
      i % 2 === 0
        ? create({ methodId })
        : florin.call('POST', '/api/transaction/create', {
            as: admin,
            body: { amount: 500, currency: 'USD', channelId, methodId },
            headers: { 'idempotency-key': `attempt-${i}` },
          }),
    );
    const answers = await Promise.all(creates);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status !== 200).map(refusal)).toEqual(
      Array.from({ length: 17 }, () => reached),
    );
  });

  test('counts neither successes nor failures that never reached the network', async () => {
    const { id: methodId } = await kept(await makeCustomer(), { token: 'sandbox:decline:invalid_operation' });
    await declinedTo(methodId, 16);
    const { id: fine } = await kept(await makeCustomer());
    await chargeTimes(16, { methodId: fine }, 'SUCCESS');
    const rows = await db.query(
      `select from payment_method_decline where 'mtd_' || replace(method_id::text, '-', '') = any ($1)`,
      [[methodId, fine]],
    );
    expect(rows).toEqual([]);
  });

  test('binds a payment of an invoice as well, and not a debit', async () => {
    const customerId = await makeCustomer();
    const word = 'sandbox:decline:insufficient_funds';
    const { id: methodId } = await kept(customerId, { token: word });
    await declinedTo(methodId, 15);
    const lines = [{ description: 'Bread', quantity: 1, unitAmount: 500 }];
    const { id } = dataOf(await florin.post('/api/invoice/create', { customerId, currency: 'USD', lines }, admin));
    dataOf(await florin.post('/api/invoice/finalize', { id }, admin));
    expect(refusal(await florin.post('/api/invoice/pay', { id, methodId }, admin))).toEqual(reached);
    const { id: debit } = await kept(customerId, { token: word, type: 'sepa_debit', consent });
    await declinedTo(debit, 16);
  });
});

const consent = { ipAddress: '192.0.2.7', userAgent: 'A browser', acceptedTime: '2027-01-31T10:00:00.000Z' };

describe('a setup that the provider refuses for a reason of ours', () => {
  test('warns an operator, and a declined one does not', async () => {
    const refusals = async () => {
      const { body } = await florin.call('GET', '/metrics');
      return Number(/florin_provider_refusals_total\{[^}]*invalid_operation[^}]*\} (\d+)/.exec(String(body))?.[1] ?? 0);
    };
    const before = await refusals();
    const customerId = await makeCustomer();
    const declined = dataOf(await setUp({ customerId, channelId, token: 'sandbox:setup:fail' }));
    await methodIn(declined.id, 'FAILED');
    expect(await refusals()).toBe(before);
    const unknown = dataOf(await setUp({ customerId, channelId, token: 'sandbox:no-such-word' }));
    expect(await methodIn(unknown.id, 'FAILED')).toMatchObject({ failureCode: 'invalid_operation' });
    await eventually('it is counted', async () => (await refusals()) === before + 1);
  });
});
