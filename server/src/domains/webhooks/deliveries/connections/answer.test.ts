import { expect, test } from 'vitest';
import { BodyStart, headersJson } from './answer.ts';

test('a body is stored up to 8 KiB, in whatever chunks it arrives', () => {
  const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, i) => i % 256));
  for (const size of [1, 7, 4096, 8191, 8192, 8193, 20_000]) {
    const body = new BodyStart();
    let at = 0;
    while (at < bytes.length && body.add(bytes.subarray(at, at + size))) at += size;
    expect(at).toBeLessThanOrEqual(8192);
    expect(body.bytes).toEqual(bytes.subarray(0, 8192));
  }
});

test('a body of exactly 8 KiB is complete, and a missing body is null', () => {
  const body = new BodyStart();
  expect(body.bytes).toBeNull();
  expect(body.add(Buffer.alloc(0))).toBe(true);
  expect(body.bytes).toBeNull();
  expect(body.add(Buffer.alloc(8192, 'a'))).toBe(true);
  expect(body.bytes?.length).toBe(8192);
});

test('the stored body does not keep its packets in memory', () => {
  const packet = Buffer.alloc(64 * 1024, 'a');
  const body = new BodyStart();
  body.add(packet.subarray(0, 10));
  body.add(packet.subarray(10, 20));
  packet.fill('b');
  expect(body.bytes?.toString()).toBe('a'.repeat(20));
});

test('headers are stored up to a limit, except those of the connection and secrets', () => {
  const stored = JSON.parse(
    headersJson({
      'content-type': 'text/plain',
      connection: 'keep-alive',
      'set-cookie': ['session=secret'],
      'x-twice': ['1', '2'],
      __proto__: null,
    }),
  );
  expect(stored).toEqual({ 'content-type': 'text/plain', 'x-twice': ['1', '2'] });
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x-header-${i}`, 'value']));
  const json = headersJson(many);
  expect(json.length).toBeLessThan(6_000);
  expect(Object.keys(JSON.parse(json))).toContain('x-header-0');
});

test('one header that is too long does not displace the others', () => {
  const stored = JSON.parse(headersJson({ 'x-policy': 'p'.repeat(5_000), 'x-request-id': 'r-1', 'retry-after': '90' }));
  expect(stored).toEqual({ 'x-request-id': 'r-1', 'retry-after': '90' });
});
