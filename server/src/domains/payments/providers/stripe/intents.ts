import type Stripe from 'stripe';
import { type Failure, failure } from '../failures.ts';
import type { Outcome } from '../outcome.ts';
import type { CancelOperation, ChargeOperation } from '../provider.ts';
import { customerIdOf } from './customers.ts';
import { isStripeApiError, outcomeOfError } from './declines.ts';
import { findIntent, metadataOf } from './find.ts';
import { keptByCharge } from './kept-methods.ts';
import { mandateData } from './mandates.ts';
import {
  customerOf,
  declinedReason,
  intentOutcome,
  isAnnounced,
  isOffSession,
  lastFailure,
  modeOf,
  offSession,
} from './outcomes.ts';
import { stripeAmount, unsupportedAmount } from './units.ts';

/** Includes the charge and its balance transaction, which has the fee. */
export const withFee = { expand: ['latest_charge.balance_transaction'] };

/** Stripe has refused longer descriptions; its limit is not documented. */
const maxDescriptionCharacters = 500;

/**
 * Creates the payment intent and confirms it if there is a token or a kept method. Always the same request for the same
 * key.
 */
export async function sendCharge(stripe: Stripe, operation: ChargeOperation): Promise<Outcome> {
  const { key, currency, save } = operation;
  const amount = stripeAmount(operation.amount, currency);
  if (amount === undefined) return unsupportedAmount(operation);
  const description = descriptionOf(operation);
  const customer = save && (await customerIdOf(stripe, save.customer, operation.createdMs));
  const creation = stripe.paymentIntents.create(
    {
      amount,
      currency: currency.toLowerCase(),
      automatic_payment_methods: { enabled: true },
      // The default, `automatic_async`, is faster but returns before the fee is known
      // (https://docs.stripe.com/payments/payment-intents/asynchronous-capture).
      ...captureOf(operation),
      metadata: { ...metadataOf(operation), ...(operation.initiator === 'MERCHANT' && offSession) },
      ...(description !== undefined && { description }),
      ...descriptorOf(operation),
      ...(customer !== null && { customer, setup_future_usage: 'off_session' }),
      ...confirmation(operation),
      ...withFee,
    },
    { idempotencyKey: key },
  );
  const { intent, refused } = await creation.then((intent) => ({ intent, refused: undefined }), intentOfRefusal);
  return chargeOutcome(stripe, operation, intent, refused);
}

/**
 * What the payer reads on a statement. A card takes a suffix to the account's prefix, and Stripe refuses the whole text
 * wherever a card can pay
 * (https://support.stripe.com/questions/use-of-the-statement-descriptor-parameter-on-paymentintents-for-card-charges).
 * So other methods get theirs if it is known that one of them pays.
 */
export function descriptorOf({ statementDescriptor, method }: ChargeOperation) {
  if (statementDescriptor === null) return {};
  if (method === null || method.type === 'card') return { statement_descriptor_suffix: statementDescriptor };
  return { statement_descriptor: statementDescriptor, allowed_payment_method_types: [method.providerType] };
}

/** Whether the money is taken at once. Several captures are asked for where the account and the card allow them. */
export function captureOf({ captureMethod }: ChargeOperation) {
  if (captureMethod === 'AUTOMATIC') return { capture_method: 'automatic' } as const;
  return {
    capture_method: 'manual',
    payment_method_options: { card: { request_multicapture: 'if_available' } },
  } as const;
}

/** The text of a payment, cut between characters. */
export function descriptionOf({ description }: ChargeOperation): string | undefined {
  return description ? [...description].slice(0, maxDescriptionCharacters).join('') : undefined;
}

/** Without a token or a kept method the merchant's page confirms the intent. */
function confirmation({ paymentMethod, method, initiator, save, returnUrl }: ChargeOperation) {
  const customer = method?.customerReference ?? null;
  const chosen = method?.reference ?? paymentMethod;
  if (chosen === null) return {};
  // A payer who authenticates a kept card does so for later charges as well, of which the issuer may ask no more.
  const isAuthenticated = method?.type === 'card' && initiator === 'PAYER';
  return {
    ...(customer !== null && { customer }),
    payment_method: chosen,
    confirm: true,
    return_url: returnUrl,
    ...(initiator === 'MERCHANT' && { off_session: true }),
    ...(isAuthenticated && { setup_future_usage: 'off_session' as const }),
    ...(save?.consent && { mandate_data: mandateData(save.consent) }),
  };
}

/** The outcome of the charge with this id. */
export async function retrieveCharge(stripe: Stripe, operation: ChargeOperation, id: string): Promise<Outcome> {
  return chargeOutcome(stripe, operation, await stripe.paymentIntents.retrieve(id, withFee));
}

