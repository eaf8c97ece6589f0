/** The associated data of a customer's token: where it is stored. It does not open elsewhere. */
export const paymentMethodAssociatedData = (tenantId: number, customerId: number) =>
  `customer/${tenantId}/${customerId}/paymentMethod`;
