import { expect, test } from 'vitest';
import { sentenceOf } from '../refusal-rules.ts';
import { problemOfWebAddress } from '../web-address.ts';

const label = 'a'.repeat(63);
const longest = `${[label, label, label].join('.')}.${'a'.repeat(61)}`;

test.each([
  'https://shop.example/thanks?a=1&b=2#c',
  'http://localhost:3000',
  'http://127.0.0.1:9/',
  'https://[2001:db8::1]:8443/hook',
  'https://shop.example./',
  'https://intern_al.shop.example/',
  'https://bücher.example/',
  `https://${label}.example/`,
  `https://${longest}/`,
  `https://${longest}./`,
  'https://shop.example:65535/',
])('%s can be used', (address) => {
  expect(problemOfWebAddress(address)).toBeUndefined();
});

test.each([
  ['http://shop.example:0/', /port 0/],
  ['http://127.0.0.1:00000', /port 0/],
  ['http://[::1]:0/', /port 0/],
  ['https://a..example/', /labels/],
  ['https://.example/', /labels/],
  ['https://./', /labels/],
  ['https://shop.example../', /labels/],
  ['https://shop.example。。/', /labels/],
  [`https://${label}a.example/`, /labels/],
  [`https://${'ü'.repeat(60)}.example/`, /absolute URL|labels/],
  ['https://a*b.example/', /labels/],
  ["https://a'b.example/", /labels/],
  [`https://${longest}a/`, /at most 253/],
  ['http://[::1', /absolute URL/],
  ['http://256.256.256.256/', /absolute URL/],
  ['http://shop.example:65536/', /absolute URL/],
  ['https:///thanks', /host right after/],
  ['https:\\\\shop.example', /host right after/],
  ['https://bank.example@shop.example/', /user name/],
  ['https://shop.example/a b', /spaces/],
  ['https://shop.example/\u0001', /control characters/],
  ['javascript:alert(1)', /https:/],
])('%s is refused', (address, reason) => {
  const problem = problemOfWebAddress(address);
  expect(problem && sentenceOf(problem, 'url')).toMatch(reason);
});
