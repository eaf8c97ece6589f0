import type Stripe from 'stripe';
import { type Clock, hourMs, systemClock } from '../../../../core/clock.ts';
import { failure } from '../failures.ts';
import type {
  Absent,
  Call,
  Callback,
  CallbackNews,
  CancelOperation,
  ChargeOperation,
  Credentials,
  Operation,
  Outcome,
  Provider,
  RefundOperation,
} from '../provider.ts';
import { ProviderCallError, redactSecrets } from '../redaction.ts';
import { readStripeCallback } from './callback.ts';

import { type Address, addressOf, isApiKey, stripeClient } from './client.ts';
import { isStripeApiError, outcomeOfError } from './declines.ts';
import { cancelCharge, retrieveCharge, searchCharge, sendCharge } from './intents.ts';
import { retrieveRefund, searchRefund, sendRefund } from './refunds.ts';

/**
 * Stripe keeps what it answered under an idempotency key for at least 24 hours
 * (https://docs.stripe.com/api/idempotent_requests). As long as that is certain, sending the same request again is how to
 * ask what became of it; later it could charge anew, and Stripe's lists are read instead.
 */
const keyLifetimeMs = 23 * hourMs;

/**
 * Stripe, by payment intents and refunds. With a payment method the payment is confirmed at once; without one the merchant's
 * page goes on with the client secret and Stripe's script.
 *
 * A confirmed intent that is declined could still be paid by whoever holds its client secret. So that `failed` is final, it
 * is cancelled first; where that is not certain, the outcome is unknown, and the look-up cancels it again.
 */
export class StripeProvider implements Provider {
  readonly #address: Address;
  readonly #clock: Clock;

  constructor(url = 'https://api.stripe.com', clock: Clock = systemClock) {
    this.#address = addressOf(url);
    this.#clock = clock;
  }

  charge(operation: ChargeOperation, call: Call): Promise<Outcome> {
    return this.#start(operation, call, (stripe) => sendCharge(stripe, operation));
  }

  refund(operation: RefundOperation, call: Call): Promise<Outcome> {
    return this.#start(operation, call, (stripe) => sendRefund(stripe, operation));
  }

  cancel(operation: CancelOperation, call: Call): Promise<Outcome> {
    return this.#start(operation, call, (stripe) => this.#cancel(stripe, operation));
  }

  async lookUp(operation: Operation, call: Call): Promise<Outcome | Absent> {
    const { apiKey } = call.credentials;
    try {
      if (!isApiKey(apiKey)) throw new Error('The channel has no API key of Stripe.');
      return fitToTell(await this.#findResult(stripeClient(apiKey, call, this.#address), operation), call.credentials);
    } catch (cause) {
      // A refusal too: that we may not ask says nothing of what was done.
      return fitToTell({ kind: 'unknown', cause }, call.credentials);
    }
  }

  readCallback(callback: Callback, credentials: Credentials): CallbackNews {
    return readStripeCallback(callback, credentials);
  }

  async #start({ kind }: Operation, call: Call, work: (stripe: Stripe) => Promise<Outcome>): Promise<Outcome> {
    const { apiKey } = call.credentials;
    if (!isApiKey(apiKey)) return missingApiKey;
    try {
      return fitToTell(await work(stripeClient(apiKey, call, this.#address)), call.credentials);
    } catch (error) {
      return fitToTell(outcomeOfError(error, kind), call.credentials);
    }
  }

  #findResult(stripe: Stripe, operation: Operation): Promise<Outcome | Absent> {
    const { reference } = operation;
    switch (operation.kind) {
      case 'CANCEL':
        return this.#cancel(stripe, operation);
      case 'CHARGE':
        if (reference !== null) return retrieveCharge(stripe, operation, reference);
        return this.#findByKey(
          operation,
          () => sendCharge(stripe, operation),
          () => searchCharge(stripe, operation),
        );
      case 'REFUND':
        if (reference !== null) return retrieveRefund(stripe, reference);
        return this.#findByKey(
          operation,
          () => sendRefund(stripe, operation),
          () => searchRefund(stripe, operation),
        );
    }
  }

  /** What became of an operation whose id at Stripe is not known. */
  async #findByKey(
    operation: Operation,
    sendAgain: () => Promise<Outcome>,
    search: () => Promise<Outcome | undefined>,
  ): Promise<Outcome | Absent> {
    if (this.#isKeyExpired(operation)) return (await search()) ?? { kind: 'absent' };
    try {
      return await sendAgain();
    } catch (error) {
      // What stands before Stripe's memory of keys (its door, its rate limit) and what goes wrong on the way says nothing
      // of the first request. Any other no is believed where nothing under our key is listed either.
      if (!isStripeApiError(error) || [401, 403, 409, 429].includes(error.statusCode ?? 0)) throw error;
      return (await search()) ?? outcomeOfError(error, operation.kind);
    }
  }

  async #cancel(stripe: Stripe, operation: CancelOperation): Promise<Outcome> {
    const outcome = await cancelCharge(stripe, operation);
    if (outcome !== undefined) return outcome;
    // Its charge may be on its way; after a day there is none.
    const cause = new Error('Stripe has no charge under this key as yet.');
    return this.#isKeyExpired(operation) ? { kind: 'failed', failure: noChargeToCancel } : { kind: 'unknown', cause };
  }

  #isKeyExpired({ createdMs }: Operation): boolean {
    return this.#clock() - createdMs > keyLifetimeMs;
  }
}

const missingApiKey: Outcome = {
  kind: 'failed',
  failure: failure('credentials_refused', null, "The channel's apiKey is not a secret key of Stripe: sk_… or rk_…."),
};

const noChargeToCancel = failure('invalid_operation', null, 'Stripe has no charge that could be called off.');

const messageCharacters = 500;

/** Nothing secret, nothing endless, and of an error only words. */
function fitToTell<Answer extends Outcome | Absent>(answer: Answer, credentials: Credentials): Answer {
  if (answer.kind === 'unknown') return { ...answer, cause: new ProviderCallError(answer.cause, credentials) };
  if (answer.kind !== 'failed') return answer;
  const message = redactSecrets(answer.failure.message, credentials).slice(0, messageCharacters);
  return { ...answer, failure: { ...answer.failure, message } };
}
