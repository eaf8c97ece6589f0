import type Stripe from 'stripe';
import { dayMs, minuteMs } from '../../../../core/clock.ts';
import type { Operation } from '../provider.ts';

/** Stripe's clock and ours may differ. */
const clockSkewMs = 10 * minuteMs;
/** The most that Stripe lists at once. */
const pageSize = 100;
/** Beyond these pages nobody looks, so that a look-up does not eat up the account's rate limit (25 requests a second). */
const maxPages = 20;

const keyField = 'florin_key';

/** What everything of ours carries at Stripe, so that it is found again. */
export function metadataOf({ key, transactionId }: Operation): Stripe.MetadataParam {
  return { [keyField]: key, florin_transaction: transactionId };
}

/** The key that something at Stripe carries; undefined where it is not ours. */
export function keyOf(object: WithMetadata): string | undefined {
  const key: unknown = object.metadata?.[keyField];
  return typeof key === 'string' ? key : undefined;
}

interface WithMetadata {
  metadata?: Stripe.Metadata | null;
}

/**
 * The payment intent that carries our key, among those made within a day of a time: so long a look-up may have been the
 * one to make it. Undefined only once all of them have been seen. Stripe's search would be quicker and may be an hour
 * behind (https://docs.stripe.com/search), which is no ground for saying that nothing was charged.
 */
export function findIntent(stripe: Stripe, key: string, sinceMs: number): Promise<Stripe.PaymentIntent | undefined> {
  const created = { gte: seconds(sinceMs - clockSkewMs), lte: seconds(sinceMs + dayMs + clockSkewMs) };
  return findByKey(stripe.paymentIntents.list({ created, limit: pageSize }), key);
}

/** The refund that carries our key, among those of this payment intent. Undefined only once all have been seen. */
export function findRefund(stripe: Stripe, intentId: string, key: string): Promise<Stripe.Refund | undefined> {
  return findByKey(stripe.refunds.list({ payment_intent: intentId, limit: pageSize }), key);
}

async function findByKey<Item extends WithMetadata>(
  items: AsyncIterable<Item>,
  key: string,
): Promise<Item | undefined> {
  let seen = 0;
  for await (const item of items) {
    if (keyOf(item) === key) return item;
    if (++seen === maxPages * pageSize) throw new Error(`Not among the newest ${seen} at Stripe; there are more.`);
  }
  return undefined;
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
