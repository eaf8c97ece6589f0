import { type Payment, type PaymentStatus, type Refund, SequenceType } from '@mollie/api-client';
import { mismatchOutcome } from '../amount-mismatch.ts';
import { failure } from '../failures.ts';
import type { Named, Outcome } from '../outcome.ts';
import type { CancelOperation, ChargeOperation, RefundOperation } from '../provider.ts';
import { isAmount, moneyOf } from './amounts.ts';
import { textOf } from './client.ts';
import { paymentFailure } from './failures.ts';
import { paymentStatuses, refundStatuses } from './vocabulary.ts';

/**
 * Throws if the answer is malformed or belongs to another operation, because the library's types are not checked at run
 * time. The outcome is then unknown. The functions below do the same.
 */
export function paymentOutcome(payment: Payment, operation: PaymentOperation): Outcome {
  return inMode(payment, ofCustomer(payment, outcomeOfPayment(payment, operation)));
}

/** What is known of a payment at Mollie: that of a charge, or of a setup. */
type PaymentOperation = Pick<ChargeOperation, 'key' | 'amount' | 'currency' | 'captureMethod'>;

function outcomeOfPayment(payment: Payment, operation: PaymentOperation): Outcome {
  const reference = idOf(payment, 'tr_');
  requireKey(payment.metadata, operation.key);
  const meaning = meaningOf(payment.status, paymentStatuses, reference);
  // For a payment that supports captures, the captured amount is the charged one.
  const taken = payment.amountCaptured ?? payment.amount;
  const isManual = operation.captureMethod === 'MANUAL';
  if (meaning === 'succeeded') {
    return isManual ? { kind: 'succeeded', reference, money: moneyOf(taken) } : success(reference, taken, operation);
  }
  requireAmount(payment.amount, operation, reference);
  switch (meaning) {
    case 'needs_payer': {
      const url = payment.getCheckoutUrl();
      // A mandate is charged without the payer.
      return url === null || payment.sequenceType === SequenceType.recurring
        ? { kind: 'pending', reference }
        : { kind: 'needs_payer', reference, nextAction: { type: 'redirect', url: httpUrl(url) } };
    }
    case 'authorized':
      return isManual
        ? {
            kind: 'authorized',
            reference,
            money: moneyOf(payment.amount),
            captureBefore: timeIn(payment.captureBefore),
          }
        : { kind: 'pending', reference };
    case 'pending':
      return { kind: 'pending', reference };
    case 'cancelled':
      return { kind: 'cancelled', reference };
    case 'payment_expired':
      return { kind: 'failed', reference, failure: failure('payment_expired', payment.status) };
    case 'failed':
      return { kind: 'failed', reference, failure: paymentFailure(reasonOf(payment)) };
  }
}

