import type { Static } from 'typebox';
import { isoTime } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { publicId, uuidTimeMs } from '../../../core/id.ts';
import { requireModeOfKey } from '../../../core/livemode.ts';
import { metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import { requestHash } from '../../../platform/postgres/idempotency-records.ts';
import { eventBody } from '../../webhooks/events/append-events.cte.ts';
import { acceptanceRefusal, mayUse } from '../channels/rules.ts';
import type { ChannelRow } from '../channels/statements.ts';
import { paymentTokenPlace } from './payment-token.ts';
import { recordJson } from './record.ts';
import type { createInput } from './schema.ts';
import type { Draft } from './statements.ts';

export type CreateInput = Static<typeof createInput>;

/** The tenant and the user that a payment belongs to, and the mode of the key that created it. */
export type CreatedBy = Pick<Principal, 'tenantId' | 'userId' | 'livemode'>;

/**
 * The channel, or why it cannot take the payment: it does not exist, this tenant may not use it, or it does not accept
 * the payment. Throws for a key of another mode, which must not see an earlier answer either.
 */
export function usableChannel(
  channel: ChannelRow | undefined,
  { channelId, currency }: Pick<CreateInput, 'channelId' | 'currency'>,
  createdBy: CreatedBy,
): ChannelRow | Refusal {
  if (channel === undefined || !mayUse(channel, createdBy.tenantId)) {
    return new Refusal('record_not_found', `There is no channel ${channelId}.`, { field: 'channelId' });
  }
  requireModeOfKey(createdBy, channel.livemode, 'channelId', `channel ${channelId}`);
  return acceptanceRefusal(channel, currency) ?? channel;
}

/** The payment to insert, with its event. Its creation time is that of its id. */
export function draftOf(
  input: CreateInput,
  channel: ChannelRow,
  { tenantId, userId }: CreatedBy,
  id: string,
  idempotencyKey: string | undefined,
  seal: (plain: string, place: string) => Buffer,
): Draft {
  const createdMs = uuidTimeMs(id);
  const createdTime = isoTime(createdMs);
  const metadata = metadataJson(input.metadata);
  const record = {
    id: publicId('txn', id),
    livemode: channel.livemode,
    amount: input.amount,
    amountRefunded: 0,
    currency: input.currency,
    status: 'PENDING' as const,
    channelId: channel.id,
    description: input.description ?? null,
    metadata: (input.metadata as Record<string, unknown> | undefined) ?? null,
    customerId: input.customerId ?? null,
    invoiceId: input.invoiceId ?? null,
    userId,
    failureCode: null,
    failureMessage: null,
    providerReference: null,
    nextAction: null,
    version: 1,
    createdTime,
    updatedTime: createdTime,
  };
  const objectJson = recordJson(record, metadata ?? 'null');
  return {
    tenantId,
    id,
    livemode: channel.livemode,
    amount: input.amount,
    currency: input.currency,
    channelId: channel.id,
    userId,
    description: input.description ?? null,
    metadataJson: metadata,
    customerId: input.customerId ?? null,
    invoiceId: input.invoiceId ?? null,
    paymentMethodSealed:
      input.paymentMethod == null ? null : seal(input.paymentMethod, paymentTokenPlace(tenantId, id)),
    returnUrl: input.returnUrl ?? null,
    provider: channel.provider,
    background: false,
    createdMs,
    eventBody: eventBody({ id, type: 'transaction.created', createdMs, livemode: channel.livemode }, objectJson),
    idempotencyKey: idempotencyKey ?? null,
    requestHash: idempotencyKey === undefined ? null : requestHash(input),
  };
}
