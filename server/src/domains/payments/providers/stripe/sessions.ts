import type Stripe from 'stripe';
import { failure } from '../failures.ts';
import type { MethodType } from '../kept-method.ts';
import type { Outcome, SetupOutcome } from '../outcome.ts';
import type { CancelOperation, ChargeOperation, SetupOperation } from '../provider.ts';
import { customerIdOf } from './customers.ts';
import { isStripeApiError } from './declines.ts';
import { findSession, metadataOf, type Searched } from './find.ts';
import { captureOf, descriptionOf, descriptorOf, savingOutcome, withFee } from './intents.ts';
import { customerOf, intentOutcome, lastFailure, modeOf, ofPage } from './outcomes.ts';
import { idIn, type Reference } from './references.ts';
import { retrieveSetup } from './setups.ts';
import { stripeAmount, unsupportedAmount } from './units.ts';
import { excludableTypes, methodTypes, sessionStatuses } from './vocabulary.ts';

/**
 * Pages of Stripe: Checkout Sessions (https://docs.stripe.com/api/checkout/sessions). A session expires after a day,
 * which is Stripe's default. A decline leaves it open, so that the payer can pay otherwise.
 */

/** Opens the page of a payment. Always the same request for the same key. */
export async function sendPaymentPage(stripe: Stripe, operation: ChargeOperation, nowMs: number): Promise<Outcome> {
  const { key, save, returnUrl } = operation;
  const currency = operation.currency.toLowerCase();
  const amount = stripeAmount(operation.amount, operation.currency);
  if (amount === undefined) return unsupportedAmount(operation);
  const description = descriptionOf(operation);
  const customer = save && (await customerIdOf(stripe, save.customer, operation.createdMs));
  const { capture_method, payment_method_options: options } = captureOf(operation);
  const session = await stripe.checkout.sessions.create(
    {
      mode: 'payment',
      client_reference_id: key,
      line_items: [
        {
          quantity: 1,
          price_data: { currency, unit_amount: amount, product_data: { name: description ?? 'Payment' } },
        },
      ],
      success_url: returnUrl,
      cancel_url: returnUrl,
      metadata: metadataOf(operation),
      ...(customer !== null && { customer }),
      ...(options && { payment_method_options: options }),
      payment_intent_data: {
        capture_method,
        metadata: { ...metadataOf(operation), ...ofPage },
        ...(description !== undefined && { description }),
        ...descriptorOf(operation),
        ...(customer !== null && { setup_future_usage: 'off_session' }),
      },
    },
    { idempotencyKey: key },
  );
  return paymentOutcome(stripe, operation, session, nowMs);
}

/** Opens the page on which the payer sets a method up. Always the same request for the same key. */
export async function sendSetupPage(stripe: Stripe, operation: SetupOperation): Promise<SetupOutcome> {
  const { key, currency, returnUrl, type } = operation;
  const customer = await customerIdOf(stripe, operation.customer, operation.createdMs);
  const session = await stripe.checkout.sessions.create(
    {
      mode: 'setup',
      client_reference_id: key,
      customer,
      currency: currency.toLowerCase(),
      success_url: returnUrl,
      cancel_url: returnUrl,
      metadata: metadataOf(operation),
      ...(type !== null && { excluded_payment_method_types: allBut(type) }),
      setup_intent_data: { metadata: { ...metadataOf(operation), ...ofPage } },
    },
    { idempotencyKey: key },
  );
  return setupOutcome(stripe, session);
}

/**
 * The page offers what the Dashboard has switched on, without what is excluded. The pinned version takes no list of
 * what is offered.
 */
function allBut(type: MethodType): string[] {
  return excludableTypes.filter((each) => methodTypes[each] !== type);
}

/** The outcome of the payment with this page. */
export async function retrievePaymentPage(
  stripe: Stripe,
  operation: ChargeOperation,
  id: string,
  nowMs: number,
): Promise<Outcome> {
  return paymentOutcome(stripe, operation, await stripe.checkout.sessions.retrieve(id), nowMs);
}

/** The outcome of the payment whose page has this key; undefined if Stripe has none. */
export async function searchPaymentPage(
  stripe: Stripe,
  operation: ChargeOperation,
  nowMs: number,
): Promise<Outcome | undefined> {
  const found = await findSession(stripe, operation.key, operation);
  return found && paymentOutcome(stripe, operation, found, nowMs);
}

/** The outcome of the setup with this page. */
export async function retrieveSetupPage(stripe: Stripe, id: string): Promise<SetupOutcome> {
  return setupOutcome(stripe, await stripe.checkout.sessions.retrieve(id));
}

/** Expires the page of a setup whose payer has not finished. */
export async function expireSetupPage(stripe: Stripe, id: string): Promise<SetupOutcome> {
  return setupOutcome(stripe, (await sessionAfterExpiry(stripe, id)) ?? (await stripe.checkout.sessions.retrieve(id)));
}

