import type Stripe from 'stripe';
import { type Clock, dayMs, hourMs, systemClock } from '../../../../core/clock.ts';
import { failure } from '../failures.ts';
import type {
  Call,
  Callback,
  CancelOperation,
  ChargeOperation,
  Credentials,
  Operation,
  Outcome,
  Provider,
  ProviderCallback,
  RefundOperation,
} from '../provider.ts';
import { redactedOutcome } from '../redaction.ts';
import { readStripeCallback } from './callback.ts';
import { type Address, addressOf, isApiKey, stripeClient } from './client.ts';
import { isStripeApiError, outcomeOfError } from './declines.ts';
import { cancelCharge, retrieveCharge, searchCharge, sendCharge } from './intents.ts';
import { retrieveRefund, searchRefund, sendRefund } from './refunds.ts';

/**
 * Stripe stores the answer to an idempotency key for at least 24 hours
 * (https://docs.stripe.com/api/idempotent_requests). Until then, repeating a request is the way to find its result.
 * Later it could charge a second time, so Florin only searches Stripe's lists. What they do not contain is not sent
 * again, since a stored 500 says neither that the request was carried out nor that it was not.
 */
const keyLifetimeMs = 23 * hourMs;

/**
 * Stripe, through payment intents and refunds. With a payment method the payment is confirmed at once; without one the
 * merchant's page continues with the client secret and Stripe's script.
 *
 * After a decline, a confirmed intent can still be paid with its client secret. Florin therefore cancels the intent
 * before it reports `failed`. If the cancellation is not certain, the outcome is unknown, and the look-up cancels
 * again.
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

  async lookUp(operation: Operation, call: Call): Promise<Outcome> {
    const { apiKey } = call.credentials;
    try {
      if (!isApiKey(apiKey)) throw new Error('The channel has no API key of Stripe.');
      const stripe = stripeClient(apiKey, call, this.#address);
      return redactedOutcome(await this.#findResult(stripe, operation), call.credentials);
    } catch (cause) {
      // A look-up that Stripe refuses says nothing about the operation.
      const refused = outcomeOfError(cause, operation.kind);
      const outcome = refused.kind === 'rate_limited' ? refused : ({ kind: 'unknown', cause } as const);
      return redactedOutcome(outcome, call.credentials);
    }
  }

  readCallback(callback: Callback, credentials: Credentials): ProviderCallback {
    return readStripeCallback(callback, credentials);
  }

  async #start({ kind }: Operation, call: Call, send: (stripe: Stripe) => Promise<Outcome>): Promise<Outcome> {
    const { apiKey } = call.credentials;
    if (!isApiKey(apiKey)) return missingApiKey;
    try {
      return redactedOutcome(await send(stripeClient(apiKey, call, this.#address)), call.credentials);
    } catch (error) {
      return redactedOutcome(outcomeOfError(error, kind), call.credentials);
    }
  }

  async #cancel(stripe: Stripe, operation: CancelOperation): Promise<Outcome> {
    const outcome = await cancelCharge(stripe, operation);
    if (outcome !== undefined) return outcome;
    // The request that creates the charge may still arrive, and is repeated until the key may be forgotten.
    const cause = new Error('Stripe has no charge under this key as yet.');
    const canArrive = this.#clock() - operation.chargeCalledMs <= dayMs;
    return canArrive ? { kind: 'unknown', cause } : { kind: 'cancelled' };
  }

  #findResult(stripe: Stripe, operation: Operation): Promise<Outcome> {
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

  /** Finds the result of an operation whose id at Stripe is unknown. */
  async #findByKey(
    operation: Operation,
    sendAgain: () => Promise<Outcome>,
    search: () => Promise<Outcome | undefined>,
  ): Promise<Outcome> {
    if (this.#isKeyExpired(operation)) return (await search()) ?? forgotten();
    try {
      return await sendAgain();
    } catch (error) {
      // Transport errors, authentication and rate limits come before Stripe reads the key, so they say nothing about
      // the first request. Any other refusal is the outcome if Stripe's lists have nothing under our key.
      if (!isStripeApiError(error) || [401, 403, 409, 429].includes(error.statusCode ?? 0)) throw error;
      return (await search()) ?? outcomeOfError(error, operation.kind);
    }
  }

  #isKeyExpired({ createdMs, calledMs }: Operation): boolean {
    return this.#clock() - (calledMs ?? createdMs) > keyLifetimeMs;
  }
}

const missingApiKey: Outcome = {
  kind: 'failed',
  failure: failure('credentials_refused', null, "The channel's apiKey is not a secret key of Stripe: sk_… or rk_…."),
};

function forgotten(): Outcome {
  const cause = new Error('Stripe has nothing under this key, and may have forgotten it.');
  return { kind: 'unknown', cause, isForgotten: true };
}
