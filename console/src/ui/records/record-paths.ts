import type { EventDetail } from '../../api/client.ts';

const pages: Readonly<Record<string, string>> = {
  transaction: '/payments',
  refund: '/refunds',
  dispute: '/disputes',
  invoice: '/invoices',
  subscription: '/subscriptions',
  customer: '/customers',
};

/** The page of the record that an event is about; of a payment method the page of its customer. */
export function pathOfRecord({ type, objectId, payload }: EventDetail): string {
  if (objectId.startsWith('txn_')) return `/payments/${objectId}`;
  if (objectId.startsWith('mtd_')) {
    const { object } = payload.data as { object: { customerId: number } };
    return `/customers/${object.customerId}`;
  }
  const page = pages[type.split('.')[0] ?? ''];
  // `inv_17` is invoice 17. Ids of payments, refunds and disputes keep their prefix.
  const id = /^(ref|dsp)_/.test(objectId) ? objectId : objectId.replace(/^[a-z]+_/, '');
  return page === undefined ? '/events' : `${page}/${id}`;
}
