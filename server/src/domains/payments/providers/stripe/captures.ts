import type Stripe from 'stripe';
import { type Failure, failure } from '../failures.ts';
import type { Absent, Outcome } from '../outcome.ts';
import type { CaptureOperation, ReleaseOperation } from '../provider.ts';
import { isStripeApiError } from './declines.ts';
import { withFee } from './intents.ts';
import { endedAuthorization, feeOf, modeOf } from './outcomes.ts';
import { amountOfStripe, stripeAmount, unsupportedAmount } from './units.ts';

/**
 * Captures some of an intent (https://docs.stripe.com/api/payment_intents/capture). What Stripe has captured in all
 * says what became of a request, because one is under way at a time: also after a refusal, which may follow a first
 * request whose answer was lost.
 */
export async function sendCapture(stripe: Stripe, operation: CaptureOperation): Promise<Outcome> {
  const { key, chargeReference: id, isFinal, currency } = operation;
  const amount = stripeAmount(operation.amount, currency);
  if (amount === undefined) return unsupportedAmount(operation);
  try {
    // Taken only for several captures; without it the capture is final, and the rest is released.
    const further = isFinal ? {} : { final_capture: false };
    const request = { amount_to_capture: amount, ...further, ...withFee };
    const intent = await stripe.paymentIntents.capture(id, request, { idempotencyKey: key });
    return captureOutcome(intent, operation) ?? { kind: 'unknown', cause: new Error('Stripe has not captured.') };
  } catch (error) {
    if (!isStripeApiError(error) || ![400, 402].includes(error.statusCode ?? 0)) throw error;
    if (error.rawType === 'idempotency_error') throw error;
    const intent = await stripe.paymentIntents.retrieve(id, withFee);
    return captureOutcome(intent, operation) ?? refused(intent, failure('capture_failed', error.code ?? null));
  }
}

/** `absent`: nothing of this capture has happened, and the request can be sent again under its key. */
export async function findCapture(stripe: Stripe, operation: CaptureOperation): Promise<Outcome | Absent> {
  const intent = await stripe.paymentIntents.retrieve(operation.chargeReference, withFee);
  return captureOutcome(intent, operation) ?? { kind: 'absent' };
}

/** Undefined if the intent still waits to be captured, and has captured nothing of this operation. */
function captureOutcome(
  intent: Stripe.PaymentIntent,
  { amount, capturedBefore, currency }: CaptureOperation,
): Outcome | undefined {
  const { status, amount_received, latest_charge } = intent;
  const received = amountOfStripe(amount_received, currency);
  if (received === undefined || status === 'processing') return { kind: 'pending' };
  const taken = received - capturedBefore;
  const isOpen = status === 'requires_capture';
  if (taken > 0) {
    const reference = typeof latest_charge === 'string' ? latest_charge : (latest_charge?.id ?? intent.id);
    // The fee is of the charge as a whole: only its first capture can be told it.
    const fee = capturedBefore === 0 && !isOpen ? feeOf(intent) : undefined;
    const money = { amount: taken, currency };
    return { kind: 'succeeded', reference, money, isReleased: !isOpen, ...(fee && { fee }), ...modeOf(intent) };
  }
  if (isOpen) return undefined;
  return refused(intent, endedAuthorization(intent) ?? failure('capture_failed', `${status}, not ${amount}`));
}

function refused(intent: Stripe.PaymentIntent, why: Failure): Outcome {
  return { kind: 'failed', reference: intent.id, failure: why, ...modeOf(intent) };
}

/**
 * Releases what was not captured: cancelling an intent gives back only that
 * (https://docs.stripe.com/api/payment_intents/cancel).
 */
export async function releaseRest(
  stripe: Stripe,
  { chargeReference: id }: ReleaseOperation,
  cancel: (stripe: Stripe, id: string) => Promise<Stripe.PaymentIntent>,
): Promise<Outcome> {
  const intent = await cancel(stripe, id);
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    return { kind: 'succeeded', reference: id, ...modeOf(intent) };
  }
  if (intent.status === 'processing') return { kind: 'pending', reference: id };
  const message = `The rest cannot be released: at Stripe the payment is ${intent.status}.`;
  return { kind: 'failed', reference: id, failure: failure('invalid_operation', intent.status, message) };
}
