import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MollieSimulator } from '../../../../../tests/support/simulators/mollie.ts';
import type { Outcome } from '../outcome.ts';
import type { BillingAddress, ChargeLine, ChargeOperation } from '../provider.ts';
import { callWith, chargeOperation } from './fixture/operations.ts';
import { MollieProvider } from './mollie.ts';

let simulator: MollieSimulator;
let mollie: MollieProvider;

beforeAll(async () => {
  simulator = await MollieSimulator.start();
  mollie = new MollieProvider(simulator.url);
});
afterAll(() => simulator.close());

const call = callWith();
const lines: ChargeLine[] = [
  { description: 'Violin', quantity: 3, unitAmount: 1000, amount: 3000, taxRate: 1900, taxAmount: 570 },
  { description: 'Strings', quantity: 3, unitAmount: 333, amount: 999, taxRate: 1900, taxAmount: 190 },
  { description: 'Voucher', quantity: 1, unitAmount: -500, amount: -500, taxRate: null, taxAmount: 0 },
];
const amount = 4259;
const billingAddress: BillingAddress = {
  name: 'Ada King Lovelace',
  email: 'ada@example.org',
  line1: 'Keizersgracht 126',
  line2: null,
  postalCode: '1015 CW',
  city: 'Amsterdam',
  state: null,
  country: 'NL',
};

const operationOf = (facts: Partial<ChargeOperation>) => chargeOperation({ amount, lines, billingAddress, ...facts });
const sent = () => JSON.parse(simulator.requests.at(-1)?.body ?? '{}') as Record<string, unknown>;
const failed = (outcome: unknown) => (outcome as Extract<Outcome, { kind: 'failed' }>).failure;

test.each(['alma', 'billie', 'billink', 'in3', 'klarna', 'riverty'])(
  '%s gets the lines and the address that it needs, and is refused before any call without them',
  async (paymentMethod) => {
    expect((await mollie.charge(operationOf({ paymentMethod }), call)).kind).toBe('needs_payer');
    const given = sent();
    for (const [field, facts] of [
      ['lines', { lines: null }],
      ['billingAddress', { billingAddress: null }],
    ] as const) {
      if (given[field] === undefined) continue;
      const before = simulator.requests.length;
      expect(failed(await mollie.charge(operationOf({ paymentMethod, ...facts }), call))).toMatchObject({
        code: 'not_supported',
        message: expect.stringContaining(field),
      });
      expect(simulator.requests).toHaveLength(before);
    }
  },
);

test.each(['billie', 'in3', 'klarna', 'riverty'])(
  '%s is refused without a postal code before any call',
  async (paymentMethod) => {
    const before = simulator.requests.length;
    const withoutCode = operationOf({ paymentMethod, billingAddress: { ...billingAddress, postalCode: null } });
    expect(failed(await mollie.charge(withoutCode, call))).toMatchObject({
      code: 'not_supported',
      message: expect.stringContaining('postal code'),
    });
    expect(simulator.requests).toHaveLength(before);
  },
);

test('voucher is never offered, because lines have no categories: neither by its name nor on the page', async () => {
  expect(failed(await mollie.charge(operationOf({ paymentMethod: 'voucher' }), call)).code).toBe('not_supported');
  const { nextAction } = (await mollie.charge(operationOf({}), call)) as Extract<Outcome, { kind: 'needs_payer' }>;
  const page = await (await fetch(nextAction.url as string)).text();
  expect(page).toContain('klarna');
  expect(page).not.toContain('voucher');
});

test('lines are sent with prices that include the tax and add up exactly', async () => {
  await mollie.charge(operationOf({ paymentMethod: 'klarna' }), call);
  const euros = (value: string) => ({ currency: 'EUR', value });
  expect(sent()).toMatchObject({
    amount: euros('42.59'),
    lines: [
      {
        description: 'Violin',
        quantity: 3,
        unitPrice: euros('11.90'),
        totalAmount: euros('35.70'),
        vatRate: '19.00',
        vatAmount: euros('5.70'),
      },
      // 3 × 3.96⅓ €
      { description: '3 × Strings', quantity: 1, unitPrice: euros('11.89'), totalAmount: euros('11.89') },
      { type: 'discount', description: 'Voucher', quantity: 1, unitPrice: euros('-5.00'), totalAmount: euros('-5.00') },
    ],
    billingAddress: {
      givenName: 'Ada King',
      familyName: 'Lovelace',
      email: 'ada@example.org',
      streetAndNumber: 'Keizersgracht 126',
      postalCode: '1015 CW',
      city: 'Amsterdam',
      country: 'NL',
    },
  });
});

