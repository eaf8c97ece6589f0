/**
 * PENDING waits for its provider to be asked, PROCESSING for what the provider says. FAILED and CANCELLED are final; SUCCESS
 * becomes FAILED where the provider says later that the money came back. On a payment without a provider a refund is SUCCESS
 * from the beginning: it records what was done.
 */
export const refundStatuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const;
export type RefundStatus = (typeof refundStatuses)[number];
