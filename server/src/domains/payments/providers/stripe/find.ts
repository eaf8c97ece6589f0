import type Stripe from 'stripe';
import { dayMs, minuteMs } from '../../../../core/clock.ts';
import type { Operation } from '../provider.ts';

/** Tolerates a difference between Stripe's clock and ours. */
const clockSkewMs = 10 * minuteMs;
/** Stripe's maximum. */
const pageSize = 100;
/** Limits a look-up, so that it does not use up the account's rate limit (25 requests a second). */
const maxPages = 20;

const keyField = 'florin_key';

/** Metadata by which Florin finds its payments and refunds at Stripe. */
export function metadataOf({ key, transactionId }: Operation): Stripe.MetadataParam {
  return { [keyField]: key, florin_transaction: transactionId };
}

/** Our key in the metadata of a payment or refund; undefined if Florin did not make it. */
export function keyOf(object: WithMetadata): string | undefined {
  const key: unknown = object.metadata?.[keyField];
  return typeof key === 'string' ? key : undefined;
}

interface WithMetadata {
  metadata?: Stripe.Metadata | null;
}

/**
 * Finds the payment intent with our key among those created since the operation was recorded and until a day after it
 * was sent: a look-up may repeat the request, and so create the intent, for almost that long. Undefined only after all
 * of them have been read. Stripe's search would be faster but can lag by an hour (https://docs.stripe.com/search), so
 * it cannot prove that nothing was charged.
 */
export function findIntent(
  stripe: Stripe,
  key: string,
  { createdMs, calledMs }: Pick<Operation, 'createdMs' | 'calledMs'>,
): Promise<Stripe.PaymentIntent | undefined> {
  const untilMs = Math.max(createdMs, calledMs ?? createdMs) + dayMs;
  const created = { gte: seconds(createdMs - clockSkewMs), lte: seconds(untilMs + clockSkewMs) };
  return findByKey(stripe.paymentIntents.list({ created, limit: pageSize }), key);
}

/** Finds the refund of a payment intent with our key. Undefined only after all its refunds have been read. */
export function findRefund(stripe: Stripe, intentId: string, key: string): Promise<Stripe.Refund | undefined> {
  return findByKey(stripe.refunds.list({ payment_intent: intentId, limit: pageSize }), key);
}

async function findByKey<Item extends WithMetadata>(
  items: AsyncIterable<Item>,
  key: string,
): Promise<Item | undefined> {
  let read = 0;
  for await (const item of items) {
    if (keyOf(item) === key) return item;
    if (++read === maxPages * pageSize) throw new Error(`Not among the newest ${read} at Stripe; there are more.`);
  }
  return undefined;
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
