import type { Outcome } from './outcome.ts';

type Success = Extract<Outcome, { kind: 'succeeded' }>;
type Unknown = Extract<Outcome, { kind: 'unknown' }>;

/** The provider reported a success with another amount or currency than the operation's. */
class AmountMismatch extends Error {
  constructor({ reference }: Success) {
    super(`${reference} has another amount.`);
    this.name = 'AmountMismatch';
  }
}

/** A success with another amount is `unknown` until Florin has looked it up and recorded the discrepancy. */
export function mismatchOutcome(success: Success): Unknown {
  return { kind: 'unknown', cause: new AmountMismatch(success), mismatch: success };
}
