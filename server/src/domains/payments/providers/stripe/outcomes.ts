import type Stripe from 'stripe';
import { type Failure, failure } from '../failures.ts';
import type { Fee, Named, NamedMode, NamedMoney, NextAction, Outcome } from '../outcome.ts';
import { decline, refusal } from './declines.ts';
import { idIn, type Reference } from './references.ts';
import { amountOfStripe } from './units.ts';
import { cancellationReasons, intentStatuses, pagesOfActions, refundStatuses } from './vocabulary.ts';

/**
 * Florin cancels a declined intent with this reason, which distinguishes it from intents cancelled for other reasons.
 */
export const declinedReason = 'abandoned';

/** Marks the intents of payments without their payer, so that their events are read as the answers are. */
export const offSession = { florin_initiator: 'MERCHANT' } as const;

/** Whether the payer was not there to authenticate. */
export function isOffSession({ metadata }: Stripe.PaymentIntent): boolean {
  return metadata?.florin_initiator === offSession.florin_initiator;
}

/** Marks the intents of pages: what their events mean is known from the page. */
export const ofPage = { florin_page: 'true' } as const;

/** Whether the payer pays, or sets up, on a page of Stripe. */
export function isOfPage({ metadata }: { metadata?: Stripe.Metadata | null }): boolean {
  return metadata?.florin_page === ofPage.florin_page;
}

/** The outcome of a charge, from its payment intent (https://docs.stripe.com/payments/paymentintents/lifecycle). */
export function intentOutcome(intent: Stripe.PaymentIntent): Outcome {
  return { ...outcomeOfStatus(requireObject(intent, 'payment_intent')), ...modeOf(intent) };
}

/** The mode that Stripe names for an intent. Its refunds name none. */
export function modeOf({ livemode }: { livemode?: unknown }): NamedMode {
  return typeof livemode === 'boolean' ? { livemode } : {};
}

/** The customer whose charge or setup it is. */
export function customerOf({ customer }: { customer: Reference }): Pick<Named, 'customerReference'> {
  const customerReference = idIn(customer);
  return customerReference === undefined ? {} : { customerReference };
}

function outcomeOfStatus(intent: Stripe.PaymentIntent): Outcome {
  const { id: reference, status } = intent;
  switch (intentStatuses[status]) {
    case 'succeeded': {
      const fee = feeOf(intent);
      // What was captured in all.
      const money = moneyOf(intent.amount_received, intent.currency);
      return { kind: 'succeeded', reference, ...(fee && { fee }), ...(money && { money }) };
    }
    case 'authorized':
      return authorizedOutcome(intent);
    case 'canceled':
      return canceledOutcome(intent);
    case 'needs_payer':
      if (isAnnounced(intent)) return { kind: 'pending', reference };
      return { kind: 'needs_payer', reference, nextAction: nextActionOf(intent) };
    // Also statuses that Stripe may add.
    default:
      return { kind: 'pending', reference };
  }
}

/**
 * Whether the network announces the charge to the payer, for which Stripe holds it 26 hours
 * (https://docs.stripe.com/india-recurring-payments). It goes on by itself, so that no payer is waited for.
 */
export function isAnnounced({ status, next_action: action }: Stripe.PaymentIntent): boolean {
  return status === 'requires_action' && action?.type === 'card_await_notification';
}

/**
 * The amount is reserved. Events do not show until when, because they have only the id of the charge; the look-up that
 * follows does.
 */
function authorizedOutcome(intent: Stripe.PaymentIntent): Outcome {
  const { id: reference, amount_capturable, amount_received, currency, latest_charge: charge } = intent;
  const details = typeof charge === 'object' ? charge?.payment_method_details?.card : undefined;
  const money = moneyOf(amount_capturable + amount_received, currency);
  const captureBefore = details?.capture_before ? new Date(details.capture_before * 1_000).toISOString() : null;
  return { kind: 'authorized', reference, captureBefore, ...(money && { money }) };
}

/** Why an intent that was authorized and not captured has ended by itself; undefined: it has not. */
export function endedAuthorization(intent: Stripe.PaymentIntent): Failure | undefined {
  const { status, capture_method, cancellation_reason: reason, latest_charge: charge } = intent;
  const wasAuthorized = capture_method === 'manual' && Boolean(charge) && !intent.last_payment_error;
  const isExpired = status === 'canceled' && cancellationReasons[reason ?? ''] === 'payment_expired';
  return wasAuthorized && isExpired ? failure('authorization_expired', reason) : undefined;
}

