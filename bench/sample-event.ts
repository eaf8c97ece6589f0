/** The body of a payment event, with its usual size. */
export const sampleEventBody = JSON.stringify({
  id: 'evt_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b',
  type: 'transaction.created',
  created: 1767225600,
  data: {
    object: {
      id: 'txn_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b',
      amount: 1999,
      amountRefunded: 0,
      currency: 'USD',
      status: 'PENDING',
      channelId: 1,
      description: 'Order 1042, two items',
      metadata: { order: '1042', source: 'shop' },
      customerId: null,
      invoiceId: null,
      userId: 7,
      failureCode: null,
      failureMessage: null,
      providerReference: null,
      nextAction: null,
      version: 1,
      createdTime: '2026-01-01T00:00:00.000Z',
      updatedTime: '2026-01-01T00:00:00.000Z',
    },
  },
});