/** The outcome of the charge with this key; undefined if Stripe has none. */
export async function searchCharge(stripe: Stripe, operation: ChargeOperation): Promise<Outcome | undefined> {
  const found = await findIntent(stripe, operation.key, operation);
  return found && retrieveCharge(stripe, operation, found.id);
}

/** Cancels a charge. Undefined if Stripe has none (yet). Idempotent. */
export async function cancelCharge(stripe: Stripe, operation: CancelOperation): Promise<Outcome | undefined> {
  const { chargeKey, chargeReference, chargeCreatedMs, createdMs } = operation;
  const made = { createdMs: chargeCreatedMs, calledMs: createdMs };
  const id = chargeReference ?? (await findIntent(stripe, chargeKey, made))?.id;
  if (id === undefined) return undefined;
  const intent = await intentAfterCancel(stripe, id);
  if (intent === undefined) return undefined;
  const { status } = intent;
  if (status === 'canceled') return { kind: 'cancelled', reference: id, ...modeOf(intent) };
  const message = `The payment cannot be cancelled: at Stripe it is ${status}.`;
  return { kind: 'failed', reference: id, failure: failure('invalid_operation', status, message), ...modeOf(intent) };
}

async function intentAfterCancel(stripe: Stripe, id: string): Promise<Stripe.PaymentIntent | undefined> {
  try {
    return await cancelIntent(stripe, id, 'requested_by_customer');
  } catch (error) {
    if (isStripeApiError(error) && error.statusCode === 404) return undefined;
    throw error;
  }
}

/**
 * Stripe's library throws a declined payment as an error that carries the intent. A refusal of our request may carry it
 * too: that intent is open, and is cancelled like a declined one.
 */
function intentOfRefusal(error: unknown): { intent: Stripe.PaymentIntent; refused: Failure } {
  const intent = isStripeApiError(error) ? error.payment_intent : undefined;
  const outcome = outcomeOfError(error, 'CHARGE');
  if (intent === undefined || outcome.kind !== 'failed') throw error;
  return { intent, refused: outcome.failure };
}

/** `refused`: why Stripe refused the request; undefined if it did not. */
async function chargeOutcome(
  stripe: Stripe,
  operation: ChargeOperation,
  intent: Stripe.PaymentIntent,
  refused?: Failure,
): Promise<Outcome> {
  const isConfirmed = operation.paymentMethod !== null || operation.method !== null;
  const mustEnd = isConfirmed && isDeclined(intent, { isRefused: refused !== undefined });
  const outcome = mustEnd ? await cancelDeclined(stripe, intent.id, refused ?? lastFailure(intent)) : undefined;
  if (operation.save === null) return outcome ?? intentOutcome(intent);
  return { ...(outcome ?? (await savingOutcome(stripe, intent))), ...customerOf(intent) };
}

/** Whether the intent of a payment that was confirmed at once is still open, although it has failed. */
function isDeclined(intent: Stripe.PaymentIntent, { isRefused }: { isRefused: boolean }): boolean {
  const { status } = intent;
  if (status === 'requires_payment_method') return true;
  if (status === 'requires_confirmation') return isRefused || isOffSession(intent);
  // Nobody is there to take the step.
  return status === 'requires_action' && isOffSession(intent) && !isAnnounced(intent);
}

/** The outcome of a charge that keeps what the payer pays with. */
export async function savingOutcome(stripe: Stripe, intent: Stripe.PaymentIntent): Promise<Outcome> {
  const outcome = intentOutcome(intent);
  if (outcome.kind !== 'succeeded' && outcome.kind !== 'authorized') return outcome;
  const kept = await keptByCharge(stripe, intent);
  return { ...outcome, ...(kept && { kept }) };
}

/** `failed` only after the intent can no longer be paid. */
async function cancelDeclined(stripe: Stripe, id: string, why: Failure): Promise<Outcome> {
  try {
    const intent = await cancelIntent(stripe, id, declinedReason);
    if (intent.status === 'canceled') return { kind: 'failed', reference: id, failure: why, ...modeOf(intent) };
    if (!['requires_payment_method', 'requires_confirmation'].includes(intent.status)) return intentOutcome(intent);
    return { kind: 'unknown', cause: new Error('A declined payment could not be cancelled.') };
  } catch (cause) {
    // Also after a refusal, because it concerns the cancellation, not the payment.
    return { kind: 'unknown', cause };
  }
}

/** Cancels an intent. Returns it as it is afterwards: not `canceled` if its status does not allow that. */
export async function cancelIntent(
  stripe: Stripe,
  id: string,
  reason: 'abandoned' | 'requested_by_customer' = 'requested_by_customer',
): Promise<Stripe.PaymentIntent> {
  try {
    return await stripe.paymentIntents.cancel(id, { cancellation_reason: reason });
  } catch (error) {
    if (!isStripeApiError(error) || error.statusCode !== 400) throw error;
    return stripe.paymentIntents.retrieve(id);
  }
}
