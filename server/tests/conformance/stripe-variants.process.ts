import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayMs } from '../../src/core/clock.ts';
import type { KeptMethod, ProviderMethod } from '../../src/domains/payments/providers/kept-method.ts';
import type { ChargeOperation } from '../../src/domains/payments/providers/provider.ts';
import {
  callWith,
  cancelOperation,
  captureOperation,
  chargeOperation,
  refundOperation,
  releaseOperation,
  setupOperation,
} from '../../src/domains/payments/providers/stripe/fixture/operations.ts';
import { StripeProvider } from '../../src/domains/payments/providers/stripe/stripe.ts';
import { variantsOf, wordsOfConnector } from '../support/conformance/answer-variants.ts';
import { documentsFolder } from '../support/conformance/documents.ts';
import type { OpenApiContract } from '../support/conformance/openapi-contract.ts';
import { stripeContract } from '../support/conformance/stripe-contract.ts';
import { type ExplainedDifferences, type Scenarios, testVariedAnswers } from '../support/conformance/varied-answers.ts';
import { type StripeSimulator, startStripeSimulator } from '../support/simulators/stripe.ts';

/**
 * Whatever Stripe's document lets an answer leave out, the connector reads the answer. Each answer of a scenario is
 * varied in one place, the variants that the document allows are replayed, and none may change the outcome, but for
 * those listed.
 */
