import Stripe from 'stripe';
import { Refusal } from '../../../../core/errors.ts';
import type { Callback, CallbackNews, Credentials, Notice, Outcome } from '../provider.ts';
import { keyOf } from './find.ts';
import { intentOutcome, refundOutcome } from './outcomes.ts';

/** A message older than this is refused, so that one overheard cannot be replayed later: Stripe's own default. */
const toleranceSeconds = 300;

/** Checks Stripe's signature (https://docs.stripe.com/webhooks/signature) and reads the event. */
export function readStripeCallback(
  { headers, body, receivedMs }: Callback,
  { webhookSecret }: Credentials,
): CallbackNews {
  const event = eventOf(headers['stripe-signature'], body, receivedMs, webhookSecret);
  const notice = updateOfEvent(event);
  return { eventId: event.id, ...(notice && { notice }) };
}

function eventOf(signature: unknown, body: Buffer, receivedMs: number, secret: string | null): Stripe.Event {
  if (secret === null || secret === '')
    throw invalidCallback('The channel has no webhookSecret, so that nobody can be believed.');
  if (typeof signature !== 'string') throw invalidCallback('The header Stripe-Signature is missing.');
  try {
    const event = Stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, receivedMs);
    if (typeof event?.id === 'string' && event.id !== '' && typeof event.type === 'string') return event;
  } catch (error) {
    // Of the error only its words: the library hangs the whole body on it.
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

const unreadableEvent = 'This is no event of Stripe in the form of a snapshot, which is what the endpoint has to send.';

function invalidCallback(message: string, cause?: Error): Refusal {
  return new Refusal('callback_invalid', message, cause && { cause });
}

/**
 * What an event tells of something of ours, by the key in its metadata. Absent for all that others do with the same account
 * of Stripe's: events we do not follow, and payments and refunds without our key (a refund made in the Dashboard).
 *
 * `charge.refunded` is of no use: it shows the charge and not which refund; `refund.*` follow it. And a declined try says
 * nothing final: the payer may try again in the merchant's page, or the intent has first to be called off. It is looked up.
 */
function updateOfEvent({ type, data }: Stripe.Event): Notice | undefined {
  switch (type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.processing':
    case 'payment_intent.requires_action':
    case 'payment_intent.canceled':
      return updateOf(data?.object, 'payment_intent', intentOutcome);
    case 'payment_intent.payment_failed':
      return updateOf(data?.object, 'payment_intent');
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return updateOf(data?.object, 'refund', refundOutcome);
    default:
      return undefined;
  }
}

interface StripeObject {
  id: string;
  object: string;
  metadata: Stripe.Metadata | null;
}

function updateOf<Object extends StripeObject>(
  told: Object | undefined,
  object: Object['object'],
  outcomeOf?: (object: Object) => Outcome,
): Notice | undefined {
  if (told?.object !== object || typeof told.id !== 'string') return undefined;
  const key = keyOf(told);
  return key === undefined ? undefined : { key, reference: told.id, ...(outcomeOf && { outcome: outcomeOf(told) }) };
}
