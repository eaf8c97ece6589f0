import type { MollieClient, Payment, Refund } from '@mollie/api-client';
import { keyIn } from './outcomes.ts';

/** Mollie's clock and ours may differ; and a payment is made a little after its operation was written. */
const clockSkewMs = 600_000;
/** The most that Mollie lists at once. */
const pageSize = 250;

/**
 * The payment that carries our key, among those made since a time. Mollie lists payments from the newest on and cannot
 * start at a time, so that the pages between now and then are walked: one, mostly, since an operation is looked up
 * seconds after it went missing. Undefined only once everything since then has been seen.
 */
export async function findPayment(mollie: MollieClient, key: string, sinceMs: number): Promise<Payment | undefined> {
  for (let from: string | undefined; ; ) {
    const page = await mollie.payments.page(from === undefined ? { limit: pageSize } : { limit: pageSize, from });
    const found = page.find(({ metadata }) => keyIn(metadata) === key);
    if (found !== undefined || page.some(({ createdAt }) => Date.parse(createdAt) < sinceMs - clockSkewMs))
      return found;
    from = page.nextPageCursor;
    if (from === undefined) return undefined;
  }
}

/** The refund of this payment that carries our key. Undefined only once all its refunds have been seen. */
export async function findRefund(mollie: MollieClient, paymentId: string, key: string): Promise<Refund | undefined> {
  for (let from: string | undefined; ; ) {
    const page = await mollie.paymentRefunds.page({
      paymentId,
      limit: pageSize,
      ...(from === undefined ? {} : { from }),
    });
    const found = page.find(({ metadata }) => keyIn(metadata) === key);
    if (found !== undefined) return found;
    from = page.nextPageCursor;
    if (from === undefined) return undefined;
  }
}
