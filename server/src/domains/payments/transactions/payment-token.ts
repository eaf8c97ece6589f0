import type { TransactionRow } from './statements.ts';

/** The place that the provider's token of a payment is sealed for. */
export const paymentTokenPlace = (tenantId: number, id: string) => `transaction/${tenantId}/${id}/paymentMethod`;

interface TokenOpener {
  open: (sealed: Buffer, place: string) => string;
  isLost: (sealed: Buffer) => boolean;
}

/**
 * The provider's token that the payment was created with. Null: it has none, or its encryption key is lost; the
 * provider then asks the payer or declines.
 */
export function paymentTokenOf(
  row: Pick<TransactionRow, 'tenant_id' | 'id' | 'payment_method' | 'payment_method_sealed'>,
  { open, isLost }: TokenOpener,
): string | null {
  const { tenant_id, id, payment_method: inClear, payment_method_sealed: sealed } = row;
  if (sealed === null) return inClear;
  return isLost(sealed) ? null : open(sealed, paymentTokenPlace(tenant_id, id));
}
