import { expect, test } from 'vitest';
import { nearestName } from '../nearest-name.ts';

const known = ['page', 'pageSize', 'status', 'channelId', 'customerId', 'startDate', 'endDate', 'currency', 'id'];

test.each([
  ['page_size', 'pageSize'],
  ['pagesize', 'pageSize'],
  ['per_page', undefined],
  ['staus', 'status'],
  ['sattus', 'status'],
  ['customer', 'customerId'],
  ['chanelID', 'channelId'],
  ['start', 'startDate'],
  ['curency', 'currency'],
  ['limit', undefined],
  ['ix', undefined],
  ['', undefined],
  ['🙂', undefined],
  ['s'.repeat(60_000), undefined],
])('%s means %s', (given, meant) => {
  expect(nearestName(given, known)).toBe(meant);
});
