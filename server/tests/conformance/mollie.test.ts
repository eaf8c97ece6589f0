import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callWith, chargeOperation } from '../../src/domains/payments/providers/mollie/fixture/operations.ts';
import { MollieProvider } from '../../src/domains/payments/providers/mollie/mollie.ts';
import {
  bankReasons,
  captureStatuses,
  chargebackReasons,
  events,
  failureReasons,
  mandateMethods,
  mandateStatuses,
  methods,
  paymentStatuses,
  refundStatuses,
  statusReasons,
} from '../../src/domains/payments/providers/mollie/vocabulary.ts';
import { documentsFolder } from '../support/conformance/documents.ts';
import { mollieContract } from '../support/conformance/mollie-contract.ts';
import type { OpenApiContract } from '../support/conformance/openapi-contract.ts';
import { MollieSimulator } from '../support/simulators/mollie.ts';

/**
 * The connector and the simulator of Mollie against Mollie's published document. All other tests with the simulator
 * compare their requests, answers and events with it too (`conformance-check.ts`); here are the tables and the proof
 * that a difference is found.
 */
describe.skipIf(documentsFolder === undefined)('Mollie', () => {
  let contract: OpenApiContract;
  let simulator: MollieSimulator;

  beforeAll(async () => {
    contract = mollieContract() as OpenApiContract;
    simulator = await MollieSimulator.start();
  });
  afterAll(() => simulator.close());

  const answered = (answer: unknown, status = 200, path = '/v2/payments/tr_1') =>
    contract.violationsOf({ method: 'GET', path, query: {}, body: undefined, status, answer });
  const asked = (body: unknown, answer: unknown) =>
    contract.violationsOf({ method: 'POST', path: '/v2/payments', query: {}, body, status: 201, answer });

  async function payment(): Promise<Record<string, unknown>> {
    const operation = chargeOperation();
    await new MollieProvider(simulator.url).charge(operation, callWith());
    const { id } = simulator.payments.at(-1) as { id: string };
    const { apiKey } = callWith().credentials;
    const response = await fetch(`${simulator.url}/v2/payments/${id}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    return (await response.json()) as Record<string, unknown>;
  }

  describe('the kit', () => {
    test("takes the document's own examples, but for members that they have and the document does not name", () => {
      const examples = [...contract.examples()].filter(({ where }) => relevant.test(where));
      expect(examples).toHaveLength(183);
      const differing = examples.flatMap(({ where, violations }) => violations().map((text) => `${where}: ${text}`));
      expect(differing.filter((text) => !/must NOT have (additional|unevaluated) properties/.test(text))).toEqual([]);
      const members = differing.map((text) => /"(?:additional|unevaluated)Property":"(\w+)"/.exec(text)?.[1] as string);
      expect([...new Set(members)].sort()).toEqual(undocumented);
    });

    test.each<[string, (payment: Record<string, unknown>) => void]>([
      ['without a required member', (one) => delete one.profileId],
      ['with a member of another type', (one) => Object.assign(one, { description: 7 })],
      ['with an undocumented member', (one) => Object.assign(one, { canBeCancelled: false })],
      ['with an unknown status', (one) => Object.assign(one, { status: 'invented_tomorrow' })],
      ['with an unknown method', (one) => Object.assign(one, { method: 'invented_tomorrow' })],
      ['with an id of something else', (one) => Object.assign(one, { id: 'ord_1' })],
      ['with an amount without its currency', (one) => delete (one.amount as Record<string, unknown>).currency],
      ['without a link', (one) => delete (one._links as Record<string, unknown>).self],
      ['with an undocumented link', (one) => Object.assign(one._links as object, { edit: { href: '', type: '' } })],
    ])('finds an answer %s', async (_, change) => {
      const answer = await payment();
      expect(answered(answer)).toEqual([]);
      change(answer);
      expect(answered(answer)).not.toEqual([]);
    });

    test('finds a request with an undocumented or read-only member, a wrong value, or a member missing', async () => {
      const answer = await payment();
      const request = {
        amount: { currency: 'EUR', value: '1.00' },
        description: 'x',
        redirectUrl: 'https://shop.example.org',
      };
      expect(asked(request, answer)).toEqual([]);
      for (const wrong of [
        { ...request, colour: 'red' },
        { ...request, status: 'paid' },
        { ...request, method: 'invented_tomorrow' },
        { ...request, method: 'klarnapaylater' },
        { ...request, amount: { currency: 'EUR', value: '1.00', colour: 'red' } },
        { ...request, amount: undefined },
      ]) {
        expect(asked(wrong, answer)).not.toEqual([]);
      }
    });

    test('finds an error without its links, and an undocumented operation or status', async () => {
      const error = {
        status: 404,
        title: 'Not Found',
        detail: 'No payment exists',
        _links: { documentation: { href: '', type: '' } },
      };
      expect(answered(error, 404)).toEqual([]);
      expect(answered({ ...error, _links: undefined }, 404)).not.toEqual([]);
      expect(answered(await payment(), 206)).not.toEqual([]);
      expect(answered({}, 200, '/v2/payments/tr_1/colour')).not.toEqual([]);
    });

    test('fails a test when its simulator closes', async () => {
      const other = await MollieSimulator.start();
      const { apiKey } = callWith().credentials;
      await fetch(`${other.url}/v2/payments?colour=red`, { headers: { authorization: `Bearer ${apiKey}` } });
      await expect(other.close()).rejects.toThrow(/GET \/v2\/payments: .*colour/);
    });
  });

  describe('has a meaning here', () => {
    const documented = (schema: string) => (contract.schemaAt(schema).enum as string[]).filter(Boolean).sort();
    const sorted = (table: object) => Object.keys(table).sort();

    test('every status of a payment, of a refund and of a capture', () => {
      expect(sorted(captureStatuses)).toEqual(documented('capture-status-response'));
      expect(sorted(paymentStatuses)).toEqual(documented('payment-status'));
      expect(sorted(refundStatuses)).toEqual(documented('refund-status-response'));
    });

    test('every status and method of a mandate', () => {
      expect(sorted(mandateStatuses)).toEqual(documented('mandate-status-response'));
      expect(sorted(mandateMethods)).toEqual(documented('mandate-method-response'));
    });

    test('every reason of a failure', () => {
      expect(sorted(failureReasons)).toEqual(documented('payment-details-failure-reason-response'));
    });

    test('every reason of a status at a terminal', () => {
      const reasons = ['card-scheme', 'merchant', 'terminal', 'voucher'].flatMap((of) =>
        documented(`status-reason-${of}-response`),
      );
      expect(sorted(statusReasons)).toEqual([...new Set(reasons)].sort());
    });

    test('a chargeback has the reasons of a failed debit, which the document does not list', () => {
      expect(sorted(chargebackReasons)).toEqual(sorted(bankReasons));
      expect(contract.schemaAt('entity-chargeback', 'reason', 'code').enum).toBeUndefined();
    });

    test('every method, by the document and not by the library', () => {
      expect(sorted(methods)).toEqual(documented('method'));
    });

    test('every event about payments', () => {
      const others = /^(sales-invoice|business-account-transfer)\.|^\*$/;
      expect(sorted(events)).toEqual(documented('webhook-event-types-response').filter((type) => !others.test(type)));
    });
  });
});

/** The operations that have to do with payments: those about refunds, captures, mandates and others are below these. */
const relevant = /\/v2\/(payments|refunds|chargebacks|customers|methods)/;

/** Members of the examples that the document's schemas do not name. */
const undocumented = [
  '_embedded',
  'billingEmail',
  'cardToken',
  'documentation',
  'organizationName',
  'routes',
  'settlementAmount',
];