/** A time of Mollie, with the offset of its zone, as ours; null: it is none. */
function timeIn(text: unknown): string | null {
  const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

export function refundOutcome(refund: Refund, operation: RefundOperation): Outcome {
  return inMode(refund, outcomeOfRefund(refund, operation));
}

function outcomeOfRefund(refund: Refund, operation: RefundOperation): Outcome {
  const reference = idOf(refund, 're_');
  requireKey(refund.metadata, operation.key);
  const meaning = meaningOf(refund.status, refundStatuses, reference);
  if (meaning === 'succeeded') return success(reference, refund.amount, operation);
  requireAmount(refund.amount, operation, reference);
  if (meaning === 'pending') return { kind: 'pending', reference };
  return { kind: 'failed', reference, failure: failure('refund_refused', refund.status) };
}

/** Throws if Mollie has added the status after these tables were written. */
function meaningOf<Meaning>(status: string, meanings: Readonly<Record<string, Meaning>>, reference: string): Meaning {
  const meaning = Object.hasOwn(meanings, status) ? meanings[status] : undefined;
  if (meaning === undefined) throw new Error(`${reference} has a status that is not known here.`);
  return meaning;
}

/**
 * The outcome of a cancellation, from the payment's status. Undefined while the payment can still be cancelled, or its
 * authorization released.
 */
export function cancelOutcome(payment: Payment, operation: CancelOperation): Outcome | undefined {
  const reference = idOf(payment, 'tr_');
  requireKey(payment.metadata, operation.chargeKey);
  const status = payment.status as `${PaymentStatus}`;
  if (status === 'canceled') return inMode(payment, { kind: 'cancelled', reference });
  if (status === 'authorized' || payment.isCancelable === true) return undefined;
  const message = `At Mollie the payment is ${status} and cannot be cancelled.`;
  return inMode(payment, { kind: 'failed', reference, failure: failure('invalid_operation', status, message) });
}

/** The mode in a payment or refund of Mollie; undefined if it names none. */
export function livemodeIn({ mode }: { mode?: unknown }): boolean | undefined {
  return mode === 'live' || mode === 'test' ? mode === 'live' : undefined;
}

function inMode(reported: { mode?: unknown }, outcome: Outcome): Outcome {
  const livemode = livemodeIn(reported);
  return livemode === undefined ? outcome : naming({ livemode }, outcome);
}

function ofCustomer({ customerId }: Payment, outcome: Outcome): Outcome {
  return isMollieId(customerId, 'cst_') ? naming({ customerReference: customerId }, outcome) : outcome;
}

/** An outcome with what Mollie names beside it: the mode, the customer. */
export function naming(named: Named, outcome: Outcome): Outcome {
  if (outcome.kind === 'rate_limited') return outcome;
  if (outcome.kind !== 'unknown') return { ...outcome, ...named };
  return outcome.mismatch === undefined ? outcome : { ...outcome, mismatch: { ...outcome.mismatch, ...named } };
}

type Prefix = 'tr_' | 're_' | 'cst_' | 'mdt_' | 'chb_';

/** Ids become parts of URLs: only letters and digits may follow the prefix. */
export function isMollieId(id: unknown, prefix: Prefix): id is string {
  return typeof id === 'string' && id.startsWith(prefix) && /^[A-Za-z0-9]{1,64}$/.test(id.slice(prefix.length));
}

/** Our key in the metadata of a payment or refund; undefined if Florin did not make it. */
export function keyIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const { florin_key: key } = metadata as Record<string, unknown>;
  return typeof key === 'string' ? key : undefined;
}

function idOf({ id }: { id?: unknown }, prefix: 'tr_' | 're_'): string {
  if (!isMollieId(id, prefix)) throw new Error('Mollie answered with an object that has no valid id.');
  return id;
}

type Money = Pick<ChargeOperation, 'amount' | 'currency'>;

function success(reference: string, reported: unknown, { amount, currency }: Money): Outcome {
  const outcome = { kind: 'succeeded' as const, reference, money: moneyOf(reported) };
  return isAmount(reported, amount, currency) ? outcome : mismatchOutcome(outcome);
}

function requireAmount(reported: unknown, { amount, currency }: Money, reference: string): void {
  if (!isAmount(reported, amount, currency)) throw new Error(`${reference} has another amount.`);
}

function requireKey(metadata: unknown, key: string): void {
  if (keyIn(metadata) !== key) throw new Error('Mollie answered with a payment or refund of another operation.');
}

/** Requires an HTTP address, because the payer's browser is redirected to it. */
function httpUrl(text: string): string {
  const { protocol, href } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new Error('The checkout address of Mollie is not an HTTP address.');
  return href;
}

/** The failure reason of a card payment, a direct debit, or a payment at a terminal (`statusReason`). */
function reasonOf({ details, statusReason }: Payment): string | null {
  const { failureReason, bankReasonCode } = (details ?? {}) as { failureReason?: unknown; bankReasonCode?: unknown };
  return textOf(failureReason) ?? textOf(bankReasonCode) ?? textOf(statusReason?.code) ?? null;
}
