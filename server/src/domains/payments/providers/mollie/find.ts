import type { MollieClient, Page, Payment, Refund } from '@mollie/api-client';
import { minuteMs } from '../../../../core/clock.ts';
import { keyIn } from './outcomes.ts';

/** Tolerates a difference between Mollie's clock and ours. */
const clockSkewMs = 10 * minuteMs;
/** Mollie's maximum. */
const pageSize = 250;

/**
 * Finds the payment with our key among those made since a point in time. Mollie lists payments newest first and has no
 * filter by time, so this reads the pages from now back to that time: usually one, because Florin looks an operation up
 * seconds after its answer was lost. Undefined only after all payments since then have been read.
 */
export async function findPayment(mollie: MollieClient, key: string, sinceMs: number): Promise<Payment | undefined> {
  for await (const page of pagesOf<Payment>((paging) => mollie.payments.page(paging))) {
    const found = page.find(({ metadata }) => keyIn(metadata) === key);
    if (found !== undefined) return found;
    if (page.some(({ createdAt }) => Date.parse(createdAt) < sinceMs - clockSkewMs)) return undefined;
  }
  return undefined;
}

/** Finds the refund of a payment with our key. Undefined only after all refunds of the payment have been read. */
export async function findRefund(mollie: MollieClient, paymentId: string, key: string): Promise<Refund | undefined> {
  for await (const page of pagesOf<Refund>((paging) => mollie.paymentRefunds.page({ paymentId, ...paging }))) {
    const found = page.find(({ metadata }) => keyIn(metadata) === key);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function* pagesOf<Row>(read: (paging: { limit: number; from?: string }) => Promise<Page<Row>>) {
  let page = await read({ limit: pageSize });
  yield page;
  for (; page.nextPageCursor !== undefined; yield page) {
    page = await read({ limit: pageSize, from: page.nextPageCursor });
  }
}
