import type { Queryable } from '../../../platform/postgres/database.ts';
import { chargeRefusal } from '../channels/amounts.ts';
import { authorizationRefusal } from '../channels/capture.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { mayUse } from '../channels/rules.ts';
import type { ChargeMethods } from '../methods/charges.ts';
import { mayFallBack } from '../providers/failures.ts';
import { isFinal } from '../transactions/states.ts';
import type { FinalOutcome, NextChannel } from './effect.ts';
import { findOfPayment, type OperationRow } from './statements.ts';

interface FallbackDeps {
  channels: Pick<ChannelDirectory, 'find'>;
  database: Queryable;
  chargeMethods: Pick<ChargeMethods, 'onlyMethodAt'>;
}

/**
 * The next channel for a charge with this outcome: the first fallback channel of the payment's channel that was not
 * tried and accepts the payment. Null unless the charge failed for a reason that may not apply to another provider. A
 * payment with a payment method takes a channel only if the same customer has exactly one ACTIVE method there.
 */
export async function nextChannelFor(
  row: OperationRow,
  outcome: FinalOutcome,
  { channels, database, chargeMethods }: FallbackDeps,
): Promise<NextChannel | null> {
  if (row.kind !== 'CHARGE' || outcome.kind !== 'failed' || !mayFallBack(outcome.failure)) return null;
  const primary = await channels.find(row.channel_id);
  if (primary === undefined || primary.fallback_channel_ids.length === 0 || isFinal(row.status)) return null;
  const operations = await database.run(findOfPayment, [row.tenant_id, row.id]);
  const tried = new Set(operations.map(({ operation_channel_id }) => operation_channel_id));
  for (const id of primary.fallback_channel_ids) {
    const channel = await channels.find(id);
    if (channel === undefined || tried.has(id) || channel.provider === null || !channel.state) continue;
    // Saving a channel refuses a fallback of the other mode; rows saved before that rule may have one.
    if (channel.is_disabled || channel.has_key_of_other_mode || channel.livemode !== row.livemode) continue;
    if (!mayUse(channel, row.tenant_id) || !channel.currencies.includes(row.currency)) continue;
    if (chargeRefusal(channel.provider, row) !== undefined) continue;
    const method = row.method_id === null ? null : await chargeMethods.onlyMethodAt(row, id);
    if (method === undefined) continue;
    // Never captured at once instead.
    if (row.capture_method === 'MANUAL' && authorizationRefusal(channel, { type: method?.type }) !== undefined)
      continue;
    return { id, provider: channel.provider, methodId: method?.id ?? null };
  }
  return null;
}
