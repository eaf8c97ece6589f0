import { StripeProblem } from './stripe-params.ts';

export interface StripeAnswer {
  status: number;
  body: string;
  replayed?: boolean;
}

/** The stored answers of idempotency keys (https://docs.stripe.com/api/idempotent_requests). */
export class IdempotencyRecords {
  readonly #records = new Map<string, { fingerprint: string; answer: StripeAnswer | 'in use' }>();

  /**
   * Executes a key once; a repeat with the same parameters gets the stored answer. Validation errors are not stored.
   */
  async once(
    key: string | undefined,
    fingerprint: string,
    execute: () => Promise<StripeAnswer>,
  ): Promise<StripeAnswer> {
    if (key === undefined) return execute();
    const record = this.#records.get(key);
    if (record?.answer === 'in use') throw keyInUse;
    if (record !== undefined && record.fingerprint !== fingerprint) throw otherParameters;
    if (record !== undefined) return { ...record.answer, replayed: true };
    this.#records.set(key, { fingerprint, answer: 'in use' });
    try {
      const answer = await execute();
      this.#records.set(key, { fingerprint, answer });
      return answer;
    } catch (error) {
      if (error instanceof StripeProblem && error.isStored)
        this.#records.set(key, { fingerprint, answer: error.answer });
      else this.#records.delete(key);
      throw error;
    }
  }

  forget(): void {
    this.#records.clear();
  }
}

const keyInUse = new StripeProblem(409, {
  type: 'idempotency_error',
  code: 'idempotency_key_in_use',
  message: 'There is currently another in-progress request using this Idempotency Key.',
});
const otherParameters = new StripeProblem(400, {
  type: 'idempotency_error',
  message: 'Keys for idempotent requests can only be used with the same parameters they were first used with.',
});
