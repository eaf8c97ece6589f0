import Stripe from 'stripe';
import { Refusal } from '../../../../core/errors.ts';
import type { Outcome } from '../outcome.ts';
import type { Callback, Credentials, MethodUpdate, OperationUpdate, ProviderCallback } from '../provider.ts';
import { keyOf } from './find.ts';
import { moneyNoticesOf } from './money-notices.ts';
import { intentOutcome, isOfPage, modeOf, refundOutcome } from './outcomes.ts';
import { events } from './vocabulary.ts';

/** Older messages are refused, so that an intercepted one cannot be replayed. The value is Stripe's default. */
const toleranceSeconds = 300;

/** Verifies Stripe's signature (https://docs.stripe.com/webhooks/signature) and parses the event. */
export function readStripeCallback(
  { headers, body, receivedMs }: Callback,
  { webhookSecret }: Credentials,
): ProviderCallback {
  const event = eventOf(headers['stripe-signature'], body, receivedMs, webhookSecret);
  const mode = modeOf(event);
  const update = updateOfEvent(event);
  const methodUpdate = methodUpdateOfEvent(event);
  return {
    eventId: event.id,
    ...(update && { notice: { ...update, ...mode } }),
    ...(methodUpdate && { methodNotice: { ...methodUpdate, ...mode } }),
    ...moneyNoticesOf(event),
  };
}

function eventOf(signature: unknown, body: Buffer, receivedMs: number, secret: string | null): Stripe.Event {
  if (secret === null || secret === '')
    throw invalidCallback('The channel has no webhookSecret, so callbacks of Stripe cannot be verified.');
  if (typeof signature !== 'string') throw invalidCallback('The header Stripe-Signature is missing.');
  try {
    const event = Stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, receivedMs);
    if (typeof event?.id === 'string' && event.id !== '' && typeof event.type === 'string') return event;
  } catch (error) {
    // Only the message: the library attaches the whole body to the error.
    const cause = new Error(error instanceof Error ? error.message : 'Not an error.');
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) {
      throw invalidCallback(
        "The signature is not that of the channel's webhookSecret, or the message is too old.",
        cause,
      );
    }
    throw invalidCallback(unreadableEvent, cause);
  }
  throw invalidCallback(unreadableEvent);
}

const unreadableEvent =
  'This is not an event of Stripe in the snapshot format. Set the endpoint at Stripe to send snapshots.';

function invalidCallback(message: string, cause?: Error): Refusal {
  return new Refusal('callback_invalid', message, cause && { cause });
}

/**
 * The change of a payment or refund that an event reports, found by our key in the metadata. Undefined for event types
 * that Florin does not need and for payments and refunds without our key.
 */
function updateOfEvent({ type, data }: Stripe.Event): OperationUpdate | undefined {
  switch (events[type]) {
    case 'payment':
      return updateOfPayment(data?.object as Stripe.PaymentIntent);
    case 'payment_changed':
      return withoutOutcome(updateOfPayment(data?.object as Stripe.PaymentIntent));
    case 'refund':
      return updateOf(data?.object as Stripe.Refund, 'refund', refundOutcome);
    case 'page':
      return isOfMode(data?.object, 'payment')
        ? updateOf(data.object as Stripe.Checkout.Session, 'checkout.session')
        : undefined;
    default:
      return undefined;
  }
}

/** The change of a payment method, or of the setup of one, that an event reports. */
function methodUpdateOfEvent({ type, data }: Stripe.Event): MethodUpdate | undefined {
  switch (events[type]) {
    case 'setup':
      return setupUpdateOf(data?.object as Stripe.SetupIntent, 'setup_intent');
    case 'page':
      return isOfMode(data?.object, 'setup')
        ? setupUpdateOf(data.object as Stripe.Checkout.Session, 'checkout.session')
        : undefined;
    case 'method':
      return methodUpdateOf(data?.object as Stripe.PaymentMethod, 'payment_method', 'METHOD');
    case 'mandate':
      return methodOfMandate(data?.object as Stripe.Mandate);
    case 'customer':
      return methodUpdateOf(data?.object as Stripe.Customer, 'customer', 'CUSTOMER');
    default:
      return undefined;
  }
}

/** Pages are of payments or of setups. */
function isOfMode(object: unknown, mode: string): boolean {
  return (object as Partial<Stripe.Checkout.Session> | null | undefined)?.mode === mode;
}

function setupUpdateOf<Object extends StripeObject>(
  reported: Object | undefined,
  type: Object['object'],
): MethodUpdate | undefined {
  const { key, reference } = updateOf(reported, type) ?? {};
  return key === undefined || reference === undefined ? undefined : { key, reference, of: 'SETUP' };
}

function methodUpdateOf(
  reported: { id: string; object: string } | undefined,
  type: string,
  of: MethodUpdate['of'],
): MethodUpdate | undefined {
  if (reported?.object !== type || typeof reported.id !== 'string') return undefined;
  return { reference: reported.id, of };
}

function methodOfMandate(mandate: Stripe.Mandate | undefined): MethodUpdate | undefined {
  const method = mandate?.object === 'mandate' ? mandate.payment_method : undefined;
  const reference = typeof method === 'object' ? method?.id : method;
  return typeof reference === 'string' ? { reference, of: 'METHOD' } : undefined;
}

/**
 * An event does not show what a payment has kept, and a page goes on after a decline. Such a payment is looked up, that
 * of a page by the id of the page.
 */
function updateOfPayment(intent: Stripe.PaymentIntent | undefined): OperationUpdate | undefined {
  const update = updateOf(intent, 'payment_intent', intent?.setup_future_usage ? undefined : intentOutcome);
  return update !== undefined && isOfPage(intent ?? {}) ? { key: update.key as string } : update;
}

function withoutOutcome(update: OperationUpdate | undefined): OperationUpdate | undefined {
  const { outcome: _, ...rest } = update ?? {};
  return update && rest;
}

interface StripeObject {
  id: string;
  object: string;
  metadata: Stripe.Metadata | null;
}

function updateOf<Object extends StripeObject>(
  reported: Object | undefined,
  type: Object['object'],
  outcomeOf?: (object: Object) => Outcome,
): OperationUpdate | undefined {
  if (reported?.object !== type || typeof reported.id !== 'string') return undefined;
  const key = keyOf(reported);
  return key === undefined
    ? undefined
    : { key, reference: reported.id, ...(outcomeOf && { outcome: outcomeOf(reported) }) };
}
