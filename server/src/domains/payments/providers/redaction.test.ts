import { expect, test } from 'vitest';
import { failure } from './failures.ts';
import { redactedOutcome } from './redaction.ts';

const credentials = { apiKey: 'sk_test_canary', apiSecret: null, webhookSecret: null };

test('texts of a failure can be stored: one line of well-formed Unicode and bounded length, without secrets', () => {
  const odd = `odd\0\ud800\n${'x'.repeat(1_000)}`;
  const failed = { kind: 'failed', failure: failure('card_declined', odd, `sk_test_canary ${odd}`) } as const;
  const { providerCode, message } = redactedOutcome(failed, credentials).failure;
  expect(providerCode).toMatch(/^odd \ufffd x{494}$/);
  expect(message).toMatch(/^\[secret\] odd \ufffd x{485}$/);
});
