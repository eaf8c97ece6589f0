import type { Outcome } from './provider.ts';

type Success = Extract<Outcome, { kind: 'succeeded' }>;

/** A provider answered with a success, of another amount or currency than the operation's. */
export class AmountMismatch extends Error {
  readonly outcome: Success;

  constructor(outcome: Success) {
    super(`${outcome.reference} has another amount.`);
    this.name = 'AnotherAmount';
    this.outcome = outcome;
  }
}

/** The outcome is unknown because of this error; `cause` is what may be told of it. */
export function unknownOutcome(error: unknown, cause: unknown = error): Extract<Outcome, { kind: 'unknown' }> {
  return { kind: 'unknown', cause, ...(error instanceof AmountMismatch && { mismatch: error.outcome }) };
}
