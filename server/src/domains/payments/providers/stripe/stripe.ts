import type Stripe from 'stripe';
import { type Clock, dayMs, hourMs, systemClock } from '../../../../core/clock.ts';
import type { DisputePage, DisputeReading, RefundReading } from '../dispute.ts';
import { failure } from '../failures.ts';
import { otherModeOutcome } from '../other-mode.ts';
import type { Absent, MethodState, Outcome, SetupOutcome } from '../outcome.ts';
import type {
  Call,
  Callback,
  CancelOperation,
  CaptureProvider,
  ChargeOperation,
  Credentials,
  DisputeProvider,
  MethodProvider,
  Operation,
  Provider,
  ProviderCallback,
  RefundOperation,
  SetupOperation,
} from '../provider.ts';
import { redactedOutcome } from '../redaction.ts';
import { readStripeCallback } from './callback.ts';
import { findCapture, releaseRest, sendCapture } from './captures.ts';
import { type Address, addressOf, isApiKey, stripeClient } from './client.ts';
import { type ErrorOutcome, isStripeApiError, type OperationKind, outcomeOfError } from './declines.ts';
import { acceptDispute, submitEvidence } from './dispute-answers.ts';
import { listOf, listSince, readDispute, readRefund } from './disputes.ts';
import type { Searched } from './find.ts';
import { cancelCharge, cancelIntent, retrieveCharge, searchCharge, sendCharge } from './intents.ts';
import { adoptMethod, detachMethod, readMethod } from './kept-methods.ts';
import { retrieveRefund, searchRefund, sendRefund } from './refunds.ts';
import {
  expirePage,
  expireSetupPage,
  isPage,
  retrievePaymentPage,
  retrieveSetupPage,
  searchPaymentPage,
  searchSetupPage,
  sendPaymentPage,
  sendSetupPage,
} from './sessions.ts';
import { endSetup, retrieveSetup, searchSetup, sendSetup } from './setups.ts';
import { unsentEvents } from './webhook-endpoints.ts';

/**
 * Stripe stores the answer to an idempotency key for at least 24 hours
 * (https://docs.stripe.com/api/idempotent_requests). Until then, repeating a request is the way to find its result.
 * Later it could charge a second time, so Florin only searches Stripe's lists. What they do not contain is not sent
 * again, since a stored 500 says neither that the request was carried out nor that it was not.
 */
const keyLifetimeMs = 23 * hourMs;

