import { hash } from 'node:crypto';
import type { Customer, MollieClient } from '@mollie/api-client';
import { minuteMs } from '../../../../core/clock.ts';
import type { CustomerAtProvider } from '../kept-method.ts';
import { requireModeOf } from '../other-mode.ts';
import { MollieApiError } from './client.ts';
import { findCustomer } from './find.ts';
import { isMollieId, livemodeIn } from './outcomes.ts';

/** Mollie forgets an idempotency key after about an hour; well before that it is no longer relied on. */
const keyIsSafeMs = 30 * minuteMs;

/** An operation for a customer: a payment that keeps a method, or a setup. */
export interface OfCustomer {
  createdMs: number;
  calledMs: number | null;
}

/**
 * The id of the customer at Mollie, which is made if there is none yet, or if it was deleted there: Mollie would refuse
 * the payment, and store that refusal under the payment's key. Making it twice would do no harm but leave two
 * customers, so an operation that is sent again after Mollie may have forgotten the key searches for it first.
 */
export async function customerFor(
  mollie: MollieClient,
  customer: CustomerAtProvider,
  { createdMs, calledMs }: OfCustomer,
  nowMs: number,
): Promise<string> {
  const { key, reference } = customer;
  const known = reference === null ? undefined : await read(mollie, reference);
  if (known !== undefined) return idOf(known, customer);
  const isOld = calledMs !== null && nowMs - calledMs > keyIsSafeMs;
  const found = isOld ? await findCustomer(mollie, key, createdMs) : undefined;
  if (found !== undefined) return idOf(found, customer);
  return idOf(await create(mollie, customer, reference === null ? key : digested(key, reference), nowMs), customer);
}

/** Undefined for a deleted customer, who is gone for good. A refusal of another kind is the caller's to judge. */
async function read(mollie: MollieClient, reference: string): Promise<Customer | undefined> {
  try {
    return await mollie.customers.get(reference);
  } catch (cause) {
    if (isGone(cause)) return undefined;
    throw cause;
  }
}

/** Mollie's document names 404; the API answers 410 for what was deleted. */
export function isGone(cause: unknown): boolean {
  return cause instanceof MollieApiError && (cause.status === 404 || cause.status === 410);
}

/** A key for another customer than that of the key. */
function digested(key: string, ...facts: (string | null)[]): string {
  return `${key}-${hash('sha256', facts.join(' ')).slice(0, 8)}`;
}

async function create(
  mollie: MollieClient,
  customer: CustomerAtProvider,
  idempotencyKey: string,
  nowMs: number,
): Promise<Customer> {
  const { key, name, email } = customer;
  const facts = { name, ...(email !== null && { email }), metadata: { florin_key: key } };
  try {
    return await mollie.customers.create({ ...facts, idempotencyKey });
  } catch (cause) {
    // The key was used with another name or address: within the last hour, or Mollie would have forgotten it.
    if (!(cause instanceof MollieApiError) || cause.status !== 400) throw cause;
    const found = await findCustomer(mollie, key, nowMs);
    if (found !== undefined) return found;
    return mollie.customers.create({ ...facts, idempotencyKey: digested(idempotencyKey, name, email) });
  }
}

function idOf(answered: Customer, asked: CustomerAtProvider): string {
  const { id } = answered;
  if (!isMollieId(id, 'cst_')) throw new Error('Mollie answered with a customer that has no valid id.');
  requireModeOf(asked, livemodeIn(answered));
  return id;
}
