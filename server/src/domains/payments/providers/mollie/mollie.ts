import { type MollieClient, type Payment, PaymentMethod } from '@mollie/api-client';
import { unknownOutcome } from '../amount-mismatch.ts';
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
import { mollieAmount } from './amounts.ts';
import { readMollieCallback } from './callback.ts';
import { MollieApiError, mollieClient } from './client.ts';
import { mayFollowLostCall, outcomeOfApiError } from './failures.ts';
import { findPayment, findRefund } from './find.ts';
import { cancelOutcome, chargeOutcome, refundOutcome } from './outcomes.ts';
import { webhookUrlOf } from './webhook-url.ts';

/**
 * Mollie, by its Payments and Refunds API (v2). The payer is sent to Mollie's page and chooses there how to pay.
 *
 * Mollie remembers an idempotency key for an hour, so that it is no means of asking what became of an operation. The key is
 * therefore in the metadata of every payment and refund too, and a look-up without a reference walks Mollie's lists.
 */
export class MollieProvider implements Provider {
  readonly #root: string;

  /** `url` is what stands before `/v2`, for a simulator. Throws where it is no URL. */
  constructor(url = 'https://api.mollie.com') {
    this.#root = new URL(url).href.replace(/\/+$/, '');
  }

  charge(operation: ChargeOperation, call: Call): Promise<Outcome> {
    return this.#start(operation, call, async (mollie) => {
      const amount = mollieAmount(operation.amount, operation.currency);
      if (amount === undefined) return unsupportedCurrency(operation);
      const { key, transactionId, callbackUrl, returnUrl } = operation;
      const webhookUrl = webhookUrlOf(callbackUrl, key, call.credentials.webhookSecret, this.#root);
      const method = methodOf(operation.paymentMethod);
      const payment = await mollie.payments.create({
        amount,
        description: truncate(operation.description, descriptionCharacters) || transactionId,
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
        description: truncate(operation.reason, refundDescriptionCharacters) || transactionId,
        metadata: { florin_key: key, florin_transaction: transactionId },
        idempotencyKey: key,
      });
      return refundOutcome(refund, operation);
    });
  }

  cancel(operation: CancelOperation, call: Call): Promise<Outcome> {
    return this.#start(operation, call, async (mollie) => {
      const payment = await chargeOf(mollie, operation);
      // Mollie has no such payment, or had it before anyone was told where to pay: nobody can pay it.
      if (payment === undefined) return { kind: 'cancelled' };
      const settled = cancelOutcome(payment, operation);
      if (settled !== undefined) return settled;
      // Empty (202) for a payment that was authorized: Mollie lets go of it later, and tells by a callback.
      const cancelled = (await mollie.payments.cancel(payment.id)) as Payment | true;
      const outcome = cancelled === true ? undefined : cancelOutcome(cancelled, operation);
      return outcome ?? { kind: 'pending', reference: payment.id };
    });
  }

  async lookUp(operation: Operation, call: Call): Promise<Outcome | Absent> {
    try {
      return await this.#find(this.#client(call), operation);
    } catch (error) {
      // A refusal too: that we may not ask says nothing of what was done.
      return unknownOutcome(error, new ProviderCallError(error, call.credentials));
    }
  }

  readCallback(callback: Callback, { webhookSecret }: Credentials): CallbackNews {
    return readMollieCallback(callback, webhookSecret);
  }

  async #start(operation: Operation, call: Call, begin: (mollie: MollieClient) => Promise<Outcome>): Promise<Outcome> {
    if (!isApiKey(call.credentials.apiKey)) return missingApiKey;
    try {
      return await begin(this.#client(call));
    } catch (error) {
      return error instanceof MollieApiError
        ? this.#outcomeOfError(error, operation, call)
        : unknownOutcome(error, new ProviderCallError(error, call.credentials));
    }
  }

  async #outcomeOfError(refused: MollieApiError, operation: Operation, call: Call): Promise<Outcome> {
    if (mayFollowLostCall(refused, operation)) {
      const found = await this.lookUp(operation, call);
      if (found.kind !== 'absent') return found;
    }
    const outcome = outcomeOfApiError(refused, operation.kind, redactSecrets(refused.message, call.credentials));
    return outcome.kind === 'unknown'
      ? { ...outcome, cause: new ProviderCallError(refused, call.credentials) }
      : outcome;
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
    const payment = await chargeOf(mollie, operation);
    // Cancelling twice is cancelling once: as long as it can be done, it may be asked for again.
    return payment === undefined ? { kind: 'cancelled' } : (cancelOutcome(payment, operation) ?? absent);
  }

  #client({ credentials, signal }: Call): MollieClient {
    if (!isApiKey(credentials.apiKey)) throw new Error('The channel has no API key of Mollie.');
    return mollieClient({ root: this.#root, apiKey: credentials.apiKey, signal });
  }
}

/** A charge whose reference never arrived is looked for among the payments of the day before. */
const chargeSearchWindowMs = 86_400_000;

function chargeOf(mollie: MollieClient, operation: CancelOperation): Promise<Payment | undefined> {
  const { chargeReference, chargeKey, createdMs } = operation;
  return chargeReference === null
    ? findPayment(mollie, chargeKey, createdMs - chargeSearchWindowMs)
    : mollie.payments.get(chargeReference);
}

const absent: Absent = { kind: 'absent' };

const missingApiKey: Outcome = {
  kind: 'failed',
  failure: failure('credentials_refused', null, "The channel's apiKey is not a key of Mollie: test_… or live_…."),
};

/** Also keeps out what cannot stand in a header, whose error would quote it. */
function isApiKey(apiKey: string | null): apiKey is string {
  return apiKey !== null && /^(?:test|live)_\w{1,200}$/.test(apiKey);
}

function unsupportedCurrency({ currency }: Operation): Outcome {
  return { kind: 'failed', failure: failure('not_supported', null, `Mollie takes no payments in ${currency}.`) };
}

const methods: ReadonlySet<string> = new Set(Object.values(PaymentMethod));

/**
 * `ideal`, `creditcard`: Mollie then leaves out the page on which the payer chooses. Another provider's token, of a payment
 * that came here as the fallback, means nothing to Mollie, and the payer chooses.
 */
function methodOf(paymentMethod: string | null): PaymentMethod | undefined {
  return paymentMethod !== null && methods.has(paymentMethod) ? (paymentMethod as PaymentMethod) : undefined;
}

/** Of a payment; Mollie shortens it itself to what the payer's bank shows. */
const descriptionCharacters = 255;
/** Of a refund. */
const refundDescriptionCharacters = 140;

/** The first characters, none cut in half. */
function truncate(text: string | null, characters: number): string {
  return [...(text ?? '').trim()].slice(0, characters).join('');
}