/**
 * Stripe, through payment intents and refunds. With a token or a kept method the payment is confirmed at once. Without
 * one the payer is redirected to a page of Stripe, or the merchant's page continues with the client secret and Stripe's
 * script (`payerFlow`).
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
    return this.#send(operation.kind, call, async (stripe) => {
      const outcome = await this.#sendCharge(stripe, operation).catch((error: unknown) =>
        outcomeOfError(error, 'CHARGE'),
      );
      return withReason(stripe, operation, outcome);
    });
  }

  refund(operation: RefundOperation, call: Call): Promise<Outcome> {
    return this.#send(operation.kind, call, (stripe) => sendRefund(stripe, operation));
  }

  cancel(operation: CancelOperation, call: Call): Promise<Outcome> {
    return this.#send(operation.kind, call, (stripe) => this.#cancel(stripe, operation));
  }

  lookUp(operation: Operation, call: Call): Promise<Outcome | Absent> {
    return this.#read(call, (stripe) =>
      this.#findResult(stripe, operation).catch((error: unknown) => {
        const isGone = operation.reference !== null && isStripeApiError(error) && error.statusCode === 404;
        if (isGone) return forgotten('Stripe no longer has it, such as after the deletion of test data.');
        throw error;
      }),
    );
  }

  readonly captures: CaptureProvider = {
    capture: (operation, call) => this.#send(operation.kind, call, (stripe) => sendCapture(stripe, operation)),
    release: (operation, call) =>
      this.#send(operation.kind, call, (stripe) => releaseRest(stripe, operation, cancelIntent)),
  };

  readonly disputes = {
    read: ({ dispute }, call) => this.#read(call, (stripe) => readDispute(stripe, dispute, this.#clock())),
    listSince: (sinceMs, cursor, call) =>
      this.#read(call, (stripe) => listSince(stripe, sinceMs, cursor, this.#clock())),
    listOf: (charge, cursor, call) => this.#read(call, (stripe) => listOf(stripe, charge, cursor, this.#clock())),
    readRefund: ({ refund }, call) => this.#read(call, (stripe) => readRefund(stripe, refund)),
    answers: {
      submit: (operation, call) => this.#send(operation.kind, call, (stripe) => submitEvidence(stripe, operation)),
      accept: (operation, call) => this.#send(operation.kind, call, (stripe) => acceptDispute(stripe, operation)),
    },
  } satisfies DisputeProvider;

  readonly methods: MethodProvider = {
    setUp: (operation, call) => this.#send('SETUP', call, (stripe) => startSetup(stripe, operation)),
    giveUp: (operation, call) => this.#send('SETUP', call, (stripe) => giveUpSetup(stripe, operation)),
    adopt: (operation, call) => this.#send('SETUP', call, (stripe) => adoptMethod(stripe, operation)),
    detach: (operation, call) => this.#send('DETACH', call, (stripe) => detachMethod(stripe, operation)),
    lookUp: (operation, call) => this.#read(call, (stripe) => this.#findSetup(stripe, operation)),
    read: (method, call) => this.#read(call, (stripe) => readMethod(stripe, method)),
  };

  async unsentEvents(callbackUrl: string, call: Call): Promise<readonly string[] | undefined> {
    const { apiKey } = call.credentials;
    return isApiKey(apiKey) ? unsentEvents(stripeClient(apiKey, call, this.#address), callbackUrl) : undefined;
  }

  readCallback(callback: Callback, credentials: Credentials): ProviderCallback {
    return readStripeCallback(callback, credentials);
  }

  /** A refusal of Stripe is the outcome. */
  async #send<Result extends SetupOutcome | Outcome>(
    kind: OperationKind,
    call: Call,
    send: (stripe: Stripe) => Promise<Result>,
  ): Promise<Result | ErrorOutcome> {
    const { apiKey } = call.credentials;
    if (!isApiKey(apiKey)) return missingApiKey;
    const sent = send(stripeClient(apiKey, call, this.#address));
    const outcome = await sent.catch((error: unknown) => outcomeOfError(error, kind));
    return redactedOutcome(outcome, call.credentials);
  }

  /** A refusal of Stripe says nothing about what was to be read. */
  async #read<Result extends ReadResult>(
    call: Call,
    read: (stripe: Stripe) => Promise<Result>,
  ): Promise<Result | Unread> {
    const { apiKey } = call.credentials;
    try {
      if (!isApiKey(apiKey)) throw new Error('The channel has no API key of Stripe.');
      return redactedOutcome(await read(stripeClient(apiKey, call, this.#address)), call.credentials);
    } catch (cause) {
      const refused = outcomeOfError(cause, 'CHARGE');
      const outcome: Unread = refused.kind === 'rate_limited' ? refused : { kind: 'unknown', cause };
      return redactedOutcome(outcome, call.credentials);
    }
  }

  async #cancel(stripe: Stripe, operation: CancelOperation): Promise<Outcome> {
    const outcome = (await expirePage(stripe, operation)) ?? (await cancelCharge(stripe, operation));
    if (outcome !== undefined) return outcome;
    // The request that creates the charge may still arrive, and is repeated until the key may be forgotten.
    const cause = new Error('Stripe has no charge under this key as yet.');
    const canArrive = this.#clock() - operation.chargeCalledMs <= dayMs;
    return canArrive ? { kind: 'unknown', cause } : { kind: 'cancelled' };
  }

  #findResult(stripe: Stripe, operation: Operation): Promise<Outcome | Absent> {
    const { reference } = operation;
    switch (operation.kind) {
      case 'CANCEL':
        return this.#cancel(stripe, operation);
      case 'CHARGE':
        return this.#findCharge(stripe, operation);
      case 'REFUND':
        if (reference !== null) return retrieveRefund(stripe, reference);
        return this.#findByKey(
          operation,
          () => sendRefund(stripe, operation),
          () => searchRefund(stripe, operation),
        );
      case 'CAPTURE':
        return findCapture(stripe, operation);
      case 'RELEASE':
        return releaseRest(stripe, operation, cancelIntent);
    }
  }

  async #findCharge(stripe: Stripe, operation: ChargeOperation): Promise<Outcome> {
    const { reference } = operation;
    const nowMs = this.#clock();
    if (reference !== null && isPage(reference)) return retrievePaymentPage(stripe, operation, reference, nowMs);
    if (reference !== null) return retrieveCharge(stripe, operation, reference);
    const outcome = await this.#findByKey(
      operation,
      () => this.#sendCharge(stripe, operation),
      () => (hasPage(operation) ? searchPaymentPage(stripe, operation, nowMs) : searchCharge(stripe, operation)),
    );
    return withReason(stripe, operation, outcome);
  }

  #sendCharge(stripe: Stripe, operation: ChargeOperation): Promise<Outcome> {
    const sent = hasPage(operation) ? sendPaymentPage(stripe, operation, this.#clock()) : sendCharge(stripe, operation);
    return sent.catch(otherModeOutcome);
  }

  #findSetup(stripe: Stripe, operation: SetupOperation): Promise<SetupOutcome> {
    const { reference, token } = operation;
    if (reference !== null && isPage(reference)) return retrieveSetupPage(stripe, reference);
    if (reference !== null) return retrieveSetup(stripe, reference);
    return this.#findByKey(
      operation,
      () => startSetup(stripe, operation),
      () => (token === null ? searchSetupPage(stripe, operation) : searchSetup(stripe, operation)),
    );
  }

  /** Finds the result of an operation whose id at Stripe is unknown. */
  async #findByKey<Result extends Outcome | SetupOutcome>(
    operation: Operation | SetupOperation,
    sendAgain: () => Promise<Result>,
    search: () => Promise<Result | undefined>,
  ): Promise<Result | ErrorOutcome> {
    if (this.#isKeyExpired(operation))
      return (await search()) ?? forgotten('Stripe has nothing under this key, and may have forgotten it.');
    try {
      return await sendAgain();
    } catch (error) {
      // Transport errors, authentication and rate limits come before Stripe reads the key, so they say nothing about
      // the first request. Any other refusal is the outcome if Stripe's lists have nothing under our key.
      if (!isStripeApiError(error) || [401, 403, 409, 429].includes(error.statusCode ?? 0)) throw error;
      return (await search()) ?? outcomeOfError(error, operation.kind);
    }
  }

  #isKeyExpired({ createdMs, calledMs }: Searched): boolean {
    return this.#clock() - (calledMs ?? createdMs) > keyLifetimeMs;
  }
}

