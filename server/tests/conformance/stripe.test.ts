import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  appealEvidence,
  disputeReasons,
  disputeStatuses,
  evidence,
} from '../../src/domains/payments/providers/stripe/dispute-vocabulary.ts';
import { meaningOfCode } from '../../src/domains/payments/providers/stripe/error-codes.ts';
import {
  callWith,
  chargeOperation,
  setupOperation,
} from '../../src/domains/payments/providers/stripe/fixture/operations.ts';
import { StripeProvider } from '../../src/domains/payments/providers/stripe/stripe.ts';
import {
  cancellationReasons,
  events,
  excludableTypes,
  intentStatuses,
  mandateStatuses,
  methodTypes,
  pagesOfActions,
  refundFailureReasons,
  refundStatuses,
  sessionStatuses,
  setupStatuses,
} from '../../src/domains/payments/providers/stripe/vocabulary.ts';
import { documentsFolder } from '../support/conformance/documents.ts';
import type { Exchange, OpenApiContract } from '../support/conformance/openapi-contract.ts';
import type { SchemaObject } from '../support/conformance/strict-schema.ts';
import { stripeContract, stripeFixtures } from '../support/conformance/stripe-contract.ts';
import { sdkMembersOf, sdkWordsOf } from '../support/conformance/stripe-sdk.ts';
import { type StripeSimulator, startStripeSimulator } from '../support/simulators/stripe.ts';
import type { SimulatedSetup } from '../support/simulators/stripe-records.ts';

/**
 * The connector and the simulator of Stripe against Stripe's published document. All other tests with the simulator
 * compare their requests, answers and events with it too (`conformance-check.ts`); here are the tables, the versions
 * and the proof that a difference is found.
 */
