import { expect, test } from 'vitest';
import { base32, codeAt, keyUri, stepAt, stepOfCode } from './totp.ts';

const secret = base32(Buffer.from('12345678901234567890'));

test('codes are those of RFC 6238, appendix B, to 6 digits', () => {
  const vectors: [seconds: number, code: string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ];
  for (const [seconds, code] of vectors) expect(codeAt(secret, stepAt(seconds * 1000))).toBe(code);
});

test('base32 is that of RFC 4648, without padding', () => {
  expect(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text)))).toEqual([
    '',
    'MY',
    'MZXQ',
    'MZXW6',
    'MZXW6YQ',
    'MZXW6YTB',
    'MZXW6YTBOI',
  ]);
});

test('a code is accepted one step early or late, and not twice', () => {
  const nowMs = 1_234_567_890_000;
  const now = stepAt(nowMs);
  const unused = { lastStep: 0, driftSteps: 1 };
  for (const step of [now - 1, now, now + 1])
    expect(stepOfCode(codeAt(secret, step), secret, nowMs, unused)).toBe(step);
  for (const step of [now - 2, now + 2])
    expect(stepOfCode(codeAt(secret, step), secret, nowMs, unused)).toBeUndefined();
  expect(stepOfCode(codeAt(secret, now), secret, nowMs, { lastStep: now, driftSteps: 1 })).toBeUndefined();
});

test('the key URI escapes what authenticator apps would misread', () => {
  const uri = new URL(keyUri(secret, 'ann b@pay.example', 'Florin'));
  expect([uri.protocol, uri.host, uri.pathname]).toEqual(['otpauth:', 'totp', '/Florin:ann%20b%40pay.example']);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret,
    issuer: 'Florin',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