/** The outcome of the setup whose page has this key; undefined if Stripe has none. */
export async function searchSetupPage(stripe: Stripe, operation: SetupOperation): Promise<SetupOutcome | undefined> {
  const found = await findSession(stripe, operation.key, operation);
  return found && setupOutcome(stripe, found);
}

/** Expires the page of a charge. Undefined if the charge has none (yet). Idempotent. */
export async function expirePage(stripe: Stripe, operation: CancelOperation): Promise<Outcome | undefined> {
  const { chargeKey, chargeReference, chargeCreatedMs, createdMs } = operation;
  const searched: Searched = { createdMs: chargeCreatedMs, calledMs: createdMs };
  const id = chargeReference ?? (await findSession(stripe, chargeKey, searched))?.id;
  const session = id !== undefined && isPage(id) ? await sessionAfterExpiry(stripe, id) : undefined;
  if (session === undefined) return undefined;
  const { id: reference, status } = session;
  if (status === 'expired') return { kind: 'cancelled', reference, ...modeOf(session) };
  if (sessionStatuses[status ?? ''] === undefined)
    throw new Error('The page of Stripe has a status that is not known here.');
  const message = `The payment cannot be cancelled: its page at Stripe is ${status}.`;
  return { kind: 'failed', reference, failure: failure('invalid_operation', status, message), ...modeOf(session) };
}

/** Whether this is the id of a page. */
export function isPage(id: string): boolean {
  return id.startsWith('cs_');
}

async function sessionAfterExpiry(stripe: Stripe, id: string): Promise<Stripe.Checkout.Session | undefined> {
  try {
    return await stripe.checkout.sessions.expire(id);
  } catch (error) {
    if (!isStripeApiError(error)) throw error;
    if (error.statusCode === 404) return undefined;
    // Only an open page can be expired.
    if (error.statusCode !== 400) throw error;
    return stripe.checkout.sessions.retrieve(id);
  }
}

async function paymentOutcome(
  stripe: Stripe,
  operation: ChargeOperation,
  session: Stripe.Checkout.Session,
  nowMs: number,
): Promise<Outcome> {
  const outcome = await outcomeOfPage(session, {
    expired: () => expiredOutcome(session, nowMs),
    complete: () => paidOutcome(stripe, operation, session),
  });
  return { ...outcome, ...modeOf(session), ...(operation.save !== null && customerOf(session)) };
}

async function setupOutcome(stripe: Stripe, session: Stripe.Checkout.Session): Promise<SetupOutcome> {
  const { id: reference, setup_intent: intent } = session;
  const outcome = await outcomeOfPage<SetupOutcome>(session, {
    expired: () => ({ kind: 'failed', reference, failure: failure('payment_expired', 'expired') }),
    complete: async () => ({ ...(await retrieveSetup(stripe, intentOf(intent))), reference }),
  });
  return { ...outcome, ...modeOf(session), ...customerOf(session) };
}

/** The outcome of a session, from its status. */
async function outcomeOfPage<Result extends Outcome | SetupOutcome>(
  session: Stripe.Checkout.Session,
  ends: { expired: () => Result; complete: () => Promise<Result> },
): Promise<Result | Extract<Outcome, { kind: 'needs_payer' | 'pending' }>> {
  const { id: reference, object, status, url } = session;
  if (object !== 'checkout.session') throw new Error('This is not a page of Stripe.');
  switch (sessionStatuses[status ?? '']) {
    case 'needs_payer':
      return { kind: 'needs_payer', reference, nextAction: { type: 'redirect', url } };
    case 'expired':
      return ends.expired();
    case 'complete':
      return ends.complete();
    // Also statuses that Stripe may add.
    default:
      return { kind: 'pending', reference };
  }
}

/** A page that expired before its time was cancelled by Florin, or by hand. */
function expiredOutcome({ id: reference, expires_at }: Stripe.Checkout.Session, nowMs: number): Outcome {
  const isEarly = nowMs < expires_at * 1_000;
  if (isEarly) return { kind: 'cancelled', reference };
  return { kind: 'failed', reference, failure: failure('payment_expired', 'expired') };
}

/**
 * The payer has finished on the page: the money is there, or a debit or a voucher is on its way. Until that is certain,
 * the payment keeps the id of its page, because a failure afterwards is final: the page takes no second attempt.
 */
async function paidOutcome(
  stripe: Stripe,
  operation: ChargeOperation,
  { id, payment_intent }: Stripe.Checkout.Session,
): Promise<Outcome> {
  const intent = await stripe.paymentIntents.retrieve(intentOf(payment_intent), withFee);
  if (intent.status === 'requires_payment_method') {
    return { kind: 'failed', reference: intent.id, failure: lastFailure(intent) };
  }
  const outcome = operation.save === null ? intentOutcome(intent) : await savingOutcome(stripe, intent);
  const isOpen = outcome.kind === 'pending' || outcome.kind === 'needs_payer';
  return isOpen ? { ...outcome, reference: id } : outcome;
}

function intentOf(intent: Reference): string {
  const id = idIn(intent);
  if (id === undefined) throw new Error('The page of Stripe names no intent.');
  return id;
}
