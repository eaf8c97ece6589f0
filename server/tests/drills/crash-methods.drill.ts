import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeCustomer } from '../support/billing/invoices.ts';
import { dataOf, makeChannel, unique } from '../support/factories.ts';
import { eventually } from '../support/postgres/database.ts';
import { administratorPassword } from '../support/service/florin.ts';
import { type ReadyService, startService } from '../support/service/service-process.ts';
import { verified } from '../support/service/verified.ts';
import { type StripeSimulator, simulatedApiKey, startStripeSimulator } from '../support/simulators/stripe.ts';
import type { SignedCallback } from '../support/simulators/stripe-records.ts';

/** The provider may still be processing the request of the killed service; it is then asked again after 5 and 30 s. */
const lookedUpWithinMs = 50_000;

/** A customer here, and the name under which Stripe knows it. */
interface Customer {
  id: number;
  name: string;
}

/**
 * Kills the service at every step around payment methods, and lets Stripe, in another process, lose answers, forget
 * customers and detach methods: by Stripe's own records nobody is charged twice, no token is kept twice, and every
 * payment and method ends as Stripe says.
 */
describe('a crash at each step around a payment method', () => {
  let dataDir: string;
  let stripe: StripeSimulator;
  let service: ReadyService;
  let as: string;
  let channelId: number;
  /** Whether Stripe's events reach the service. */
  let areEventsSent = false;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'florin-crash-'));
    const onEvent = (event: SignedCallback) => {
      // The service may be dead: Stripe would send it again, and Florin looks up what it does not get.
      if (areEventsSent) receive(event).catch(() => {});
    };
    stripe = await startStripeSimulator({ onEvent });
    await start();
    const credentials = { apiKey: simulatedApiKey, webhookSecret: stripe.webhookSecret };
    channelId = await makeChannel(service, as, { provider: 'stripe', livemode: false, ...credentials });
    await service.end('SIGTERM');
  });

  beforeEach(() => start());

  afterEach(async () => {
    areEventsSent = false;
    await service.end('SIGTERM');
  });

  afterAll(async () => {
    await stripe.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function start(changes: Record<string, string> = {}): Promise<void> {
    const environment = {
      PORT: '0',
      APP_DATA_DIR: dataDir,
      APP_ADMIN_PASSWORD: administratorPassword,
      APP_PROVIDER_STRIPE_URL: stripe.url,
      APP_PROVIDER_TIMEOUT: '2s',
      ...changes,
    };
    service = await startService({ environment });
    as = await service.login('admin', administratorPassword);
  }

  const receive = ({ headers, body }: SignedCallback) =>
    service.call('POST', `/api/callback/${channelId}`, { headers, body: body.toString() }).catch(() => null);

  /**
   * Starts the service so that it dies at a step of what `act` asks for, and starts it again after that. `recorded`:
   * it dies before a worker has claimed the operation.
   */
  async function killedAt(step: string, act: () => Promise<unknown>): Promise<void> {
    await service.end('SIGTERM');
    if (step === 'recorded') {
      await start({ APP_ROLE: 'api' });
      await act();
      await service.end('SIGKILL');
    } else {
      await start({ APP_DRILL_FAIL_POINT: step });
      // The answer may be lost: what was asked for is found in the lists.
      await act().catch(() => null);
      expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' });
    }
    await start();
  }

  const post = async (path: string, input: object) => dataOf(await service.post(`/api/${path}`, input, as));
  const get = async (path: string) => dataOf(await service.get(`/api/${path}`, as));

  async function customer(): Promise<Customer> {
    const name = unique('Customer');
    return { id: await makeCustomer(service, as, { name, livemode: false }), name };
  }

  const setUp = ({ id: customerId }: Customer, token = 'pm_card_visa') =>
    post('payment-method/setup', { customerId, channelId, token });
  const create = (input: object) => post('transaction/create', { amount: 1999, currency: 'USD', channelId, ...input });
  const payAndSave = ({ id: customerId }: Customer, paymentMethod = 'pm_card_visa') =>
    create({ customerId, saveMethod: true, paymentMethod });
  const chargeOffSession = (methodId: string) => create({ methodId, initiator: 'MERCHANT' });
  const detach = (id: string) => post('payment-method/detach', { id });

  const methodsOf = ({ id }: Customer): Promise<{ id: string; status: string; failureCode: string | null }[]> =>
    get(`payment-method/list?customerId=${id}&livemode=false`);
  const paymentsOf = ({ id }: Customer): Promise<{ id: string; status: string; methodId: string | null }[]> =>
    get(`transaction/list?customerId=${id}&livemode=false`);

  const methodEnding = (id: string) =>
    eventually(
      `${id} is known to Stripe`,
      async () => {
        const found = await get(`payment-method/detail?id=${id}`);
        return found.status !== 'PENDING' && found;
      },
      lookedUpWithinMs,
    );
  const methodIs = (id: string, status: string) =>
    eventually(
      `${id} is ${status}`,
      async () => {
        const found = await get(`payment-method/detail?id=${id}`);
        return found.status === status && found;
      },
      lookedUpWithinMs,
    );
  const paymentEnding = (id: string) =>
    eventually(
      `${id} has ended`,
      async () => {
        const found = await get(`transaction/detail?id=${id}`);
        return found.status !== 'PENDING' && found.status !== 'PROCESSING' && found;
      },
      lookedUpWithinMs,
    );

  /** A method that is kept, and its customer. */
  async function kept(): Promise<{ owner: Customer; id: string }> {
    const owner = await customer();
    const { id } = await setUp(owner);
    await methodIs(id, 'ACTIVE');
    return { owner, id };
  }

  /** Those who live at Stripe under the name of a customer, and what they keep there. */
  function atStripe({ name }: Customer): { customers: number; methods: number } {
    const living = stripe.account.customers.all.filter((one) => one.name === name && !one.isDeleted);
    return {
      customers: living.length,
      methods: living.flatMap(({ id }) => stripe.account.methods.ofCustomer(id)).length,
    };
  }

  function livingIdOf({ name }: Customer): string {
    return stripe.account.customers.all.find((one) => one.name === name && !one.isDeleted)?.id as string;
  }

  /** The setups that a method took at Stripe, by their state. */
  const setupsOf = (id: string): string[] =>
    [...stripe.account.setups.all.values()]
      .filter(({ metadata }) => metadata.florin_payment_method === id)
      .map(({ status }) => status);

  const chargesOf = (id: string) => stripe.charges.filter(({ metadata }) => metadata.florin_key?.startsWith(id));

  /** What a customer has been charged and keeps here is what Stripe has recorded. */
  async function expectAsAtStripe(owner: Customer): Promise<void> {
    for (const { id, status } of await paymentsOf(owner)) {
      expect(chargesOf(id), `${id} is ${status}`).toHaveLength(status === 'SUCCESS' ? 1 : 0);
    }
    const methods = await methodsOf(owner);
    const active = methods.filter(({ status }) => status === 'ACTIVE');
    expect(atStripe(owner).methods).toBe(active.length);
    expect(atStripe(owner).customers).toBeLessThanOrEqual(1);
  }

  test.each(['recorded', 'method_claimed', 'method_calling', 'method_answered', 'method_settled'])(
    'killed at %s of a setup, every token is kept once, by one customer at Stripe',
    async (step) => {
      const [owner, declined] = [await customer(), await customer()];
      const setups = () =>
        Promise.all([setUp(owner), setUp(owner), setUp(declined, 'pm_card_chargeDeclinedStolenCard')]);
      await killedAt(step, setups);
      const kept = await methodsOf(owner);
      for (const { id } of kept)
        expect([(await methodEnding(id)).status, setupsOf(id)]).toEqual(['ACTIVE', ['succeeded']]);
      for (const { id } of await methodsOf(declined)) {
        expect([(await methodEnding(id)).status, setupsOf(id)]).toEqual(['FAILED', ['canceled']]);
      }
      expect(kept.length).toBeGreaterThan(0);
      expect(atStripe(owner)).toEqual({ customers: 1, methods: kept.length });
      await expectAsAtStripe(declined);
    },
  );

  test.each(['recorded', 'claimed', 'begun', 'calling', 'answered', 'settled'])(
    'killed at %s of a charge that saves its method, the payer is charged once and kept once',
    async (step) => {
      const [owner, declined] = [await customer(), await customer()];
      const payments = () =>
        Promise.all([payAndSave(owner), payAndSave(owner), payAndSave(declined, 'pm_card_chargeDeclinedStolenCard')]);
      await killedAt(step, payments);
      const made = await paymentsOf(owner);
      const methodIds = new Set<string>();
      for (const { id } of made) {
        const { status, methodId } = await paymentEnding(id);
        expect(status).toBe('SUCCESS');
        expect((await methodEnding(methodId)).status).toBe('ACTIVE');
        methodIds.add(methodId);
      }
      for (const { id } of await paymentsOf(declined)) {
        expect(await paymentEnding(id)).toMatchObject({ status: 'FAILED', methodId: null });
      }
      expect(made.length).toBeGreaterThan(0);
      expect(methodIds.size).toBe(made.length);
      expect(await methodsOf(owner)).toHaveLength(made.length);
      await expectAsAtStripe(owner);
      await expectAsAtStripe(declined);
    },
  );

  test.each(['recorded', 'claimed', 'begun', 'calling', 'answered', 'settled'])(
    'killed at %s of an off-session charge, the method is charged once and stays',
    async (step) => {
      const { owner, id } = await kept();
      await killedAt(step, () => Promise.all([chargeOffSession(id), chargeOffSession(id)]));
      const made = await paymentsOf(owner);
      for (const payment of made) expect((await paymentEnding(payment.id)).status).toBe('SUCCESS');
      expect(made.length).toBeGreaterThan(0);
      expect((await methodsOf(owner)).map(({ status }) => status)).toEqual(['ACTIVE']);
      await expectAsAtStripe(owner);
    },
  );

  test.each(['recorded', 'method_claimed', 'method_calling', 'method_answered', 'method_settled'])(
    'killed at %s of a detachment, the method is detached here and at Stripe',
    async (step) => {
      const { owner, id } = await kept();
      await killedAt(step, () => detach(id));
      expect((await methodEnding(id)).status).toBe('DETACHED');
      await eventually('Stripe has detached it', () => atStripe(owner).methods === 0, lookedUpWithinMs);
    },
  );

  test('killed while Stripe is at work, a setup and both kinds of charges are found, not repeated', async () => {
    const { owner, id } = await kept();
    const other = await customer();
    const arrived = [
      stripe.next('stall', /^POST \/v1\/setup_intents$/),
      stripe.next('stall', /^POST \/v1\/payment_intents$/),
      stripe.next('stall', /^POST \/v1\/payment_intents$/),
    ];
    const setup = await setUp(other);
    const [saving, offSession] = [await payAndSave(other), await chargeOffSession(id)];
    await Promise.all(arrived);
    await service.end('SIGKILL');
    stripe.resume();
    await start();
    expect((await methodEnding(setup.id)).status).toBe('ACTIVE');
    expect((await paymentEnding(saving.id)).status).toBe('SUCCESS');
    expect((await paymentEnding(offSession.id)).status).toBe('SUCCESS');
    expect(atStripe(other)).toEqual({ customers: 1, methods: 2 });
    for (const one of [owner, other]) await expectAsAtStripe(one);
  });

  test.each([
    ['method_answered', 'a setup', (owner: Customer) => setUp(owner)],
    ['answered', 'a charge that saves its method', (owner: Customer) => payAndSave(owner)],
    ['method_settled', 'a setup', (owner: Customer) => setUp(owner)],
    ['settled', 'a charge that saves its method', (owner: Customer) => payAndSave(owner)],
  ])('killed at %s of %s after the webhook has come, it is kept once', async (step, _, act) => {
    const owner = await customer();
    areEventsSent = true;
    await killedAt(step, () => act(owner));
    for (const { id } of await paymentsOf(owner)) expect((await paymentEnding(id)).status).toBe('SUCCESS');
    const [method, ...further] = await methodsOf(owner);
    await methodIs(method?.id as string, 'ACTIVE');
    expect(further).toEqual([]);
    await expectAsAtStripe(owner);
  });

  test.each(['dropAfter', 'hangAfter', 'garbageAfter', 'status500After'] as const)(
    'an answer that is lost (%s) after Stripe has done it repeats nothing',
    async (fault) => {
      const { owner, id } = await kept();
      const [settingUp, paying] = [await customer(), await customer()];
      const lost = async (on: RegExp, act: () => Promise<{ id: string }>) => {
        const hit = stripe.next(fault, on);
        const made = await act();
        await hit;
        return made.id;
      };
      const setup = await lost(/^POST \/v1\/setup_intents$/, () => setUp(settingUp));
      const ofCustomer = await lost(/^POST \/v1\/customers$/, () => setUp(paying));
      const saving = await lost(/^POST \/v1\/payment_intents$/, () => payAndSave(paying));
      const offSession = await lost(/^POST \/v1\/payment_intents$/, () => chargeOffSession(id));
      for (const one of [setup, ofCustomer]) expect((await methodEnding(one)).status).toBe('ACTIVE');
      for (const one of [saving, offSession]) expect((await paymentEnding(one)).status).toBe('SUCCESS');
      expect(atStripe(paying)).toEqual({ customers: 1, methods: 2 });
      for (const one of [owner, settingUp, paying]) await expectAsAtStripe(one);
      await lost(/^POST \/v1\/payment_methods\/.*\/detach$/, () => detach(id));
      await eventually('Stripe has detached it', () => atStripe(owner).methods === 0, lookedUpWithinMs);
    },
  );

  test.each([
    ['is told', true],
    ['is not told', false],
  ])(
    'a customer is deleted at Stripe before a charge, which Florin %s: the next card is kept and charged',
    async (_, isTold) => {
      const { owner, id } = await kept();
      areEventsSent = isTold;
      stripe.account.customers.delete(livingIdOf(owner));
      if (isTold) await methodIs(id, 'REVOKED');
      else expect((await paymentEnding((await chargeOffSession(id)).id)).status).toBe('FAILED');
      await methodIs(id, 'REVOKED');
      const next = await setUp(owner);
      await methodIs(next.id, 'ACTIVE');
      expect((await paymentEnding((await chargeOffSession(next.id)).id)).status).toBe('SUCCESS');
      // A day later Stripe has forgotten the key under which it has created the customer.
      stripe.forgetKeys();
      await methodIs((await setUp(owner)).id, 'ACTIVE');
      expect((await paymentEnding((await payAndSave(owner)).id)).status).toBe('SUCCESS');
      expect(atStripe(owner)).toEqual({ customers: 1, methods: 3 });
      await expectAsAtStripe(owner);
    },
  );

  test('a customer is deleted at Stripe before the answer of a setup is known: the method is not ACTIVE', async () => {
    const [settingUp, paying] = [await customer(), await customer()];
    areEventsSent = true;
    const setup = await deletedBeforeAnswer(/^POST \/v1\/setup_intents$/, settingUp, () => setUp(settingUp));
    const payment = await deletedBeforeAnswer(/^POST \/v1\/payment_intents$/, paying, () => payAndSave(paying));
    await methodIs(setup, 'REVOKED');
    const { status, methodId } = await paymentEnding(payment);
    expect(status).toBe('SUCCESS');
    await methodIs(methodId, 'REVOKED');
    for (const owner of [settingUp, paying]) {
      await expectAsAtStripe(owner);
      await methodIs((await setUp(owner)).id, 'ACTIVE');
      await expectAsAtStripe(owner);
    }
  });

  async function deletedBeforeAnswer(on: RegExp, owner: Customer, act: () => Promise<{ id: string }>): Promise<string> {
    const hit = stripe.next('hangAfter', on);
    const { id } = await act();
    await hit;
    stripe.account.customers.delete(livingIdOf(owner));
    return id;
  }

  test('a method is detached while its charge is sent: the charge ends as Stripe says, and only once', async () => {
    const { owner, id } = await kept();
    const arrived = stripe.next('stall', /^POST \/v1\/payment_intents$/);
    const overtaken = await chargeOffSession(id);
    await arrived;
    await detach(id);
    await eventually('Stripe has detached it', () => atStripe(owner).methods === 0, lookedUpWithinMs);
    stripe.resume();
    expect((await paymentEnding(overtaken.id)).status).toBe('FAILED');
    expect((await methodIs(id, 'DETACHED')).failureCode).toBe('mandate_revoked');

    const other = await kept();
    const hit = stripe.next('hangAfter', /^POST \/v1\/payment_intents$/);
    const charged = await chargeOffSession(other.id);
    await hit;
    await detach(other.id);
    expect((await paymentEnding(charged.id)).status).toBe('SUCCESS');
    await eventually('Stripe has detached it', () => atStripe(other.owner).methods === 0, lookedUpWithinMs);
    for (const one of [owner, other.owner]) await expectAsAtStripe(one);
  });

  test('a setup whose method is detached meanwhile is detached at Stripe, too, if the service is killed', async () => {
    const owner = await customer();
    const arrived = stripe.next('stall', /^POST \/v1\/setup_intents$/);
    const { id } = await setUp(owner);
    await arrived;
    await detach(id);
    await service.end('SIGKILL');
    stripe.resume();
    await start();
    await eventually('the setup is there', () => setupsOf(id).includes('succeeded'), lookedUpWithinMs);
    await eventually('Stripe has detached it', () => atStripe(owner).methods === 0, lookedUpWithinMs);
    expect((await methodEnding(id)).status).toBe('DETACHED');
  });

  test('verify finds nothing wrong after all of it', async () => {
    expect(await verified(dataDir)).toEqual({ code: 0, broken: [] });
  });
});
