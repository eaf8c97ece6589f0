/** The associated data of the provider's token of a payment. */
export const paymentTokenAssociatedData = (tenantId: number, id: string) =>
  `transaction/${tenantId}/${id}/paymentMethod`;

/** The token of a payment, as its row has it. */
interface PaymentToken {
  tenant_id: number;
  id: string;
  payment_method: string | null;
  payment_method_sealed: Buffer | null;
}

interface TokenOpener {
  open: (sealed: Buffer, associatedData: string) => string;
  isLost: (sealed: Buffer) => boolean;
}

/**
 * The provider's token that the payment was created with. Null: it has none, or its encryption key is lost; the
 * provider then asks the payer or declines.
 */
export function paymentTokenOf(
  { tenant_id, id, payment_method: inClear, payment_method_sealed: sealed }: PaymentToken,
  { open, isLost }: TokenOpener,
): string | null {
  if (sealed === null) return inClear;
  return isLost(sealed) ? null : open(sealed, paymentTokenAssociatedData(tenant_id, id));
}
