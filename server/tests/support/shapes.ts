import { expect } from 'vitest';
import { rules } from '../../src/core/refusal-rules.ts';

/** For `toEqual`: fields whose exact value is not known beforehand. */
export const anInteger = expect.toSatisfy((value) => Number.isSafeInteger(value), 'an integer');
export const aText = expect.any(String);
/** ISO 8601 in UTC, with milliseconds. */
export const aTime = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
export const aTransactionId = expect.stringMatching(/^txn_[0-9a-f]{32}$/);
export const aRefundId = expect.stringMatching(/^ref_[0-9a-f]{32}$/);
export const aRequestId = expect.stringMatching(/^[\w.-]{1,64}$/);

/**
 * The whole body of a refusal (docs/decisions/answers-and-errors.md); `error` holds what else is known of it. Its
 * `details` are among those of the refusal, which may also have the rule and its values.
 */
export function aRefusal(code: number, error: { type: string; field?: string; details?: unknown }) {
  const known = { ...error, requestId: aRequestId, doc: aDocOf(error.type) };
  return {
    code,
    message: expect.stringMatching(/^\S.*[.?]$/s),
    data: null,
    error: expect.toSatisfy((actual) => isRefused(actual, known), JSON.stringify(error)),
  };
}

function isRefused({ details, ...rest }: { details?: { rule?: string } }, known: { details?: unknown }): boolean {
  const { details: expected, ...others } = known;
  expect(rest).toEqual(others);
  if (expected !== undefined) expect({ details }).toMatchObject({ details: expected });
  return details?.rule === undefined || details.rule in rules;
}

/** `type` may itself be an expectation. */
const aDocOf = (type: unknown) =>
  typeof type === 'string' ? `/docs/errors#${type}` : expect.stringMatching(/^\/docs\/errors#[a-z_]+$/);
