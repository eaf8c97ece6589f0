import { expect, test } from 'vitest';
import { lookUpAt } from '../../operation-queue/rules.ts';
import { decide, operationKey, parseOperationKey } from '../rules.ts';
import type { OperationRow } from '../statements.ts';

const operation = (facts: Partial<OperationRow>) =>
  ({
    kind: 'CHARGE',
    state: 'READY',
    status: 'PROCESSING',
    charge_number: null,
    charge_state: null,
    ...facts,
  }) as OperationRow;

const cancellation = { kind: 'CANCEL', charge_number: 1, charge_state: 'WAITING' } as const;

test.each<[string, Partial<OperationRow>, unknown]>([
  ['a new charge', {}, 'call_provider'],
  ['a charge that was sent', { state: 'UNKNOWN' }, 'call_provider'],
  ['a charge that was sent, of a cancelled payment', { state: 'CALLING', status: 'CANCELLED' }, 'call_provider'],
  ['a new charge of a cancelled payment', { status: 'CANCELLED' }, { kind: 'cancelled' }],
  ['a refund of a paid payment', { kind: 'REFUND', status: 'SUCCESS' }, 'call_provider'],
  ['a cancellation of a sent charge', cancellation, 'call_provider'],
  ['a cancellation of a charge that is not sent', { ...cancellation, charge_state: 'READY' }, 'postpone'],
  ['a cancellation of a charge that is being sent', { ...cancellation, charge_state: 'CALLING' }, 'postpone'],
  ['a new cancellation of a paid payment', { ...cancellation, status: 'SUCCESS' }, { kind: 'cancelled' }],
  [
    'a cancellation without a charge',
    { kind: 'CANCEL' },
    { kind: 'failed', failure: expect.objectContaining({ code: 'invalid_operation' }) },
  ],
])('%s: %j → %j', (_, facts, decision) => {
  expect(decide(operation(facts), false)).toEqual(decision);
});

test('an operation of a disabled provider fails without a call, whatever its state', () => {
  for (const facts of [{}, { state: 'UNKNOWN' }, { kind: 'REFUND' }, cancellation] as const) {
    expect(decide(operation(facts), true)).toMatchObject({
      kind: 'failed',
      failure: { code: 'invalid_operation', providerCode: 'sandbox_disabled' },
    });
  }
});

test('look-ups are due after 5 s, 30 s, 5 min, 1 h, then daily', () => {
  const waits = [5_000, 30_000, 300_000, 3_600_000, 86_400_000, 86_400_000];
  expect(waits.map((_, lookUps) => lookUpAt(lookUps, 1_000) - 1_000)).toEqual(waits);
  expect(lookUpAt(Number.POSITIVE_INFINITY, 0)).toBe(86_400_000);
});

test('an operation key is parsed back; any other text is not a key', () => {
  const transactionId = '0198a5b8-7c1f-7000-8000-00000000cafe';
  const key = operationKey(transactionId, 12);
  expect(key).toBe('txn_0198a5b87c1f7000800000000000cafe-12');
  expect(parseOperationKey(key)).toEqual({ transactionId, number: 12 });
  for (const text of ['', 'txn_1-1', key.toUpperCase(), `${key}-1`, `${key}000`, key.slice(0, -3), `x${key}`]) {
    expect(parseOperationKey(text)).toBeUndefined();
  }
});
