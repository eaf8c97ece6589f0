import fastJsonStringify from 'fast-json-stringify';
import { expect, test } from 'vitest';
import { detailJson, recordJson, type TransactionRecord } from '../record.ts';
import { transactionDetail, transactionRecord } from '../schema.ts';

const plain: TransactionRecord = {
  id: 'txn_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b',
  livemode: false,
  amount: 9_007_199_254_740_991,
  amountRefunded: 0,
  currency: 'USD',
  status: 'PENDING',
  channelId: 1,
  description: null,
  metadata: null,
  customerId: null,
  invoiceId: null,
  userId: 2,
  failureCode: null,
  failureMessage: null,
  providerReference: null,
  nextAction: null,
  version: 1,
  createdTime: '2026-11-24T14:00:00.000Z',
  updatedTime: '2026-11-24T14:00:00.000Z',
};

const full: TransactionRecord = {
  ...plain,
  livemode: true,
  description: 'Tëst "quoted" \\ \u2028 \n 💶',
  metadata: { order: '7', 'a "key"': [1, null, { b: 1.5 }] },
  customerId: 3,
  invoiceId: 4,
  failureCode: 'card_declined',
  failureMessage: 'Declined: "no"',
  providerReference: 'pi_1',
  nextAction: { type: 'redirect', url: 'https://shop.example/?a="b"' },
};

test.each([
  ['without optional fields', plain],
  ['with all fields', full],
])('the JSON of a payment %s is what its schema says, field by field', (_what, record) => {
  const bySchema = fastJsonStringify(transactionRecord as never);
  expect(recordJson(record)).toBe(bySchema(record));
  const detailBySchema = fastJsonStringify(transactionDetail as never);
  const channelName = 'Bank "transfer"';
  expect(detailJson(record, channelName)).toBe(detailBySchema({ ...record, channelName }));
  expect(Object.keys(JSON.parse(recordJson(record)))).toEqual(Object.keys(transactionRecord.properties));
});
