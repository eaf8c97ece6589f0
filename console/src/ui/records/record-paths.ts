const pages: Readonly<Record<string, string>> = {
  transaction: '/payments',
  refund: '/refunds',
  invoice: '/invoices',
  subscription: '/subscriptions',
  customer: '/customers',
};

/** The page of the record that an event is about. */
export function pathOfRecord(eventType: string, objectId: string): string {
  if (objectId.startsWith('txn_')) return `/payments/${objectId}`;
  const page = pages[eventType.split('.')[0] ?? ''];
  // `inv_17` is invoice 17. Ids of payments and refunds always keep their prefix.
  const id = objectId.startsWith('ref_') ? objectId : objectId.replace(/^[a-z]+_/, '');
  return page === undefined ? '/events' : `${page}/${id}`;
}
