import { expect, test } from 'vitest';
import { failureCodes } from '../providers/failures.ts';
import { isUsable, nextExpiryStep, statusAfterFailure } from './rules.ts';
import { methodStatuses, nextStatuses } from './states.ts';

const card = { status: 'ACTIVE', expiry_month: 3, expiry_year: 2027, expiring_told: null } as const;
const at = (time: string) => Date.parse(time);

test('a card is announced 30 days before its end, and expires when its month is over everywhere on earth', () => {
  expect(nextExpiryStep(card, at('2027-01-01T00:00:00Z'))).toEqual({ step: 'tell', atMs: at('2027-03-02T00:00:00Z') });
  const told = { ...card, expiring_told: '2027-03' };
  const over = { step: 'expire', atMs: at('2027-04-01T12:00:00Z') };
  expect(nextExpiryStep(told, at('2027-03-02T00:00:00Z'))).toEqual(over);
  expect(nextExpiryStep(card, at('2027-04-01T12:00:00Z'))).toEqual(over);
  expect(nextExpiryStep({ ...card, status: 'EXPIRED' }, 0)).toBeNull();
  expect(nextExpiryStep({ ...card, expiry_month: null }, 0)).toBeNull();
});

test('only ACTIVE methods, and cards that expired by their printed date, can be charged', () => {
  expect(methodStatuses.filter((status) => isUsable({ status, failure_code: null }))).toEqual(['ACTIVE', 'EXPIRED']);
  expect(isUsable({ status: 'EXPIRED', failure_code: 'expired_card' })).toBe(false);
});

test('a failed charge ends a method only where the failure says that it has ended', () => {
  const codes = Object.keys(failureCodes) as (keyof typeof failureCodes)[];
  const ending = codes.filter((code) => statusAfterFailure('ACTIVE', code) !== 'ACTIVE');
  expect(ending).toEqual(['expired_card', 'mandate_revoked', 'account_closed', 'payment_method_missing']);
  for (const status of methodStatuses) {
    for (const code of codes) {
      const after = statusAfterFailure(status, code);
      if (after !== status) expect(nextStatuses[status]).toHaveProperty(after);
    }
  }
});

test('FAILED and DETACHED are final, and all others can be detached', () => {
  const detachable = methodStatuses.filter((status) => 'DETACHED' in nextStatuses[status]);
  expect(detachable).toEqual(['PENDING', 'ACTIVE', 'EXPIRED', 'REVOKED']);
  expect(Object.keys({ ...nextStatuses.FAILED, ...nextStatuses.DETACHED })).toEqual([]);
});
