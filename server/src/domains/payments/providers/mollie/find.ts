import type { Customer, Mandate, MollieClient, Page, Payment, Refund } from '@mollie/api-client';
import { hourMs, minuteMs } from '../../../../core/clock.ts';
import { keyIn } from './outcomes.ts';

/** Tolerates a difference between Mollie's clock and ours. */
const clockSkewMs = 10 * minuteMs;
/** Mollie's maximum. */
export const pageSize = 250;

/**
 * Finds the payment with our key among those made since a point in time. Mollie lists payments newest first and has no
 * filter by time, so this reads the pages from now back to that time: usually one, because Florin looks an operation up
 * seconds after its answer was lost. Undefined only after all payments since then have been read.
 */
export function findPayment(mollie: MollieClient, key: string, sinceMs: number): Promise<Payment | undefined> {
  return findMadeSince(sinceMs, key, (paging) => mollie.payments.page(paging));
}

/**
 * Finds the customer with our key, as `findPayment` does, for an operation that was recorded at a point in time. An
 * earlier operation with the same key may have made it, up to the hour for which Mollie remembers the key.
 */
export function findCustomer(mollie: MollieClient, key: string, recordedMs: number): Promise<Customer | undefined> {
  return findMadeSince(recordedMs - hourMs, key, (paging) => mollie.customers.page(paging));
}

async function findMadeSince<Row extends { createdAt: string; metadata: unknown }>(
  sinceMs: number,
  key: string,
  read: (paging: Paging) => Promise<Page<Row>>,
): Promise<Row | undefined> {
  for await (const page of pagesOf<Row>(read)) {
    const found = page.find(({ metadata }) => keyIn(metadata) === key);
    if (found !== undefined) return found;
    if (page.some(({ createdAt }) => Date.parse(createdAt) < sinceMs - clockSkewMs)) return undefined;
  }
  return undefined;
}

/** Finds the mandate of a customer by its reference, which is ours if the mandate was made without a payment. */
export async function findMandate(
  mollie: MollieClient,
  customerId: string,
  reference: string,
): Promise<Mandate | undefined> {
  for await (const page of pagesOf<Mandate>((paging) => mollie.customerMandates.page({ customerId, ...paging }))) {
    const found = page.find(({ mandateReference }) => mandateReference === reference);
    if (found !== undefined) return found;
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

interface Paging {
  limit: number;
  from?: string;
}

async function* pagesOf<Row>(read: (paging: Paging) => Promise<Page<Row>>) {
  let page = await read({ limit: pageSize });
  yield page;
  for (; page.nextPageCursor !== undefined; yield page) {
    page = await read({ limit: pageSize, from: page.nextPageCursor });
  }
}
