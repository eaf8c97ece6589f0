import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { webhookSecret } from '../../../../../tests/support/payments/sandbox.ts';
import { Refusal } from '../../../../core/errors.ts';
import type { FailureCode } from '../failures.ts';
import {
  headersOf,
  keyOfReference,
  readSandboxCallback,
  referenceOf,
  type SandboxResult,
  signedMessage,
} from './messages.ts';

const result: SandboxResult = { key: 'txn_1-1', state: 'SUCCEEDED', failureCode: null, fee: null, currency: 'USD' };

function read(body: string, signature: string | string[] | undefined, secret: string | null = webhookSecret) {
  const headers = { ...(signature !== undefined && { 'x-sandbox-signature': signature }) };
  return readSandboxCallback(
    { headers: headers as Record<string, string>, query: {}, body: Buffer.from(body), receivedMs: 0 },
    secret,
  );
}

const sign = (body: string, secret = webhookSecret) => createHmac('sha256', secret).update(body).digest('hex');

const invalid = expect.objectContaining({ type: 'callback_invalid' });

test('the signature equals an independent HMAC-SHA256 of the body, and the message is read back', () => {
  const message = signedMessage(result, 1, webhookSecret);
  expect(headersOf(message)).toEqual({
    'content-type': 'application/json',
    'x-sandbox-signature': sign(message.body),
  });
  expect(read(message.body, message.signature)).toEqual({
    eventId: 'sbx_txn_1-1-1',
    notice: {
      key: 'txn_1-1',
      reference: 'sbx_txn_1-1',
      outcome: { kind: 'succeeded', reference: 'sbx_txn_1-1', money: { currency: 'USD' } },
    },
  });
});

test.each(['SUCCEEDED', 'FAILED', 'CANCELLED'] as const)('the outcome of %s carries the reported amount', (state) => {
  const { body, signature } = signedMessage({ ...result, state, amount: 1998 }, 1, webhookSecret);
  const { notice } = read(body, signature);
  expect(notice?.outcome).toMatchObject({ money: { amount: 1998, currency: 'USD' } });
});

test.each([0, -1, 1.5, '1998', null])('an amount of %j is refused', (amount) => {
  const body = JSON.stringify({ id: 'm-1', ...result, amount });
  expect(() => read(body, sign(body))).toThrow(invalid);
});

test.each([
  [
    { state: 'FAILED', failureCode: 'lost_or_stolen' },
    { kind: 'failed', failure: { code: 'lost_or_stolen', providerCode: 'lost_or_stolen' } },
  ],
  [{ state: 'CANCELLED' }, { kind: 'cancelled' }],
  [{ state: 'PENDING' }, { kind: 'pending' }],
  // A failed first attempt is not final.
  [{ state: 'ATTEMPT_FAILED', failureCode: 'card_declined' }, { kind: 'pending' }],
  [
    { state: 'SUCCEEDED', fee: 30 },
    { kind: 'succeeded', fee: { amount: 30, currency: 'USD' } },
  ],
] as [Partial<SandboxResult>, object][])('a message with %o has the matching outcome', (changes, outcome) => {
  const { body, signature } = signedMessage({ ...result, ...changes }, 1, webhookSecret);
  expect(read(body, signature).notice?.outcome).toMatchObject(outcome);
});

test('a repeat has the same id, and a new message has another', () => {
  const ids = [1, 1, 2].map((sequence) => {
    const { body, signature } = signedMessage(result, sequence, webhookSecret);
    return read(body, signature).eventId;
  });
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).not.toBe(ids[0]);
});

test('another body, another secret, no signature or half a signature is refused', () => {
  const { body, signature } = signedMessage(result, 1, webhookSecret);
  const forgeries: [string, string | string[] | undefined][] = [
    [body.replace('SUCCEEDED', 'CANCELLED'), signature],
    [`${body} `, signature],
    [body, sign(body, 'another secret')],
    [body, undefined],
    [body, ''],
    [body, signature.slice(0, 32)],
    [body, `${signature}00`],
    [body, `${signature} `],
    [body, signature.toUpperCase()],
    [body, [signature, signature]],
    [body, 'z'.repeat(64)],
  ];
  for (const [forged, given] of forgeries) expect(() => read(forged, given)).toThrow(invalid);
});

test.each([null, ''])('with the secret %j every message is refused, even if signed with it', (secret) => {
  const { body } = signedMessage(result, 1, webhookSecret);
  expect(() => read(body, sign(body, ''), secret)).toThrow(invalid);
  expect(() => read(body, undefined, secret)).toThrow(invalid);
});

test('a signed body that is not a message is refused without a crash', () => {
  const valid = { id: 'sbx_1', key: 'txn_1-1', state: 'SUCCEEDED', failureCode: null, fee: null, currency: 'USD' };
  const changes = [
    { id: 1 },
    { id: '' },
    { id: 'a\0' },
    { key: undefined },
    { key: 'x'.repeat(65) },
    { key: "'" },
    { state: 'DONE' },
    { state: 'constructor' },
    { failureCode: 'toString' as FailureCode },
    { fee: -1 },
    { fee: 1.5 },
    { fee: 1e300 },
    { currency: 'XXX' },
  ];
  const bodies = [
    '',
    '{',
    'null',
    '[]',
    '1',
    '"x"',
    '\ufffd',
    ...changes.map((change) => JSON.stringify({ ...valid, ...change })),
  ];
  for (const body of bodies) expect(() => read(body, sign(body)), body).toThrow(invalid);
  expect(read(JSON.stringify(valid), sign(JSON.stringify(valid))).eventId).toBe('sbx_1');
});

test('every signed body is either read or refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (body) => {
      try {
        read(body, sign(body));
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal);
      }
    }),
  );
});

test('a reference is converted back to its key, and no other text is', () => {
  expect(keyOfReference(referenceOf('txn_1-1'))).toBe('txn_1-1');
  expect(keyOfReference('pi_123')).toBeNull();
});
