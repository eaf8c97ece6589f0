import { Type } from 'typebox';

/**
 * PENDING: not sent to the provider yet. PROCESSING: sent, without a result. FAILED and CANCELLED are final. SUCCESS
 * becomes FAILED if the provider reports later that the money came back. On a payment without a provider a refund is
 * created as SUCCESS, because it records a refund that was made elsewhere.
 */
export const refundStatuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** FLORIN: requested here. PROVIDER: made elsewhere, and told by the provider. */
export const refundOrigins = ['FLORIN', 'PROVIDER'] as const;

export const refundStatus = Type.Enum([...refundStatuses], { $id: 'RefundStatus' });
