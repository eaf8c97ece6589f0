import fastJsonStringify from 'fast-json-stringify';
import { expect, test } from 'vitest';
import { type PaymentRow, payment } from '../record.ts';

const plain: PaymentRow = {
  tenant_id: 1,
  id: '0190a5b1-c2d3-7e4f-8a6b-1c2d3e4f5a6b',
  livemode: false,
  amount: 9_007_199_254_740_991,
  amount_refunded: 0,
  amount_refund_held: 0,
  currency: 'USD',
  status: 'PENDING',
  channel_id: 1,
  description: null,
  metadata: null,
  customer_id: null,
  invoice_id: null,
  user_id: 2,
  failure_code: null,
  failure_message: null,
  provider: null,
  provider_reference: null,
  payment_method: null,
  payment_method_sealed: null,
  return_url: null,
  next_action: null,
  version: 1,
  created_at: '2026-11-24T14:00:00.000Z',
  updated_at: '2026-11-24T14:00:00.000Z',
};

const full: PaymentRow = {
  ...plain,
  livemode: true,
  description: 'Tëst "quoted" \\ \u2028 \n 💶',
  metadata: { order: '7', 'a "key"': [1, null, { b: 1.5 }] },
  customer_id: 3,
  invoice_id: 4,
  failure_code: 'card_declined',
  failure_message: 'Declined: "no"',
  provider_reference: 'pi_1',
  next_action: { type: 'redirect', url: 'https://shop.example/?a="b"' },
};

test.each([
  ['without optional fields', plain],
  ['with all fields', full],
])('a payment %s is the same JSON in answers, by its schema, and in events', (_what, row) => {
  const bySchema = fastJsonStringify(payment.shape as never);
  expect(JSON.stringify(payment.show(row))).toBe(bySchema(payment.show(row)));
  expect(Object.keys(payment.show(row))).toEqual(Object.keys(payment.shape.properties));
});