/** Why the last attempt to pay an intent failed. */
export function lastFailure(intent: Stripe.PaymentIntent): Failure {
  const { last_payment_error: error, latest_charge: charge } = intent;
  if (error) return error.type === 'invalid_request_error' ? refusal(error) : decline(error);
  // Without an attempt to pay the issuer wanted the payer, or Stripe has refused our request.
  if (charge === null || charge === undefined)
    return failure(isOffSession(intent) ? 'authentication_required' : 'invalid_operation');
  if (typeof charge === 'string') return failure('card_declined');
  const { failure_code: code, failure_message: message, outcome } = charge;
  return decline({ code, decline_code: outcome?.reason ?? null, message });
}

function canceledOutcome(intent: Stripe.PaymentIntent): Outcome {
  const { id: reference, cancellation_reason: reason } = intent;
  const meaning = cancellationReasons[reason ?? ''];
  const ended = endedAuthorization(intent);
  if (ended !== undefined) return { kind: 'cancelled', reference, failure: ended };
  if (meaning === 'payment_expired') {
    return { kind: 'failed', reference, failure: failure('payment_expired', reason) };
  }
  // A cancelled intent with a charge or an error has had an attempt to pay, which must have failed. One without its
  // payer was confirmed when it was created.
  const wasAttempted = isOffSession(intent) || Boolean(intent.last_payment_error ?? intent.latest_charge);
  return meaning === 'failed_if_attempted' && wasAttempted
    ? { kind: 'failed', reference, failure: lastFailure(intent) }
    : { kind: 'cancelled', reference };
}

/**
 * Redirects to the page of Stripe, of the payer's bank or of a voucher if `next_action` names one. Otherwise the
 * merchant's page continues with Stripe's script. The details in `next_action` are under a field named like its type.
 */
export function nextActionOf(intent: Stripe.PaymentIntent | Stripe.SetupIntent): NextAction {
  const { next_action: action, client_secret: clientSecret } = intent;
  const page = action === null || action === undefined ? undefined : pageOf(action as unknown as Action);
  if (page !== undefined) return { type: 'redirect', url: page };
  return { type: 'confirm', url: null, ...(clientSecret && { clientSecret }) };
}

interface Action {
  type: string;
  [details: string]: unknown;
}

function pageOf({ type, ...action }: Action): string | undefined {
  const member = pagesOfActions[type];
  const page = typeof member === 'string' ? (action[type] as Record<string, unknown> | undefined)?.[member] : undefined;
  return isHttpUrl(page) ? page : undefined;
}

function isHttpUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//.test(value);
}

/** Known after Stripe has booked the charge, in the currency of the payouts to the merchant. */
export function feeOf({ latest_charge: charge }: Stripe.PaymentIntent): Fee | undefined {
  const transaction = charge !== null && typeof charge === 'object' ? charge.balance_transaction : null;
  if (transaction === null || typeof transaction !== 'object') return undefined;
  const currency = transaction.currency.toUpperCase();
  const amount = amountOfStripe(transaction.fee, currency);
  return amount !== undefined && amount > 0 ? { amount, currency } : undefined;
}

/** Undefined if it is not reported. */
function moneyOf(amount: unknown, currency: unknown): NamedMoney | undefined {
  if (typeof currency !== 'string') return undefined;
  const code = currency.toUpperCase();
  return { currency: code, ...(typeof amount === 'number' && { amount: amountOfStripe(amount, code) ?? null }) };
}

/** The outcome of a refund, from its status (https://docs.stripe.com/api/refunds/object). */
export function refundOutcome(refund: Stripe.Refund): Outcome {
  const { id: reference, status, failure_reason: reason } = requireObject(refund, 'refund');
  switch (refundStatuses[status ?? '']) {
    case 'succeeded': {
      const money = moneyOf(refund.amount, refund.currency);
      return { kind: 'succeeded', reference, ...(money && { money }) };
    }
    case 'failed':
      return { kind: 'failed', reference, failure: failure('refund_refused', reason ?? null) };
    case 'cancelled':
      return { kind: 'cancelled', reference };
    default:
      return { kind: 'pending', reference };
  }
}

/** Throws if an answer is not the expected object, for example because it comes from a proxy. */
function requireObject<Answer extends { id: string; object: string }>(
  answer: Answer,
  object: Answer['object'],
): Answer {
  if (answer?.object !== object || typeof answer.id !== 'string') throw new Error(`This is not a ${object} of Stripe.`);
  return answer;
}
