/** The place of storage that a customer's token is sealed for: it cannot be opened from another place. */
export const paymentMethodPlace = (tenantId: number, customerId: number) =>
  `customer/${tenantId}/${customerId}/paymentMethod`;
