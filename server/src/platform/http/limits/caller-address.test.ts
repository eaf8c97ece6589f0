import { expect, test } from 'vitest';
import { callerAddress } from './caller-address.ts';
import { addressMatcher } from './network-of.ts';

const isProxy = addressMatcher(['10.0.0.0/8', 'fd00::/8']);
const callerOf = (remoteAddress: string, forwardedFor?: string) =>
  callerAddress({ remoteAddress, forwardedFor }, isProxy);

test.each([
  ['203.0.113.5', '203.0.113.5'],
  ['203.0.113.5:51234', '203.0.113.5'],
  [' 203.0.113.5 ', '203.0.113.5'],
  ['::ffff:203.0.113.5', '203.0.113.5'],
  ['::FFFF:CB00:7105', '203.0.113.5'],
  ['[::ffff:203.0.113.5]:443', '203.0.113.5'],
  ['2001:DB8:0::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['fe80::1%eth-0', 'fe80::1'],
  ['203.0.113.9, 203.0.113.5, 10.0.0.2', '203.0.113.5'],
  ['203.0.113.5:1, 10.0.0.2:2, [fd00::1]:3', '203.0.113.5'],
])('the caller behind a proxy that sends %j is %s', (forwardedFor, caller) => {
  expect(callerOf('10.0.0.1', forwardedFor)).toBe(caller);
  expect(callerOf('::ffff:10.0.0.1', forwardedFor)).toBe(caller);
});

test.each([
  'unknown',
  '',
  '0313.0.0.5',
  '203.0.113.5:',
  '203.0.113.5:x',
  '203.0.113',
  '_hidden',
  '[2001:db8::1',
  'unix:',
])('the entry %j is no address: the caller is the proxy that sent it, never an entry to its left', (entry) => {
  expect(callerOf('10.0.0.1', entry)).toBe('10.0.0.1');
  expect(callerOf('10.0.0.1', `203.0.113.9, ${entry}`)).toBe('10.0.0.1');
  expect(callerOf('10.0.0.1', `203.0.113.9, ${entry}, 10.0.0.2`)).toBe('10.0.0.2');
});

test('what a caller that is no proxy sends is ignored, and its own address is shown plainly', () => {
  expect(callerOf('198.51.100.7', '203.0.113.5')).toBe('198.51.100.7');
  expect(callerOf('::ffff:198.51.100.7', '203.0.113.5')).toBe('198.51.100.7');
  expect(callerOf('::ffff:127.0.0.1')).toBe('127.0.0.1');
  expect(callerOf('')).toBe('');
});