test('lines of any prices and taxes are taken by Mollie', async () => {
  const line = fc.record({
    description: fc.constant('x'),
    quantity: fc.integer({ min: 1, max: 50 }),
    unitAmount: fc.integer({ min: -2_000, max: 20_000 }),
    taxRate: fc.option(fc.integer({ min: 0, max: 10_000 })),
    error: fc.integer({ min: -1, max: 1 }),
  });
  const priced = fc.array(line, { minLength: 1, maxLength: 5 }).map((all) =>
    all.map(({ error, ...each }) => {
      const net = each.unitAmount * each.quantity;
      const tax = each.taxRate === null ? 0 : Math.round((net * each.taxRate) / 10_000);
      // Taxes are apportioned over the lines of an invoice, so that one may be a unit off.
      return { ...each, amount: net, taxAmount: tax === 0 ? 0 : tax + error };
    }),
  );
  const totalOf = (all: ChargeLine[]) => all.reduce((sum, each) => sum + each.amount + each.taxAmount, 0);
  await fc.assert(
    fc.asyncProperty(
      priced.filter((all) => totalOf(all) > 0),
      async (all) => {
        const operation = operationOf({ paymentMethod: 'klarna', lines: all, amount: totalOf(all) });
        return (await mollie.charge(operation, call)).kind === 'needs_payer';
      },
    ),
    { numRuns: 50 },
  );
});

test('an address that Mollie finds incomplete is no request of ours that is wrong', async () => {
  const operation = operationOf({ paymentMethod: 'klarna', billingAddress: { ...billingAddress, postalCode: null } });
  expect(failed(await mollie.charge(operation, call)).code).toBe('not_supported');
});

test('lines that do not add up to the amount, as of a part of an invoice, count as none', async () => {
  const part = operationOf({ paymentMethod: 'klarna', amount: amount - 1 });
  expect(failed(await mollie.charge(part, call)).code).toBe('not_supported');
  await mollie.charge({ ...part, ...chargeOperation(), amount: amount - 1, lines }, call);
  expect(sent()).not.toHaveProperty('lines');
});

test('where the payer chooses, methods that need lines and address are offered only with both', async () => {
  const whole = (await mollie.charge(operationOf({}), call)) as { reference: string };
  simulator.pay(whole.reference, 'klarna');
  const bare = (await mollie.charge(operationOf({ lines: null }), call)) as { reference: string };
  expect(() => simulator.pay(bare.reference, 'klarna')).toThrow('not offered');
});

test('methods that need neither get neither', async () => {
  await mollie.charge(operationOf({ paymentMethod: 'ideal' }), call);
  expect(sent()).not.toHaveProperty('lines');
  expect(sent()).not.toHaveProperty('billingAddress');
});

describe('a method that only authorizes', () => {
  test('is captured at once, and succeeds when the capture has', async () => {
    const operation = operationOf({ paymentMethod: 'riverty' });
    const { reference } = (await mollie.charge(operation, call)) as { reference: string };
    expect(sent()).toMatchObject({ captureMode: 'manual' });
    const known = { ...operation, reference };
    simulator.authorize(reference);
    expect((await mollie.lookUp(known, call)).kind).toBe('pending');
    expect((await mollie.lookUp(known, call)).kind).toBe('pending');
    expect(simulator.payment(reference).captures).toHaveLength(1);
    simulator.capture(reference);
    expect(await mollie.lookUp(known, call)).toMatchObject({ kind: 'succeeded', money: { amount } });
  });

  test('is captured once, also when the answer was lost', async () => {
    for (const when of ['before', 'after'] as const) {
      const operation = operationOf({ paymentMethod: 'riverty' });
      const { reference } = (await mollie.charge(operation, call)) as { reference: string };
      simulator.authorize(reference);
      const answered = simulator.fault({ method: 'POST', path: /\/captures$/, when, how: 'cut' });
      expect((await mollie.lookUp({ ...operation, reference }, call)).kind).toBe('unknown');
      await answered;
      expect((await mollie.lookUp({ ...operation, reference }, call)).kind).toBe('pending');
      expect(simulator.payment(reference).captures).toHaveLength(1);
    }
  });
});
