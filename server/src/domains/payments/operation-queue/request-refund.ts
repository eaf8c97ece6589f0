import { Refusal } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { openNext } from './open-next.ts';
import { type ChargeRow, findCharge } from './statements.ts';

/**
 * Opens a refund at the provider and on the channel that took the money. Runs in the transaction that holds the
 * payment's lock; the dispatcher calls the provider. Refuses with `not_refundable` when the payment has as many
 * operations as it can, and when the channel is at another provider by now (`isAtItsProvider`).
 */
export async function requestRefund(
  transaction: Queryable,
  { tenant_id, id: transactionId, status }: { tenant_id: number; id: string; status: string },
  { id, amount }: { id: string; amount: number },
  nowMs: number,
): Promise<void> {
  const charge = await chargeOf(transaction, { tenant_id, id: transactionId });
  const { channel_id, provider } = charge;
  if (!isAtItsProvider(charge)) throw providerChanged(charge, status);
  await openNext(transaction, [tenant_id, transactionId, 'REFUND', id, channel_id, provider, amount, nowMs], {
    type: 'not_refundable',
    wanted: 'refund',
    field: 'transactionId',
    details: { status },
  });
}

/** The charge that took the money of a payment. */
export async function chargeOf(
  transaction: Queryable,
  { tenant_id, id }: { tenant_id: number; id: string },
): Promise<ChargeRow> {
  const [charge] = await transaction.run(findCharge, [tenant_id, id]);
  if (charge === undefined) throw new Error(`Payment ${id} succeeded without a charge.`);
  return charge;
}

/**
 * Whether the channel of a charge is still at the provider that charged it. The credentials of another provider cannot
 * refund it, and that provider does not know its reference.
 */
export function isAtItsProvider({ provider, channel_provider }: ChargeRow): boolean {
  return provider === channel_provider;
}

function providerChanged({ channel_id, provider, channel_provider }: ChargeRow, status: string): Refusal {
  const values = { provider, channelId: channel_id };
  const broken =
    channel_provider === null
      ? rule('refund_without_provider', values)
      : rule('refund_at_other_provider', { ...values, channelProvider: channel_provider });
  const details = { status, channelProvider: channel_provider };
  return new Refusal('not_refundable', broken, { field: 'transactionId', details });
}
