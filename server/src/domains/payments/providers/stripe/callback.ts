import Stripe from 'stripe';
import { Refusal } from '../../../../core/errors.ts';
import type { Callback, Credentials, OperationUpdate, Outcome, ProviderCallback } from '../provider.ts';
import { keyOf } from './find.ts';
import { intentOutcome, refundOutcome } from './outcomes.ts';
import { events } from './vocabulary.ts';

/** Older messages are refused, so that an intercepted one cannot be replayed. The value is Stripe's default. */
const toleranceSeconds = 300;

/** Verifies Stripe's signature (https://docs.stripe.com/webhooks/signature) and parses the event. */
export function readStripeCallback(
  { headers, body, receivedMs }: Callback,
  { webhookSecret }: Credentials,
): ProviderCallback {
  const event = eventOf(headers['stripe-signature'], body, receivedMs, webhookSecret);
  const update = updateOfEvent(event);
  const notice = update && typeof event.livemode === 'boolean' ? { ...update, livemode: event.livemode } : update;
  return { eventId: event.id, ...(notice && { notice }) };
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
 * The change that an event reports, found by our key in the metadata. Undefined for event types that Florin does not
 * need and for payments and refunds without our key, such as a refund made in the Dashboard.
 */
function updateOfEvent({ type, data }: Stripe.Event): OperationUpdate | undefined {
  switch (events[type]) {
    case 'payment':
      return updateOfPayment(data?.object as Stripe.PaymentIntent);
    case 'payment_changed':
      return updateOf(data?.object as Stripe.PaymentIntent, 'payment_intent');
    case 'refund':
      return updateOf(data?.object as Stripe.Refund, 'refund', refundOutcome);
    default:
      return undefined;
  }
}

/** An event does not show what a payment has kept, which is therefore looked up. */
function updateOfPayment(intent: Stripe.PaymentIntent | undefined): OperationUpdate | undefined {
  return updateOf(intent, 'payment_intent', intent?.setup_future_usage ? undefined : intentOutcome);
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