const missingApiKey: ErrorOutcome = {
  kind: 'failed',
  failure: failure('credentials_refused', null, "The channel's apiKey is not a secret key of Stripe: sk_… or rk_…."),
};

function forgotten(why: string): ErrorOutcome {
  return { kind: 'unknown', cause: new Error(why), isForgotten: true };
}

type ReadResult = SetupOutcome | Outcome | Absent | MethodState | DisputeReading | DisputePage | RefundReading;
type Unread = Extract<ErrorOutcome, { kind: 'rate_limited' | 'unknown' }>;

/** Whether the payer pays on a page of Stripe. */
function hasPage({ paymentMethod, method, payerFlow }: ChargeOperation): boolean {
  return paymentMethod === null && method === null && payerFlow === 'REDIRECT';
}

/** Stripe takes the numbers of accounts only from its own forms. */
const withoutAccounts = 'Stripe keeps bank accounts from a token or on its page.';

function startSetup(stripe: Stripe, operation: SetupOperation): Promise<SetupOutcome> {
  const { token, bankAccount } = operation;
  if (bankAccount !== null) {
    return Promise.resolve({ kind: 'failed', failure: failure('not_supported', null, withoutAccounts) });
  }
  const sent = token === null ? sendSetupPage(stripe, operation) : sendSetup(stripe, operation, token);
  return sent.catch(otherModeOutcome);
}

/** The setup waits for its payer, so that its id is known. */
function giveUpSetup(stripe: Stripe, { reference }: SetupOperation): Promise<SetupOutcome> {
  if (reference === null) throw new Error('A setup that waits for its payer has an id at Stripe.');
  return isPage(reference) ? expireSetupPage(stripe, reference) : endSetup(stripe, reference);
}

/**
 * Stripe refuses a method that has ended as it refuses a wrong request, without a code of its own. Reading the method
 * tells them apart.
 */
async function withReason(stripe: Stripe, { method }: ChargeOperation, outcome: Outcome): Promise<Outcome> {
  if (method === null || outcome.kind !== 'failed' || outcome.failure.code !== 'invalid_operation') return outcome;
  const state = await readMethod(stripe, method).catch(() => undefined);
  return state?.kind === 'ended' ? { ...outcome, failure: state.failure } : outcome;
}
