import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KeptMethod, ProviderMethod } from '../../src/domains/payments/providers/kept-method.ts';
import {
  callWith,
  cancelOperation,
  captureOperation,
  chargeOperation,
  refundOperation,
  releaseOperation,
  saveRequest,
  setupOperation,
} from '../../src/domains/payments/providers/mollie/fixture/operations.ts';
import { MollieProvider } from '../../src/domains/payments/providers/mollie/mollie.ts';
import type { ChargeOperation, SetupOperation } from '../../src/domains/payments/providers/provider.ts';
import { variantsOf, wordsOfConnector } from '../support/conformance/answer-variants.ts';
import { documentsFolder } from '../support/conformance/documents.ts';
import { mollieContract } from '../support/conformance/mollie-contract.ts';
import type { OpenApiContract } from '../support/conformance/openapi-contract.ts';
import { type ExplainedDifferences, type Scenarios, testVariedAnswers } from '../support/conformance/varied-answers.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';

/**
 * Whatever Mollie's document lets an answer leave out, the connector reads the answer. Each answer of a scenario is
 * varied in one place, the variants that the document allows are replayed, and none may change the result, but for
 * those listed.
 */
describe.skipIf(documentsFolder === undefined)('Mollie', () => {
  let contract: OpenApiContract;
  let simulator: MollieSimulator;
  let mollie: MollieProvider;
  const call = callWith();
  const words = wordsOfConnector('mollie');

  beforeAll(async () => {
    contract = mollieContract() as OpenApiContract;
    simulator = await MollieSimulator.start();
    mollie = new MollieProvider(simulator.url);
  });
  afterAll(() => simulator.close());

  const referenceOf = (outcome: unknown) => (outcome as { reference: string }).reference;

  async function charged(facts: Partial<ChargeOperation> = {}) {
    const operation = chargeOperation(facts);
    return { ...operation, reference: referenceOf(await mollie.charge(operation, call)) };
  }

  async function paid(facts: Partial<ChargeOperation> = {}) {
    const operation = await charged(facts);
    simulator.pay(operation.reference);
    return operation;
  }

  /** What a first payment has kept. */
  async function kept(paymentMethod: string): Promise<KeptMethod> {
    const first = await paid({ paymentMethod, save: saveRequest() });
    const { kept: method } = (await mollie.lookUp(first, call)) as unknown as { kept: ProviderMethod };
    return { ...method, agreement: 'SUBSCRIPTION' };
  }

  async function started(facts: Partial<SetupOperation> = {}) {
    const operation = setupOperation(facts);
    return { ...operation, reference: referenceOf(await mollie.methods.setUp(operation, call)) };
  }

  const renewal = (method: KeptMethod) => chargeOperation({ method, initiator: 'MERCHANT' });
  const bankAccount = { holder: 'Ada Lovelace', iban: 'NL55INGB0000000000' };

  const scenarios: Scenarios = {
    'a payment': async () => {
      const operation = chargeOperation();
      return () => mollie.charge(operation, call);
    },
    'a payment that keeps its method': async () => {
      const operation = chargeOperation({ save: saveRequest() });
      return () => mollie.charge(operation, call);
    },
    'a paid payment that has kept its method': async () => {
      const operation = await paid({ save: saveRequest() });
      return () => mollie.lookUp(operation, call);
    },
    'a paid payment': async () => {
      const operation = await paid();
      return () => mollie.lookUp(operation, call);
    },
    'a payment found by its key': async () => {
      const operation = await charged();
      return () => mollie.lookUp({ ...operation, reference: null }, call);
    },
    'a payment that failed': async () => {
      const operation = await charged({ paymentMethod: 'creditcard' });
      simulator.fail(operation.reference, 'insufficient_funds');
      return () => mollie.lookUp(operation, call);
    },
    'a payment that has expired': async () => {
      const operation = await charged();
      simulator.expire(operation.reference);
      return () => mollie.lookUp(operation, call);
    },
    'an authorization': async () => {
      const operation = await charged({ captureMethod: 'MANUAL', paymentMethod: 'creditcard' });
      simulator.authorize(operation.reference);
      return () => mollie.lookUp(operation, call);
    },
    'a renewal by card': async () => {
      const operation = renewal(await kept('creditcard'));
      return () => mollie.charge(operation, call);
    },
    'a renewal by debit': async () => {
      const operation = renewal(await kept('ideal'));
      return () => mollie.charge(operation, call);
    },
    'a renewal whose mandate has ended': async () => {
      const method = await kept('creditcard');
      simulator.revokeMandate(method.reference);
      const operation = renewal(method);
      return () => mollie.charge(operation, call);
    },
    'a cancellation': async () => {
      const operation = await charged({ paymentMethod: 'banktransfer' });
      return () => mollie.cancel(cancelOperation(operation), call);
    },
    'a cancellation that comes too late': async () => {
      const operation = await charged();
      return () => mollie.cancel(cancelOperation(operation), call);
    },
    'a refund': async () => {
      const operation = refundOperation((await paid()).reference);
      return () => mollie.refund(operation, call);
    },
    'a refund found by its key': async () => {
      const operation = refundOperation((await paid()).reference);
      await mollie.refund(operation, call);
      return () => mollie.lookUp(operation, call);
    },
    'a capture': async () => {
      const { key: chargeKey, reference } = await charged({ captureMethod: 'MANUAL', paymentMethod: 'creditcard' });
      simulator.authorize(reference);
      const operation = captureOperation(reference, { chargeKey });
      return () => mollie.captures.capture(operation, call);
    },
    'a release': async () => {
      const { key: chargeKey, reference } = await charged({ captureMethod: 'MANUAL', paymentMethod: 'creditcard' });
      simulator.authorize(reference);
      const operation = releaseOperation(reference, { chargeKey });
      return () => mollie.captures.release(operation, call);
    },
    'a mandate for an IBAN': async () => {
      const operation = setupOperation({ bankAccount });
      return () => mollie.methods.setUp(operation, call);
    },
    'a mandate found by its reference': async () => {
      const operation = await started({ bankAccount });
      return () => mollie.methods.lookUp({ ...operation, reference: null }, call);
    },
    'a setup on a page': async () => {
      const operation = setupOperation({ type: 'card' });
      return () => mollie.methods.setUp(operation, call);
    },
    'a setup that was finished on a page': async () => {
      const operation = await started({ type: 'card' });
      simulator.pay(operation.reference, 'creditcard');
      return () => mollie.methods.lookUp(operation, call);
    },
    'a kept card that is read': async () => {
      const method = await kept('creditcard');
      return () => mollie.methods.read(method, call);
    },
    'a kept debit that is read': async () => {
      const method = await kept('ideal');
      return () => mollie.methods.read(method, call);
    },
    'a kept PayPal account that is read': async () => {
      const method = await kept('paypal');
      return () => mollie.methods.read(method, call);
    },
    'a method that is detached': async () => {
      const method = await kept('creditcard');
      return () => mollie.methods.detach({ kind: 'DETACH', key: 'mtd_1-2', methodId: 'mtd_1', method }, call);
    },
    'a chargeback that is read': async () => {
      const { reference: charge } = await paid();
      const { id: dispute } = simulator.chargeBack(charge, { code: 'AC04' });
      return () => mollie.disputes.read({ dispute, charge }, call);
    },
    'the money of a payment that is read': async () => {
      const { reference: charge } = await paid();
      simulator.chargeBack(charge, { value: '5.00' });
      return () => mollie.disputes.listOf(charge, null, call);
    },
    'a refund that is read': async () => {
      const { reference: charge } = await paid();
      const { id: refund } = simulator.refundInDashboard(charge);
      return () => mollie.disputes.readRefund({ refund, charge }, call);
    },
  };

  /** What Mollie leaves out is missed in these places, and the look-up that follows finds it. */
  const explained: ExplainedDifferences = [
    // By these an answer is recognised as that of the operation.
    [/(no|null as) (metadata|florin_key)$/, 'unknown'],
    [/_embedded\/\w+\/0.* (no|null as) (metadata|florin_key|mandateReference)$/, 'absent'],
    [/_embedded has no payments$/, 'unknown'],
    // Nobody can be sent to the page.
    [/no checkout$/, 'pending'],
    [/(no|null as) isCancelable$/, 'failed'],
    // Without them nothing was kept.
    [/(no|null as) (customerId|mandateId)$/, 'failed'],
  ];

  testVariedAnswers(scenarios, explained, () => ({ contract, words }));

  test.each(['event', 'bare', 'entity'] as const)(
    'a signed callback in the form %s can be read, whatever it leaves out',
    async (form) => {
      const { reference } = await paid();
      const ids = [reference, simulator.chargeBack(reference, { value: '5.00' }).id];
      ids.push(simulator.refundInDashboard(reference, '5.00').id);
      const secret = call.credentials.webhookSecret as string;
      for (const id of ids) {
        const sent = simulator.signedCallback(id, secret, form);
        for (const { answer } of variantsOf(JSON.parse(sent.body), words)) {
          const { headers, body } = simulator.signed(JSON.stringify(answer), secret);
          const read = mollie.readCallback(
            { headers, query: {}, body: Buffer.from(body), receivedMs: Date.now() },
            call.credentials,
          );
          expect(read.eventId).not.toBe('');
        }
      }
    },
  );
});
