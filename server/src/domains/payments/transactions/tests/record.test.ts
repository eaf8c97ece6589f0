import fastJsonStringify from 'fast-json-stringify';
import { expect, test } from 'vitest';
import type { ChannelRow } from '../../channels/statements.ts';
import { newPayment, type PaymentRow, payment } from '../record.ts';

const channel = { id: 1, livemode: false, provider: null, statement_descriptor: null } as ChannelRow;
const createdBy = { tenantId: 1, userId: 2 };
const input = { amount: 9_007_199_254_740_991, currency: 'USD', channelId: 1 };
const plain = newPayment(input, channel, createdBy, '0190a5b1-c2d3-7e4f-8a6b-1c2d3e4f5a6b', Buffer.from);

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
