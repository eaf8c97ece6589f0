import { CaptureMethod, type MollieClient, type Payment, PaymentMethod, SequenceType } from '@mollie/api-client';
import { type Clock, systemClock } from '../../../../core/clock.ts';
import type { DisputePage, DisputeReading, RefundReading, Unanswered } from '../dispute.ts';
import { failure, type Ignored } from '../failures.ts';
import type { KeptMethod } from '../kept-method.ts';
import { otherModeOf, otherModeOutcome } from '../other-mode.ts';
import type { Absent, Outcome } from '../outcome.ts';
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
} from '../provider.ts';
import { redactedOutcome } from '../redaction.ts';
import { mollieAmount } from './amounts.ts';
import { readMollieCallback } from './callback.ts';
import { captureOnce, findCapture, findRelease, requestRelease, sendCapture, waitsForCapture } from './captures.ts';
import { listOf, listSince, readChargeback, readRefund } from './chargebacks.ts';
import { clientFor, isApiKey, MollieApiError, missingApiKey } from './client.ts';
import { customerFor, isGone } from './customers.ts';
import { mayFollowLostCall, outcomeOfApiError, rateLimited, unsupportedCurrency } from './failures.ts';
import { findPayment, findRefund } from './find.ts';
import { keptBy, readMandate } from './mandates.ts';
import { MollieMethods } from './methods.ts';
import { orderOf } from './order.ts';
import { cancelOutcome, naming, paymentOutcome, refundOutcome } from './outcomes.ts';
import { methods, type Need } from './vocabulary.ts';
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
  readonly methods: MethodProvider;
  readonly takesPurchase = true;
  readonly #root: string;
  readonly #clock: Clock;

  /** `url` is the address before `/v2`, for a simulator. Throws if it is not a URL. */
  constructor(url = 'https://api.mollie.com', clock: Clock = systemClock) {
    this.#root = new URL(url).href.replace(/\/+$/, '');
    this.#clock = clock;
    this.methods = new MollieMethods(this.#root, clock);
  }

  async charge(operation: ChargeOperation, call: Call): Promise<Outcome> {
    let customerId = null as string | null;
    const outcome = await this.#start(operation, call, async (mollie) => {
      const amount = mollieAmount(operation.amount, operation.currency);
      if (amount === undefined) return unsupportedCurrency(operation);
      if (operation.method?.customerReference === null) return withoutCustomer;
      const { key, transactionId, callbackUrl, paymentMethod, save, statementDescriptor } = operation;
      const method = methodOf(paymentMethod);
      if (typeof method === 'object') return notOffered(paymentMethod as string, method.ignored);
      const order = operation.method === null ? orderOf(operation, method) : {};
      if (typeof order === 'string') return notOffered(paymentMethod as string, missing[order]);
      if (save !== null) customerId = await customerFor(mollie, save.customer, operation, this.#clock());
      const webhookUrl = webhookUrlOf(callbackUrl, key, call.credentials.webhookSecret, this.#root);
      const payment = await mollie.payments.create({
        amount,
        // Mollie shows the description on statements, and takes no other text for them.
        description:
          statementDescriptor ?? (truncate(operation.description, maxDescriptionCharacters) || transactionId),
        metadata: { florin_key: key, florin_transaction: transactionId },
        idempotencyKey: key,
        ...(webhookUrl === undefined ? {} : { webhookUrl }),
        ...(method === undefined ? {} : { method }),
        ...order,
        ...(operation.captureMethod === 'MANUAL' && { captureMode: CaptureMethod.manual }),
        ...sequenceOf(operation, customerId),
      });
      // The payment exists: a refusal of what is asked about it does not make it fail.
      return this.#outcomeOf(mollie, payment, operation).catch((cause) => ({ kind: 'unknown', cause }));
    });
    // The customer exists from now on, whatever became of the payment.
    return customerId === null ? outcome : naming({ customerReference: customerId }, outcome);
  }

  /** The outcome of a charge, with what it has kept. Takes the second step of a charge that has two. */
  async #outcomeOf(mollie: MollieClient, payment: Payment, operation: ChargeOperation): Promise<Outcome> {
    const outcome = paymentOutcome(payment, operation);
    if (outcome.kind === 'pending' && waitsForCapture(payment)) await captureOnce(mollie, payment, operation.key);
    const isPaid = outcome.kind === 'succeeded' || outcome.kind === 'authorized';
    const { save } = operation;
    if ((save === null && !isInPerson(operation)) || !isPaid) return outcome;
    const kept = await keptBy(mollie, payment);
    if (kept === undefined) return outcome;
    return { ...outcome, kept: kept.method, ...(save !== null && otherModeOf(save.customer, kept)) };
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

  readonly captures: CaptureProvider = {
    capture: (operation, call) => this.#start(operation, call, (mollie) => sendCapture(mollie, operation)),
    release: (operation, call) => this.#start(operation, call, (mollie) => requestRelease(mollie, operation)),
  };

  readonly disputes = {
    read: (reference, call) => this.#read(call, (mollie) => readChargeback(mollie, reference)),
    listSince: (sinceMs, cursor, call) => this.#read(call, (mollie) => listSince(mollie, sinceMs, cursor)),
    listOf: (charge, cursor, call) => this.#read(call, (mollie) => listOf(mollie, charge, cursor)),
    readRefund: (reference, call) => this.#read(call, (mollie) => readRefund(mollie, reference)),
  } satisfies DisputeProvider;

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

  lookUp(operation: Operation, call: Call): Promise<Outcome | Absent> {
    return this.#read(call, (mollie) =>
      this.#find(mollie, operation).catch((cause: unknown) => {
        if (operation.reference === null || !isGone(cause)) throw cause;
        return { kind: 'unknown', cause: new Error('Mollie no longer has it.'), isForgotten: true };
      }),
    );
  }

  readCallback(callback: Callback, { webhookSecret }: Credentials): ProviderCallback {
    return readMollieCallback(callback, webhookSecret);
  }

  /** A refusal of Mollie says nothing about what was to be read. */
  async #read<Result extends Outcome | Absent | DisputeReading | DisputePage | RefundReading>(
    call: Call,
    read: (mollie: MollieClient) => Promise<Result>,
  ): Promise<Result | Unanswered> {
    try {
      return redactedOutcome(await read(clientFor(call, this.#root)), call.credentials);
    } catch (cause) {
      const isLimited = cause instanceof MollieApiError && cause.status === 429;
      return redactedOutcome<Unanswered>(isLimited ? rateLimited(cause) : { kind: 'unknown', cause }, call.credentials);
    }
  }

  async #start(operation: Operation, call: Call, send: (mollie: MollieClient) => Promise<Outcome>): Promise<Outcome> {
    if (!isApiKey(call.credentials.apiKey)) return missingApiKey;
    try {
      const outcome = await send(clientFor(call, this.#root)).catch(otherModeOutcome);
      return redactedOutcome(outcome, call.credentials);
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
    const outcome = outcomeOfApiError(error, operation.kind);
    const isOfMandate =
      operation.kind === 'CHARGE' && operation.method !== null && refusesMandates.includes(error.status);
    return redactedOutcome(
      isOfMandate ? await this.#unlessMandateEnded(operation, outcome, call) : outcome,
      call.credentials,
    );
  }

  /** What a refusal says of the mandate is text; its status is what counts. */
  async #unlessMandateEnded({ method }: ChargeOperation, refused: Outcome, call: Call): Promise<Outcome> {
    try {
      const state = await readMandate(clientFor(call, this.#root), method as KeptMethod);
      return state.kind === 'ended' ? { kind: 'failed', failure: state.failure } : refused;
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  async #find(mollie: MollieClient, operation: Operation): Promise<Outcome | Absent> {
    const { key, reference } = operation;
    if (operation.kind === 'CHARGE') {
      const payment =
        reference === null ? await findPayment(mollie, key, operation.createdMs) : await mollie.payments.get(reference);
      return payment === undefined ? absent : this.#outcomeOf(mollie, payment, operation);
    }
    if (operation.kind === 'REFUND') {
      const { chargeReference: paymentId } = operation;
      const refund =
        reference === null
          ? await findRefund(mollie, paymentId, key)
          : await mollie.paymentRefunds.get(reference, { paymentId });
      return refund === undefined ? absent : refundOutcome(refund, operation);
    }
    if (operation.kind === 'CAPTURE') return findCapture(mollie, operation);
    if (operation.kind === 'RELEASE') return findRelease(mollie, operation);
    const payment = await findCharge(mollie, operation);
    // A cancellation is idempotent: while it is still possible, `absent` lets Florin send it again.
    return payment === undefined ? { kind: 'cancelled' } : (cancelOutcome(payment, operation) ?? absent);
  }
}

function findCharge(mollie: MollieClient, operation: CancelOperation): Promise<Payment | undefined> {
  const { chargeReference, chargeKey, chargeCreatedMs } = operation;
  return chargeReference === null
    ? findPayment(mollie, chargeKey, chargeCreatedMs)
    : mollie.payments.get(chargeReference);
}

const absent: Absent = { kind: 'absent' };

const withoutCustomer: Outcome = {
  kind: 'failed',
  failure: failure('invalid_operation', null, 'A mandate is charged only together with its customer at Mollie.'),
};

/** With these Mollie refuses a charge whose customer or mandate has ended. */
const refusesMandates = [404, 410, 422];

/**
 * Whether a payer pays with a kept card in person. A mandate is charged without its payer, and an issuer that wants the
 * payer would refuse it again: the payer authenticates the card on Mollie's page, by a first payment, whose mandate is
 * charged from then on.
 */
const isInPerson = ({ method, initiator }: ChargeOperation) => method?.type === 'card' && initiator === 'PAYER';

/**
 * A kept method is charged with its own mandate, because without one Mollie charges the customer's newest; there is no
 * payer to send back. Keeping a method begins with a first payment.
 */
function sequenceOf(operation: ChargeOperation, customerId: string | null) {
  const { method, returnUrl } = operation;
  if (method !== null && isInPerson(operation)) {
    const card = { method: PaymentMethod.creditcard, sequenceType: SequenceType.first } as const;
    return { redirectUrl: returnUrl, customerId: method.customerReference as string, ...card };
  }
  if (method !== null) {
    const { customerReference, reference: mandateId } = method;
    return { customerId: customerReference as string, mandateId, sequenceType: SequenceType.recurring };
  }
  if (customerId === null) return { redirectUrl: returnUrl };
  return { redirectUrl: returnUrl, customerId, sequenceType: SequenceType.first };
}

/**
 * With `ideal`, `creditcard`, … Mollie skips the page on which the payer chooses a method. Any other token belongs to
 * another provider, from which this payment has fallen back to Mollie: then the payer chooses.
 */
function methodOf(paymentMethod: string | null): PaymentMethod | Ignored | undefined {
  if (paymentMethod === null || !Object.hasOwn(methods, paymentMethod)) return undefined;
  const known = methods[paymentMethod];
  return known === 'offered' || (known !== undefined && 'needs' in known) ? (paymentMethod as PaymentMethod) : known;
}

const missing: Record<Need, string> = {
  lines: "it needs `lines` that add up to the payment's amount",
  billingAddress: 'it needs a `billingAddress` with name, e-mail address, street, postal code, city and country',
};

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
