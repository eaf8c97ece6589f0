import type { MollieClient, Payment, PaymentMethod } from '@mollie/api-client';
import { failure, type Ignored } from '../failures.ts';
import type {
  Absent,
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
import { mollieAmount } from './amounts.ts';
import { readMollieCallback } from './callback.ts';
import { MollieApiError, mollieClient } from './client.ts';
import { mayFollowLostCall, outcomeOfApiError, rateLimited } from './failures.ts';
import { findPayment, findRefund } from './find.ts';
import { cancelOutcome, chargeOutcome, refundOutcome } from './outcomes.ts';
import { methods } from './vocabulary.ts';
import { webhookUrlOf } from './webhook-url.ts';

/**
 * Mollie, through its Payments and Refunds API (v2). The payer is redirected to Mollie's page and chooses how to pay
 * there.
 *
 * Mollie remembers an idempotency key for one hour, so repeating a request is no safe way to find its result. Florin
 * therefore also puts the key into the metadata of every payment and refund. A look-up without a reference searches
 * Mollie's lists for it.
 */
export class MollieProvider implements Provider {
  readonly #root: string;

  /** `url` is the address before `/v2`, for a simulator. Throws if it is not a URL. */
  constructor(url = 'https://api.mollie.com') {
    this.#root = new URL(url).href.replace(/\/+$/, '');
  }

  charge(operation: ChargeOperation, call: Call): Promise<Outcome> {
    return this.#start(operation, call, async (mollie) => {
      const amount = mollieAmount(operation.amount, operation.currency);
      if (amount === undefined) return unsupportedCurrency(operation);
      const { key, transactionId, callbackUrl, returnUrl, paymentMethod } = operation;
      const method = methodOf(paymentMethod);
      if (typeof method === 'object') return notOffered(paymentMethod as string, method.ignored);
      const webhookUrl = webhookUrlOf(callbackUrl, key, call.credentials.webhookSecret, this.#root);
      const payment = await mollie.payments.create({
        amount,
        description: truncate(operation.description, maxDescriptionCharacters) || transactionId,
        redirectUrl: returnUrl,
        metadata: { florin_key: key, florin_transaction: transactionId },
        idempotencyKey: key,
        ...(webhookUrl === undefined ? {} : { webhookUrl }),
        ...(method === undefined ? {} : { method }),
      });
      return chargeOutcome(payment, operation);
    });
  }

  refund(operation: RefundOperation, call: Call): Promise<Outcome> {
    return this.#start(operation, call, async (mollie) => {
      const amount = mollieAmount(operation.amount, operation.currency);
      if (amount === undefined) return unsupportedCurrency(operation);
      const { key, transactionId, chargeReference: paymentId } = operation;
      const refund = await mollie.paymentRefunds.create({
        paymentId,
        amount,
        description: truncate(operation.reason, maxRefundDescriptionCharacters) || transactionId,
        metadata: { florin_key: key, florin_transaction: transactionId },
        idempotencyKey: key,
      });
      return refundOutcome(refund, operation);
    });
  }

  cancel(operation: CancelOperation, call: Call): Promise<Outcome> {
    return this.#start(operation, call, async (mollie) => {
      const payment = await findCharge(mollie, operation);
      // Nobody can pay: there is no payment at Mollie, or Florin never got its checkout address.
      if (payment === undefined) return { kind: 'cancelled' };
      const settled = cancelOutcome(payment, operation);
      if (settled !== undefined) return settled;
      if (payment.status === 'authorized') {
        // Only accepted: whether the hold is released is the issuer's decision, and the status tells it.
        await mollie.payments.releaseAuthorization(payment.id);
        return { kind: 'pending', reference: payment.id };
      }
      const cancelled = await mollie.payments.cancel(payment.id);
      return cancelOutcome(cancelled, operation) ?? { kind: 'pending', reference: payment.id };
    });
  }

  async lookUp(operation: Operation, call: Call): Promise<Outcome | Absent> {
    try {
      return redactedOutcome(await this.#find(this.#client(call), operation), call.credentials);
    } catch (cause) {
      // A look-up that Mollie refuses says nothing about the operation.
      const isLimited = cause instanceof MollieApiError && cause.status === 429;
      return redactedOutcome(isLimited ? rateLimited(cause) : { kind: 'unknown', cause }, call.credentials);
    }
  }

  readCallback(callback: Callback, { webhookSecret }: Credentials): ProviderCallback {
    return readMollieCallback(callback, webhookSecret);
  }

  async #start(operation: Operation, call: Call, send: (mollie: MollieClient) => Promise<Outcome>): Promise<Outcome> {
    if (!isApiKey(call.credentials.apiKey)) return missingApiKey;
    try {
      return redactedOutcome(await send(this.#client(call)), call.credentials);
    } catch (cause) {
      return cause instanceof MollieApiError
        ? this.#outcomeOfRefusal(cause, operation, call)
        : redactedOutcome({ kind: 'unknown', cause }, call.credentials);
    }
  }

  async #outcomeOfRefusal(error: MollieApiError, operation: Operation, call: Call): Promise<Outcome> {
    if (mayFollowLostCall(error, operation)) {
      const found = await this.lookUp(operation, call);
      if (found.kind !== 'absent') return found;
    }
    return redactedOutcome(outcomeOfApiError(error, operation.kind), call.credentials);
  }

  async #find(mollie: MollieClient, operation: Operation): Promise<Outcome | Absent> {
    const { key, reference } = operation;
    if (operation.kind === 'CHARGE') {
      const payment =
        reference === null ? await findPayment(mollie, key, operation.createdMs) : await mollie.payments.get(reference);
      return payment === undefined ? absent : chargeOutcome(payment, operation);
    }
    if (operation.kind === 'REFUND') {
      const { chargeReference: paymentId } = operation;
      const refund =
        reference === null
          ? await findRefund(mollie, paymentId, key)
          : await mollie.paymentRefunds.get(reference, { paymentId });
      return refund === undefined ? absent : refundOutcome(refund, operation);
    }
    const payment = await findCharge(mollie, operation);
    // A cancellation is idempotent: while it is still possible, `absent` lets Florin send it again.
    return payment === undefined ? { kind: 'cancelled' } : (cancelOutcome(payment, operation) ?? absent);
  }

  #client({ credentials, signal }: Call): MollieClient {
    if (!isApiKey(credentials.apiKey)) throw new Error('The channel has no API key of Mollie.');
    return mollieClient({ root: this.#root, apiKey: credentials.apiKey, signal });
  }
}

