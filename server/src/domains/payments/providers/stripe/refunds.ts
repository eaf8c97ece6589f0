import type Stripe from 'stripe';
import { failure } from '../failures.ts';
import type { Outcome } from '../outcome.ts';
import type { RefundOperation } from '../provider.ts';
import { findRefund, metadataOf } from './find.ts';
import { refundOutcome } from './outcomes.ts';
import { stripeAmount, unsupportedAmount } from './units.ts';

/** Creates the refund. Always the same request for the same key. */
export async function sendRefund(stripe: Stripe, operation: RefundOperation): Promise<Outcome> {
  const { key, chargeReference } = operation;
  const amount = stripeAmount(operation.amount, operation.currency);
  if (amount === undefined) return unsupportedAmount(operation);
  if (chargeReference === '') return { kind: 'failed', failure: failure('refund_refused') };
  const refund = await stripe.refunds.create(
    { payment_intent: chargeReference, amount, metadata: metadataOf(operation) },
    { idempotencyKey: key },
  );
  return refundOutcome(refund);
}

/** The outcome of the refund with this id. */
export async function retrieveRefund(stripe: Stripe, id: string): Promise<Outcome> {
  return refundOutcome(await stripe.refunds.retrieve(id));
}

/** The outcome of the refund with this key; undefined if Stripe has none. */
export async function searchRefund(stripe: Stripe, operation: RefundOperation): Promise<Outcome | undefined> {
  const found = await findRefund(stripe, operation.chargeReference, operation.key);
  return found && refundOutcome(found);
}
