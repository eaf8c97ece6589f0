import { expect, test } from 'vitest';
import { type LineInput, priceLines } from '../../../../core/price-lines.ts';
import type { InvoiceRecord } from '../../invoices/record.ts';
import type { Seller } from '../../sellers/statements.ts';
import { type Buyer, documentOf } from '../document.ts';

const ada: Buyer = { name: 'Ada', address: null, email: null };
const mill: Seller = { name: 'Mill', address: null, taxId: null };
const bread: LineInput = { description: 'Bread', quantity: 1, unitAmount: 100 };

function invoiceOf(lines: LineInput[], changes: Partial<InvoiceRecord> = {}): InvoiceRecord {
  const sums = priceLines(lines);
  return {
    ...sums,
    id: 7,
    livemode: true,
    number: 'INV-000001',
    customerId: 1,
    status: 'OPEN',
    currency: 'EUR',
    amountDue: sums.total,
    amountPaid: 0,
    amountRemaining: sums.total,
    amountUnderWay: 0,
    amountRefunded: 0,
    amountToReturn: 0,
    nextPaymentAttempt: null,
    channelId: null,
    description: null,
    metadata: null,
    seller: null,
    dueDate: '2027-06-30',
    overdueTime: null,
    subscriptionId: null,
    periodStart: null,
    periodEnd: null,
    userId: 1,
    version: 1,
    createdTime: '2027-06-01T23:30:00.000Z',
    finalizedTime: '2027-06-01T23:30:00.000Z',
    paidTime: null,
    closedTime: null,
    updatedTime: '2027-06-01T23:30:00.000Z',
    payments: [],
    ...changes,
  };
}

const plain = (pairs: readonly (readonly [string, string])[]) =>
  pairs.map((pair) => pair.join(': ').replaceAll('\u00a0', ' '));

test('the taxes of all rates and the taxes given as amounts add up to the tax of the invoice', () => {
  const { sums } = documentOf(
    invoiceOf([
      { ...bread, unitAmount: 333, taxRate: 1900 },
      { ...bread, unitAmount: 333, taxRate: 725 },
      { ...bread, unitAmount: -100, taxRate: 1900 },
      { ...bread, taxRate: 0 },
      { ...bread, taxAmount: 8 },
      bread,
    ]),
    mill,
    ada,
  );
  expect(plain(sums)).toEqual([
    'Subtotal: EUR 8.66',
    'Tax 0 % of 1.00: EUR 0.00',
    'Tax 7.25 % of 3.33: EUR 0.24',
    'Tax 19 % of 2.33: EUR 0.44',
    'Tax: EUR 0.08',
    'Total: EUR 9.42',
    'To pay: EUR 9.42',
  ]);
});

test('the base of a tax rate is exact even beyond 2^53 − 1', () => {
  const most = Number.MAX_SAFE_INTEGER;
  const lines = [most, most, -most].map((unitAmount, i) => ({ ...bread, unitAmount, taxRate: i < 2 ? 0 : 100 }));
  const { sums } = documentOf(invoiceOf([...lines, { ...bread, unitAmount: most, taxRate: 100 }].slice(1)), mill, ada);
  expect(plain(sums)).toContain('Tax 0 % of 90,071,992,547,409.91: EUR 0.00');
  const { sums: doubled } = documentOf(
    invoiceOf(lines.map((line) => ({ ...line, taxRate: line.taxRate / 100 }))),
    mill,
    ada,
  );
  expect(plain(doubled)).toContain('Tax 0 % of 180,143,985,094,819.82: EUR 0.00');
});

test('an address is formatted with the parts that are known; a state precedes the postal code', () => {
  const linesOf = (address: Buyer['address']) => documentOf(invoiceOf([bread]), mill, { ...ada, address }).buyer;
  expect(linesOf(null)).toEqual(['Ada']);
  expect(linesOf({ line1: 'Rue 1', postalCode: '75001', city: 'Paris', country: 'FR' })).toEqual([
    'Ada',
    'Rue 1',
    '75001 Paris',
    'France',
  ]);
  expect(linesOf({ city: 'Austin', state: 'TX', postalCode: '78701', country: 'US' })).toEqual([
    'Ada',
    'Austin, TX 78701',
    'United States',
  ]);
  expect(linesOf({ state: 'TX', country: 'USA' })).toEqual(['Ada', 'TX', 'USA']);
});

test('days are in UTC, with the name of the month', () => {
  const { facts } = documentOf(
    invoiceOf([bread], { periodStart: '2027-06-01T00:00:00.000Z', periodEnd: '2027-06-30T23:59:59.000Z' }),
    mill,
    ada,
  );
  expect(plain(facts)).toEqual(['Date: 1 June 2027', 'Due: 30 June 2027', 'Period: 1 June 2027 – 30 June 2027']);
});

test('an invoice with a total of 0 shows that there is nothing to pay', () => {
  const paid = { status: 'PAID', paidTime: '2027-06-01T23:30:00.000Z' } as const;
  expect(documentOf(invoiceOf([{ ...bread, unitAmount: 0 }], paid), mill, ada)).toMatchObject({
    paymentSummary: 'Nothing to pay',
    stamp: 'Paid',
  });
});

test('the seller is shown with its address and tax number', () => {
  const address = { line1: 'Mühlweg 1', postalCode: '04109', city: 'Leipzig', country: 'DE' };
  expect(documentOf(invoiceOf([bread]), { ...mill, address, taxId: 'DE123456789' }, ada).seller).toEqual({
    name: 'Mill',
    details: ['Mühlweg 1', '04109 Leipzig', 'Germany', 'Tax ID: DE123456789'],
  });
});