function findCharge(mollie: MollieClient, operation: CancelOperation): Promise<Payment | undefined> {
  const { chargeReference, chargeKey, chargeCreatedMs } = operation;
  return chargeReference === null
    ? findPayment(mollie, chargeKey, chargeCreatedMs)
    : mollie.payments.get(chargeReference);
}

const absent: Absent = { kind: 'absent' };

const missingApiKey: Outcome = {
  kind: 'failed',
  failure: failure('credentials_refused', null, "The channel's apiKey is not a key of Mollie: test_… or live_…."),
};

/** Also rejects text that cannot be a header value: the error about it would quote the key. */
function isApiKey(apiKey: string | null): apiKey is string {
  return apiKey !== null && /^(?:test|live)_\w{1,200}$/.test(apiKey);
}

function unsupportedCurrency({ currency }: Operation): Outcome {
  return { kind: 'failed', failure: failure('not_supported', null, `Mollie takes no payments in ${currency}.`) };
}

/**
 * With `ideal`, `creditcard`, … Mollie skips the page on which the payer chooses a method. Any other token belongs to
 * another provider, from which this payment has fallen back to Mollie: then the payer chooses.
 */
function methodOf(paymentMethod: string | null): PaymentMethod | Ignored | undefined {
  if (paymentMethod === null || !Object.hasOwn(methods, paymentMethod)) return undefined;
  const known = methods[paymentMethod];
  return known === 'offered' ? (paymentMethod as PaymentMethod) : known;
}

function notOffered(paymentMethod: string, reason: string): Outcome {
  return {
    kind: 'failed',
    failure: failure('not_supported', null, `${paymentMethod} is not offered here: ${reason}.`),
  };
}

/** Mollie itself shortens a payment's description further for bank statements. */
const maxDescriptionCharacters = 255;
const maxRefundDescriptionCharacters = 140;

/** Never splits a surrogate pair. */
function truncate(text: string | null, characters: number): string {
  return [...(text ?? '').trim()].slice(0, characters).join('');
}
