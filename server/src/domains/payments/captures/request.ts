import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { PaymentsApp } from '../app.ts';
import type { ChannelRow } from '../channels/statements.ts';
import { requestCapture } from '../operation-queue/request-capture.ts';
import { chargeOf, isAtItsProvider } from '../operation-queue/request-refund.ts';
import { findUnderWay } from '../operation-queue/statements.ts';
import type { PaymentRow } from '../transactions/record.ts';
import { afterTransition, type Transition } from '../transactions/transition.cte.ts';
import { notCapturable, requireNothingUnderWay } from './rules.ts';

/** What is asked of the provider. */
interface Requested {
  amount: number;
  captureId: string | null;
  isFinal: boolean | null;
  nowMs: number;
}

/**
 * Reserves an amount of a locked and authorized payment, and opens the capture or the release at the provider and on
 * the channel that authorized it. Returns the payment as it is then. `decide` refuses, or says what to ask for; it gets
 * the channel.
 */
export async function requestFromProvider(
  transaction: Queryable,
  payment: PaymentRow,
  kind: 'CAPTURE' | 'RELEASE',
  { channels, payments }: Pick<PaymentsApp, 'channels' | 'payments'>,
  decide: (channel: ChannelRow) => Promise<Requested>,
): Promise<PaymentRow> {
  requireNothingUnderWay(payment, await transaction.run(findUnderWay, [payment.tenant_id, payment.id]));
  const charge = await chargeOf(transaction, payment);
  const channel = await channels.findInTransaction(transaction, charge.channel_id);
  if (channel === undefined || !isAtItsProvider(charge)) {
    throw notCapturable(payment, rule('authorized_elsewhere', { provider: charge.provider }));
  }
  const { amount, captureId, isFinal, nowMs } = await decide(channel);
  await requestCapture(transaction, payment, { kind, amount, captureId, isFinal, charge }, nowMs);
  const transition: Transition = {
    row: payment,
    to: payment.status,
    atMs: nowMs,
    authorization: { capturableChange: -amount },
  };
  const changed = await payments.transition(transaction, [transition]);
  if (!changed.has(payment.id)) throw new Error(`Payment ${payment.id} changed while it was locked.`);
  return afterTransition(transition);
}