describe.skipIf(documentsFolder === undefined)('Stripe', () => {
  let contract: OpenApiContract;
  let simulator: StripeSimulator;
  let stripe: StripeProvider;
  const call = callWith();
  const words = wordsOfConnector('stripe');
  const later = () => new StripeProvider(simulator.url, () => Date.now() + 2 * dayMs);

  beforeAll(async () => {
    contract = stripeContract() as OpenApiContract;
    simulator = await startStripeSimulator();
    stripe = new StripeProvider(simulator.url);
  });
  afterAll(() => simulator.close());

  const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };
  const save = () => ({
    customer: { reference: null, key: `cus_${Math.random()}`, name: 'Ada', email: 'ada@example.org', livemode: false },
    agreement: 'SUBSCRIPTION' as const,
    consent,
  });
  const referenceOf = (outcome: unknown) => (outcome as { reference: string }).reference;

  async function kept(facts = {}): Promise<KeptMethod> {
    const outcome = await stripe.methods.setUp(setupOperation(facts), call);
    return { ...(outcome as { method: ProviderMethod }).method, agreement: 'SUBSCRIPTION' };
  }
  const debit = { token: 'pm_success_de', consent, currency: 'EUR' };

  async function charged(facts: Partial<ChargeOperation> = {}): Promise<ChargeOperation> {
    const operation = chargeOperation(facts);
    return { ...operation, reference: referenceOf(await stripe.charge(operation, call)) };
  }

  async function paidPage(method: string, facts: Partial<ChargeOperation> = {}) {
    const operation = await charged({ paymentMethod: null, ...facts });
    simulator.account.sessions.submit(operation.reference as string, method);
    return operation;
  }

  const scenarios: Scenarios = {
    'a charge': async () => {
      const operation = chargeOperation();
      return () => stripe.charge(operation, call);
    },
    'a charge that the payer authenticates': async () => {
      const operation = chargeOperation({ paymentMethod: 'pm_card_threeDSecure' });
      return () => stripe.charge(operation, call);
    },
    'a declined charge': async () => {
      const operation = chargeOperation({ paymentMethod: 'pm_card_chargeDeclined' });
      return () => stripe.charge(operation, call);
    },
    'a charge that keeps its card': async () => {
      const operation = chargeOperation({ save: save() });
      return () => stripe.charge(operation, call);
    },
    'an embedded payment': async () => {
      const operation = chargeOperation({ paymentMethod: null, payerFlow: 'EMBEDDED' });
      return () => stripe.charge(operation, call);
    },
    'a renewal by card': async () => {
      const operation = chargeOperation({ paymentMethod: null, method: await kept(), initiator: 'MERCHANT' });
      return () => stripe.charge(operation, call);
    },
    'a renewal by card that wants the payer': async () => {
      const method = await kept({ token: 'pm_card_authenticationRequired' });
      const operation = chargeOperation({ paymentMethod: null, method, initiator: 'MERCHANT' });
      return () => stripe.charge(operation, call);
    },
    'a renewal by debit': async () => {
      const method = await kept(debit);
      const operation = chargeOperation({ paymentMethod: null, method, initiator: 'MERCHANT', currency: 'EUR' });
      return () => stripe.charge(operation, call);
    },
    'a renewal with a method that has ended': async () => {
      const method = await kept();
      simulator.account.methods.detach(method.reference);
      const operation = chargeOperation({ paymentMethod: null, method, initiator: 'MERCHANT' });
      return () => stripe.charge(operation, call);
    },
    'an authorization': async () => {
      const operation = chargeOperation({ captureMethod: 'MANUAL' });
      return () => stripe.charge(operation, call);
    },
    'a page': async () => {
      const operation = chargeOperation({ paymentMethod: null });
      return () => stripe.charge(operation, call);
    },
    'a page that was paid': async () => {
      const operation = await paidPage('pm_card_visa', { save: save() });
      return () => stripe.lookUp(operation, call);
    },
    'a page that was paid by iDEAL': async () => {
      const operation = await paidPage('pm_ideal', { save: save(), currency: 'EUR' });
      return () => stripe.lookUp(operation, call);
    },
    'a page that has expired': async () => {
      const operation = await charged({ paymentMethod: null });
      simulator.account.sessions.expire(operation.reference as string, {});
      return () => stripe.lookUp(operation, call);
    },
    'a page found by its key': async () => {
      const { reference: _, ...operation } = await charged({ paymentMethod: null });
      return () => later().lookUp({ ...operation, reference: null }, call);
    },
    'a charge found by its key': async () => {
      const { reference: _, ...operation } = await charged();
      return () => later().lookUp({ ...operation, reference: null }, call);
    },
    'a debit that failed': async () => {
      const operation = await charged({ paymentMethod: 'pm_success_de', currency: 'EUR', save: save() });
      simulator.account.settle(operation.reference as string, false);
      return () => stripe.lookUp(operation, call);
    },
    'a debit that succeeded': async () => {
      const operation = await charged({ paymentMethod: 'pm_success_de', currency: 'EUR', save: save() });
      simulator.account.settle(operation.reference as string, true);
      return () => stripe.lookUp(operation, call);
    },
    'a cancellation': async () => {
      const operation = await charged({ paymentMethod: null, payerFlow: 'EMBEDDED' });
      return () => stripe.cancel(cancelOperation(operation), call);
    },
    'a cancellation of a page': async () => {
      const operation = await charged({ paymentMethod: null });
      return () => stripe.cancel(cancelOperation(operation), call);
    },
    'a refund': async () => {
      const operation = refundOperation((await charged()).reference as string);
      return () => stripe.refund(operation, call);
    },
    'a refund found by its key': async () => {
      const operation = refundOperation((await charged()).reference as string);
      await stripe.refund(operation, call);
      return () => later().lookUp(operation, call);
    },
    'a capture': async () => {
      const operation = captureOperation((await charged({ captureMethod: 'MANUAL' })).reference as string);
      return () => stripe.captures.capture(operation, call);
    },
    'a release': async () => {
      const operation = releaseOperation((await charged({ captureMethod: 'MANUAL' })).reference as string);
      return () => stripe.captures.release(operation, call);
    },
    'a setup of a card': async () => {
      const operation = setupOperation();
      return () => stripe.methods.setUp(operation, call);
    },
    'a setup of a debit': async () => {
      const operation = setupOperation(debit);
      return () => stripe.methods.setUp(operation, call);
    },
    'a setup that was declined': async () => {
      const operation = setupOperation({ token: 'pm_card_chargeDeclinedStolenCard' });
      return () => stripe.methods.setUp(operation, call);
    },
    'a setup that the payer authenticates': async () => {
      const operation = setupOperation({ token: 'pm_card_threeDSecure' });
      return () => stripe.methods.setUp(operation, call);
    },
    'a setup on a page': async () => {
      const operation = setupOperation({ token: null });
      return () => stripe.methods.setUp(operation, call);
    },
    'a setup that was finished on a page': async () => {
      const operation = setupOperation({ token: null });
      const reference = referenceOf(await stripe.methods.setUp(operation, call));
      simulator.account.sessions.submit(reference, 'pm_card_visa');
      return () => stripe.methods.lookUp({ ...operation, reference }, call);
    },
    'a kept card that is read': async () => {
      const method = await kept();
      return () => stripe.methods.read(method, call);
    },
    'a kept debit that is read': async () => {
      const method = await kept(debit);
      return () => stripe.methods.read(method, call);
    },
    'a method that is detached': async () => {
      const method = await kept();
      return () => stripe.methods.detach({ kind: 'DETACH', key: 'mtd_1-2', methodId: 'mtd_1', method }, call);
    },
    'a dispute that is read': async () => {
      const { reference: charge } = await charged();
      const { id: dispute } = simulator.account.disputes.open(charge as string);
      return () => stripe.disputes.read({ dispute, charge }, call);
    },
    'the money of a charge that is read': async () => {
      const { reference: charge } = await charged();
      simulator.account.disputes.open(charge as string);
      return () => stripe.disputes.listOf(charge as string, null, call);
    },
    'a refund that is read': async () => {
      const { reference: charge } = await charged();
      const { id: refund } = simulator.account.createRefund({ payment_intent: charge as string });
      return () => stripe.disputes.readRefund({ refund, charge: charge as string }, call);
    },
  };

  /** What Stripe leaves out is missed in these places, and the look-up that follows finds it. */
  const explained: ExplainedDifferences = [
    // The status says everything.
    [/sessions|refunds.* (no|null as) status$/, 'pending'],
    [/expire .* (no|null as) status$/, 'unknown'],
    [/capture .* no amount_received$/, 'pending'],
    // By these an operation is recognised in a list.
    [/\/data\/0 has (no|null as) (client_reference_id|metadata)$|no florin_key$/, 'unknown'],
    // A page that was finished has made them.
    [/sessions.* (no|null as) (payment_intent|setup_intent)$/, 'unknown'],
    // Without them nothing was kept.
    [/setup_intents.* (no|null as) (customer|payment_method)$/, 'failed'],
    // It was detached.
    [/payment_methods.* (no|null as) customer$/, 'ended'],
  ];

  testVariedAnswers(scenarios, explained, () => ({ contract, words }));

  test('every event can be read, whatever it leaves out', () => {
    const types = new Map(simulator.events.map((event) => [event.type, event]));
    expect(types.size).toBeGreaterThan(15);
    for (const event of types.values()) {
      for (const { answer } of variantsOf(event.data.object, words)) {
        const { headers, body } = simulator.sign({ ...event, data: { object: answer } });
        const read = stripe.readCallback({ headers, query: {}, body, receivedMs: Date.now() }, call.credentials);
        expect(read.eventId).toBe(event.id);
      }
    }
  });
});
