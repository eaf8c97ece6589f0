/** The place of storage to which a customer's token is sealed. It cannot be opened in another place. */
export const paymentMethodPlace = (tenantId: number, customerId: number) =>
  `customer/${tenantId}/${customerId}/paymentMethod`;
