import type { Static } from 'typebox';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { requireModeOfKey } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { chargeRefusal } from '../channels/amounts.ts';
import { acceptanceRefusal, mayUse } from '../channels/rules.ts';
import type { ChannelRow } from '../channels/statements.ts';
import type { PaymentRow } from './record.ts';
import type { CreateInput, updateInput } from './schema.ts';
import { nextByUpdate, type TransactionStatus } from './states.ts';

type UpdateInput = Static<typeof updateInput>;

/** The tenant and the user that a payment belongs to, and the mode of the key that created it. */
export type CreatedBy = Pick<Principal, 'tenantId' | 'userId' | 'livemode'>;

/**
 * The channel, or why it cannot take the payment: it does not exist, this tenant may not use it, or it does not accept
 * the payment. Throws for a key of another mode, which must not see an earlier answer either.
 */
export function usableChannel(
  channel: ChannelRow | undefined,
  { channelId, amount, currency }: Pick<CreateInput, 'channelId' | 'amount' | 'currency'>,
  createdBy: CreatedBy,
): ChannelRow | Refusal {
  if (channel === undefined || !mayUse(channel, createdBy.tenantId)) {
    return notFound('channel', channelId, 'channelId');
  }
  requireModeOfKey(createdBy, channel.livemode, 'channelId', { noun: 'channel', id: channelId });
  return acceptanceRefusal(channel, currency) ?? chargeRefusal(channel.provider, { amount, currency }) ?? channel;
}

/** Requires at least one change; allows a failure code or message only with status FAILED. */
export function requireChange(input: UpdateInput): void {
  const { status, description, metadata, metadataReplace, failureCode, failureMessage } = input;
  if (
    [status, description, metadata, metadataReplace, failureCode, failureMessage].every((field) => field === undefined)
  ) {
    throw new Refusal('invalid_request', rule('change_of_payment'));
  }
  if (status === 'FAILED') return;
  const field = failureCode !== undefined ? 'failureCode' : failureMessage !== undefined ? 'failureMessage' : undefined;
  if (field !== undefined) throw invalid(field, rule('only_with_failed', { status: 'FAILED' }));
}

/** Refuses a status that an update cannot set on this payment (`illegal_transition`). */
export function requireUpdatable(from: TransactionStatus, to: TransactionStatus, hasProvider: boolean): void {
  const allowed: readonly TransactionStatus[] = nextByUpdate[hasProvider ? 'withProvider' : 'withoutProvider'][from];
  if (allowed.includes(to)) return;
  const name = hasProvider ? 'providers_payment' : 'payment';
  const broken =
    allowed.length > 0 ? rule(`${name}_cannot_become`, { from, to, allowed }) : rule(`${name}_is_final`, { from, to });
  throw new Refusal('illegal_transition', broken, { field: 'status', details: { allowed } });
}

/** A capture or a release of the payment has not ended. */
export function captureUnderWay({ status }: Pick<PaymentRow, 'status'>, field = 'id'): Refusal {
  return new Refusal(
    'capture_under_way',
    'Another capture or release of this transaction is under way: try again when it has ended.',
    { field, details: { status } },
  );
}
