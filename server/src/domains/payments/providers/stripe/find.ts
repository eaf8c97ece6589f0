import type Stripe from 'stripe';
import { dayMs, minuteMs } from '../../../../core/clock.ts';
import type { Operation, SetupOperation } from '../provider.ts';

/** Tolerates a difference between Stripe's clock and ours. */
const clockSkewMs = 10 * minuteMs;
/** Stripe's maximum. */
const pageSize = 100;
/** Limits a look-up, so that it does not use up the account's rate limit (25 requests a second). */
const maxPages = 20;

const keyField = 'florin_key';

/** Metadata by which Florin finds its payments, refunds and setups at Stripe. */
export function metadataOf(operation: Operation | SetupOperation): Stripe.MetadataParam {
  const { key } = operation;
  return operation.kind === 'SETUP'
    ? { [keyField]: key, florin_payment_method: operation.methodId }
    : { [keyField]: key, florin_transaction: operation.transactionId };
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
export function findIntent(stripe: Stripe, key: string, searched: Searched): Promise<Stripe.PaymentIntent | undefined> {
  return findByKey(stripe.paymentIntents.list({ created: createdSince(searched), limit: pageSize }), key);
}

/** Finds the setup intent with our key, as `findIntent` does. */
export function findSetupIntent(
  stripe: Stripe,
  key: string,
  searched: Searched,
): Promise<Stripe.SetupIntent | undefined> {
  return findByKey(stripe.setupIntents.list({ created: createdSince(searched), limit: pageSize }), key);
}

/** Finds the page with our key, as `findIntent` does: an intent exists only after the payer's first attempt. */
export function findSession(
  stripe: Stripe,
  key: string,
  searched: Searched,
): Promise<Stripe.Checkout.Session | undefined> {
  const sessions = stripe.checkout.sessions.list({ created: createdSince(searched), limit: pageSize });
  return findFirst(sessions, ({ client_reference_id }) => client_reference_id === key);
}

/** Finds the refund of a payment intent with our key. Undefined only after all its refunds have been read. */
export function findRefund(stripe: Stripe, intentId: string, key: string): Promise<Stripe.Refund | undefined> {
  return findByKey(stripe.refunds.list({ payment_intent: intentId, limit: pageSize }), key);
}

function findByKey<Item extends WithMetadata>(items: AsyncIterable<Item>, key: string): Promise<Item | undefined> {
  return findFirst(items, (item) => keyOf(item) === key);
}

/** The first item of a list that fits. Undefined only after all of them have been read. */
export async function findFirst<Item>(
  items: AsyncIterable<Item>,
  fits: (item: Item) => boolean,
): Promise<Item | undefined> {
  let read = 0;
  for await (const item of items) {
    if (fits(item)) return item;
    if (++read === maxPages * pageSize) throw new Error(`Not among the newest ${read} at Stripe; there are more.`);
  }
  return undefined;
}

/** When the operation was recorded, and first sent. */
export type Searched = Pick<Operation, 'createdMs' | 'calledMs'>;

function createdSince({ createdMs, calledMs }: Searched): Stripe.RangeQueryParam {
  return createdBetween(createdMs, Math.max(createdMs, calledMs ?? createdMs) + dayMs);
}

export function createdFrom(fromMs: number): Stripe.RangeQueryParam {
  return { gte: seconds(fromMs - clockSkewMs) };
}

export function createdBetween(fromMs: number, untilMs: number): Stripe.RangeQueryParam {
  return { gte: seconds(fromMs - clockSkewMs), lte: seconds(untilMs + clockSkewMs) };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
