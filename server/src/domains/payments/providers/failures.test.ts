import { expect, test } from 'vitest';
import { failureCodes, fallbackOf, retryOf } from './failures.ts';

const codes = Object.entries(failureCodes);

test('each failure code says what may be done again', () => {
  const byRetry = Object.groupBy(codes, ([, { retry }]) => retry);
  const names = Object.fromEntries(
    Object.entries(byRetry).map(([retry, entries]) => [retry, entries.map(([code]) => code).sort()]),
  );
  expect(names).toEqual({
    LATER: [
      'card_declined',
      'credentials_refused',
      'insufficient_funds',
      'invalid_operation',
      'limit_exceeded',
      'processing_error',
      'provider_unavailable',
    ],
    WITH_PAYER: ['authentication_failed', 'authentication_required', 'payment_expired'],
    OTHER_METHOD: [
      'account_closed',
      'declined_for_good',
      'expired_card',
      'invalid_card',
      'lost_or_stolen',
      'mandate_revoked',
      'not_supported',
      'payment_method_missing',
      'suspected_fraud',
    ],
    NEVER: [
      'authorization_expired',
      'capture_failed',
      'payment_disputed',
      'refund_exceeds_payment',
      'refund_refused',
      'setup_needs_payment',
    ],
  });
});

test('only failures that say nothing of the payer are tried at another channel', () => {
  expect(
    codes
      .filter(([, { fallback }]) => fallback)
      .map(([code]) => code)
      .sort(),
  ).toEqual(['card_declined', 'credentials_refused', 'not_supported', 'processing_error', 'provider_unavailable']);
});

test('a code that is not in the catalogue says nothing', () => {
  for (const code of [null, 'sold_out', 'toString']) {
    expect([retryOf(code), fallbackOf(code)]).toEqual([null, null]);
  }
});