describe.skipIf(documentsFolder === undefined)('Stripe', () => {
  let contract: OpenApiContract;
  let simulator: StripeSimulator;
  let stripe: StripeProvider;

  beforeAll(async () => {
    contract = stripeContract() as OpenApiContract;
    simulator = await startStripeSimulator();
    stripe = new StripeProvider(simulator.url);
  });
  afterAll(() => simulator.close());

  const paths = {
    intents: '/v1/payment_intents',
    intent: '/v1/payment_intents/pi_1',
    cancel: '/v1/payment_intents/pi_1/cancel',
    refunds: '/v1/refunds',
  };

  /** A payment that the simulator has taken, expanded as the connector asks for it. */
  async function paidIntent(): Promise<Record<string, unknown>> {
    await stripe.charge(chargeOperation(), callWith());
    const [id] = [...simulator.account.intents.keys()].slice(-1);
    return read(`${paths.intents}/${id}?expand[0]=latest_charge.balance_transaction`);
  }

  async function read(path: string): Promise<Record<string, unknown>> {
    const authorization = `Bearer ${callWith().credentials.apiKey}`;
    return (await (await fetch(simulator.url + path, { headers: { authorization } })).json()) as never;
  }

  /** The page of a payment. */
  async function openedPage(): Promise<string> {
    const outcome = await stripe.charge(chargeOperation({ paymentMethod: null }), callWith());
    return (outcome as { reference: string }).reference;
  }

  /** The setup of a debit. */
  async function keptDebit() {
    const consent = { ipAddress: '192.0.2.1', userAgent: 'Browser', acceptedTime: '2026-11-27T10:00:00.000Z' };
    await stripe.methods.setUp(setupOperation({ token: 'pm_success_de', consent }), callWith());
    return [...simulator.account.setups.all.values()].at(-1) as SimulatedSetup;
  }

  const answered = (answer: unknown, changes: Partial<Exchange> = {}) =>
    contract.violationsOf({
      method: 'GET',
      path: paths.intent,
      query: {},
      body: undefined,
      status: 200,
      answer,
      ...changes,
    });
  const asked = (body: unknown, path = paths.intents, answer = stripeFixtures().payment_intent) =>
    contract.violationsOf({ method: 'POST', path, query: {}, body, status: 200, answer: strippedOf(answer) });
  /** `source` is in Stripe's answers and in the library, and not in the document. */
  const strippedOf = ({ source: _, ...documented }: Record<string, unknown> = {}) => documented;

  describe('the kit', () => {
    test.each([
      'payment_intent',
      'charge',
      'refund',
      'balance_transaction',
      'event',
      'customer',
      'payment_method',
      'mandate',
      'setup_intent',
      'checkout.session',
      'dispute',
      'file',
      'radar.early_fraud_warning',
      'payout',
    ])('takes the %s that Stripe publishes as a fixture', (name) => {
      expect(contract.violationsOfSchema(name, strippedOf(stripeFixtures()[name]))).toEqual([]);
    });

    test.each<[string, (intent: Record<string, unknown>) => void]>([
      ['without a required member', (intent) => delete intent.livemode],
      ['with a member of another type', (intent) => Object.assign(intent, { amount: '1999' })],
      ['with an undocumented member', (intent) => Object.assign(intent, { return_url: null })],
      ['with an unknown status', (intent) => Object.assign(intent, { status: 'invented_tomorrow' })],
      ['with null where there is always a value', (intent) => Object.assign(intent, { created: null })],
      ['with a currency in capitals', (intent) => Object.assign(intent, { currency: 'USD' })],
      ['whose charge lacks a member', (intent) => delete (intent.latest_charge as Record<string, unknown>).disputed],
      [
        'whose charge has an undocumented member',
        (intent) => Object.assign(intent.latest_charge as object, { key: 1 }),
      ],
      [
        'whose next action is of no known kind',
        (intent) => Object.assign(intent, { next_action: { type: 'a', b: {} } }),
      ],
    ])('finds an answer %s', async (_, change) => {
      const intent = await paidIntent();
      expect(answered(intent)).toEqual([]);
      change(intent);
      expect(answered(intent)).not.toEqual([]);
    });

    test('finds a request with an undocumented parameter, a wrong value, or without a required parameter', () => {
      const form = { amount: '1999', currency: 'usd', metadata: { order: '1' }, expand: ['latest_charge'] };
      expect(asked(form)).toEqual([]);
      for (const wrong of [
        { ...form, colour: 'red' },
        { ...form, amount: 'many' },
        { ...form, capture_method: 'tomorrow' },
        { ...form, automatic_payment_methods: { enabled: 'true', colour: 'red' } },
        { ...form, description: 'x'.repeat(1_001) },
        { currency: 'usd' },
      ]) {
        expect(asked(wrong)).not.toEqual([]);
      }
      expect(answered(strippedOf(stripeFixtures().payment_intent), { query: { colour: 'red' } })).not.toEqual([]);
      expect(answered({}, { path: '/v1/payment_intents/pi_1/colour' })).toEqual([
        'GET /v1/payment_intents/pi_1/colour is not documented',
      ]);
    });

    test('fails a test when its simulator closes', async () => {
      const other = await startStripeSimulator();
      await fetch(`${other.url}/v1/refunds?colour=red`, {
        headers: { authorization: `Bearer ${callWith().credentials.apiKey}` },
      });
      await expect(other.close()).rejects.toThrow(/GET \/v1\/refunds: .*colour/);
    });
  });

  test.each([
    ['payment_intent', () => [...simulator.account.intents.values()].at(-1)],
    ['charge', () => simulator.charges.at(-1)],
    [
      'balance_transaction',
      async () => ((await paidIntent()).latest_charge as Record<string, unknown>).balance_transaction,
    ],
    [
      'refund',
      () => simulator.account.createRefund({ payment_intent: simulator.charges.at(-1)?.payment_intent as string }),
    ],
    ['customer', async () => read(`/v1/customers/${(await keptDebit()).customer}`)],
    ['payment_method', async () => read(`/v1/payment_methods/${(await keptDebit()).payment_method}`)],
    ['dispute', async () => simulator.account.disputes.open((await paidIntent()).id as string)],
    ['radar.early_fraud_warning', async () => simulator.account.disputes.warn((await paidIntent()).id as string)],
    [
      'file',
      () =>
        simulator.account.disputes.upload(
          { purpose: 'dispute_evidence' },
          new File(['x'], 'x.png', { type: 'image/png' }),
        ),
    ],
    ['checkout.session', async () => read(`/v1/checkout/sessions/${await openedPage()}`)],
    ['mandate', async () => read(`/v1/mandates/${(await keptDebit()).mandate}`)],
    ['setup_intent', () => keptDebit()],
    [
      'setup_attempt',
      async () => (await read(`/v1/setup_intents/${(await keptDebit()).id}?expand[0]=latest_attempt`)).latest_attempt,
    ],
  ])('the simulator answers a %s with every member that Stripe answers', async (name, object) => {
    await paidIntent();
    const members = Object.keys((await object()) as object);
    // `refunds` is only answered when it is expanded; `card` is in a method of that type.
    const isOptional = (member: string) => member === 'refunds' || (name === 'payment_method' && member === 'card');
    const answeredByStripe = Object.keys(strippedOf(stripeFixtures()[name])).filter((member) => !isOptional(member));
    expect(answeredByStripe.filter((member) => !members.includes(member))).toEqual([]);
  });

  describe('has a meaning here', () => {
    const documented = (schema: SchemaObject) => [...(schema.enum as string[])].sort();
    const named = ({ description }: SchemaObject) =>
      [...(description as string).matchAll(/`(\w+)`/g)].map(([, word]) => word as string).sort();
    const sorted = (table: object) => Object.keys(table).sort();

    test('every status of a payment intent', () => {
      expect(sorted(intentStatuses)).toEqual(documented(contract.schemaAt('payment_intent', 'status')));
      expect(sorted(intentStatuses)).toEqual(sdkWordsOf('PaymentIntents', 'PaymentIntent', 'Status'));
    });

    test('every type of payment method', () => {
      const added = ['paypay', 'sequra'];
      expect(sorted(methodTypes)).toEqual(
        [...documented(contract.schemaAt('payment_method', 'type')), ...added].sort(),
      );
      expect(sorted(methodTypes)).toEqual(sdkWordsOf('PaymentMethods', 'PaymentMethod', 'Type'));
    });

    test('every type of payment method that a page can exclude', () => {
      const { properties = {} } = contract.bodySchemaOf('POST', '/v1/checkout/sessions');
      const { items } = properties.excluded_payment_method_types as { items: SchemaObject };
      expect([...excludableTypes].sort()).toEqual(documented(items));
    });

    test('every status of a setup and of a mandate', () => {
      expect(sorted(setupStatuses)).toEqual(documented(contract.schemaAt('setup_intent', 'status')));
      expect(sorted(setupStatuses)).toEqual(sdkWordsOf('SetupIntents', 'SetupIntent', 'Status'));
      expect(sorted(mandateStatuses)).toEqual(documented(contract.schemaAt('mandate', 'status')));
      expect(sorted(mandateStatuses)).toEqual(sdkWordsOf('Mandates', 'Mandate', 'Status'));
    });

    test('every status of a page', () => {
      expect(sorted(sessionStatuses)).toEqual(documented(contract.schemaAt('checkout.session', 'status')));
      expect(sorted(sessionStatuses)).toEqual(sdkWordsOf('Checkout/Sessions', 'Session', 'Status'));
    });

    test('every next action of a setup', () => {
      const { type: _, ...actions } = contract.schemaAt('setup_intent_next_action').properties ?? {};
      expect(Object.keys(actions).filter((name) => !(name in pagesOfActions))).toEqual([]);
    });

    test('every reason of a cancellation', () => {
      expect(sorted(cancellationReasons)).toEqual(
        documented(contract.schemaAt('payment_intent', 'cancellation_reason')),
      );
    });

    test('every next action', () => {
      const { type: _, ...actions } = contract.schemaAt('payment_intent_next_action').properties ?? {};
      expect(sorted(pagesOfActions)).toEqual(sorted(actions));
      expect(sorted(pagesOfActions)).toEqual(
        sdkMembersOf('PaymentIntents', 'NextAction').filter((name) => name !== 'type'),
      );
      for (const [name, member] of Object.entries(pagesOfActions)) {
        if (typeof member !== 'string') continue;
        const { $ref } = actions[name] as { $ref: string };
        expect(contract.schemaAt($ref.split('/').at(-1) as string, member)).toMatchObject({ type: 'string' });
      }
    });

    test('every status of a refund, and every reason why it fails', () => {
      expect(sorted(refundStatuses)).toEqual(named(contract.schemaAt('refund', 'status')));
      expect([...refundFailureReasons]).toEqual(named(contract.schemaAt('refund', 'failure_reason')));
    });

    test('every status and reason of a dispute', () => {
      expect(sorted(disputeStatuses)).toEqual(sdkWordsOf('Disputes', 'Dispute', 'Status'));
      expect(sorted(disputeReasons)).toEqual(named(contract.schemaAt('dispute', 'reason')));
    });

    test('every member of the evidence, as long as Stripe takes it', () => {
      const { evidence: schema } = contract.bodySchemaOf('POST', '/v1/disputes/dp_1').properties ?? {};
      const members = (schema as SchemaObject).properties as Record<string, SchemaObject>;
      expect(sorted(evidence)).toEqual(sorted({ ...members, appeal: {} }));
      expect(sorted(evidence)).toEqual(sdkMembersOf('Disputes', 'Evidence'));
      expect(sorted(appealEvidence)).toEqual(sdkMembersOf('Disputes', 'Card'));
      for (const [name, taken] of Object.entries(evidence)) {
        if ('ignored' in taken) continue;
        // The ids of files have no length.
        const maxCharacters = taken.kind === 'TEXT' ? taken.maxCharacters : undefined;
        expect([name, members[name]?.maxLength]).toEqual([name, maxCharacters]);
      }
    });

    test('every event about payments', () => {
      const endpoint = contract.bodySchemaOf('POST', '/v1/webhook_endpoints');
      const { items } = (endpoint.properties as Record<string, { items: SchemaObject }>).enabled_events as {
        items: SchemaObject;
      };
      const families = new Set([...Object.keys(events)].map((type) => type.split('.')[0]));
      const ofFamilies = documented(items).filter((type) => families.has(type.split('.')[0]));
      // Stripe's billing and its stored sources are not used.
      const ours = ofFamilies.filter((type) => !type.startsWith('customer.') || type === 'customer.deleted');
      expect(sorted(events)).toEqual(ours);
    });

    test('every error code of the library', () => {
      const codes = sdkWordsOf('PaymentIntents', 'LastPaymentError', 'Code');
      expect(codes).toHaveLength(209);
      expect(codes.filter((code) => meaningOfCode(code) === undefined)).toEqual([]);
    });

    test('every type of error', () => {
      expect(documented(contract.schemaAt('api_errors', 'type'))).toEqual([
        'api_error',
        'card_error',
        'idempotency_error',
        'invalid_request_error',
      ]);
    });
  });

  describe('the pinned library speaks a later version than the document', () => {
    test('2026-10-28.endive, and the document is of 2026-08-26.dahlia', () => {
      expect([Stripe.API_VERSION, contract.document.info.version]).toEqual(['2026-10-28.endive', '2026-08-26.dahlia']);
    });

    const difference = (document: readonly string[], library: readonly string[]) => ({
      gone: document.filter((name) => !library.includes(name)),
      added: library.filter((name) => !document.includes(name)),
    });

    test.each([
      [paths.intents, 'PaymentIntents', 'PaymentIntentCreateParams', { gone: ['payment_method_types'], added: [] }],
      [paths.cancel, 'PaymentIntents', 'PaymentIntentCancelParams', { gone: [], added: [] }],
      [paths.refunds, 'Refunds', 'RefundCreateParams', { gone: [], added: [] }],
      ['/v1/setup_intents', 'SetupIntents', 'SetupIntentCreateParams', { gone: ['payment_method_types'], added: [] }],
      ['/v1/customers', 'Customers', 'CustomerCreateParams', { gone: [], added: ['validate'] }],
      ['/v1/disputes/dp_1', 'Disputes', 'DisputeUpdateParams', { gone: [], added: ['intended_submission_method'] }],
      ['/v1/files', 'Files', 'FileCreateParams', { gone: [], added: [] }],
      [
        '/v1/checkout/sessions',
        'Checkout/Sessions',
        'SessionCreateParams',
        { gone: ['payment_method_types'], added: ['allowed_payment_method_types'] },
      ],
    ])('with these differences in requests to %s', (path, resource, name, expected) => {
      expect(difference(contract.parametersOf('POST', path), sdkMembersOf(resource, name))).toEqual(expected);
    });

    test.each([
      ['payment_intent', 'PaymentIntents', 'PaymentIntent', ['payment_record', 'source']],
      ['charge', 'Charges', 'Charge', ['authorization_code', 'level3', 'source']],
      ['refund', 'Refunds', 'Refund', []],
      ['balance_transaction', 'BalanceTransactions', 'BalanceTransaction', []],
      ['payment_method', 'PaymentMethods', 'PaymentMethod', ['paypay', 'sequra']],
      ['dispute', 'Disputes', 'Dispute', ['intended_submission_method', 'network_reason_code']],
    ])('with these members added to a %s', (schema, resource, name, added) => {
      const members = Object.keys(contract.schemaAt(schema).properties ?? {});
      expect(difference(members, sdkMembersOf(resource, name))).toEqual({ gone: [], added });
    });

    test('with two more statuses of disputes', () => {
      const statuses = contract.schemaAt('dispute', 'status').enum as string[];
      expect(difference(statuses, sdkWordsOf('Disputes', 'Dispute', 'Status'))).toEqual({
        gone: [],
        added: ['appeal_needs_response', 'appeal_under_review'],
      });
    });
  });
});
