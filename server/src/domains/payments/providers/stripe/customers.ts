import type Stripe from 'stripe';
import { dayMs } from '../../../../core/clock.ts';
import type { CustomerAtProvider } from '../kept-method.ts';
import { requireModeOf } from '../other-mode.ts';
import { isStripeApiError } from './declines.ts';
import { createdBetween, findFirst } from './find.ts';
import { modeOf } from './outcomes.ts';

/** The field of a customer's metadata that names our key. */
const keyField = 'florin_customer';
/** How long before an operation its customer may have been created under the same key. */
const searchedMs = 7 * dayMs;

/**
 * The id of the customer at Stripe, who is created where there is none yet. One that somebody deleted at Stripe is
 * replaced: its methods are gone, but the customer can keep new ones.
 */
export async function customerIdOf(stripe: Stripe, customer: CustomerAtProvider, sinceMs: number): Promise<string> {
  const { reference, key } = customer;
  if (reference === null) return ofMode(customer, await createCustomer(stripe, customer, key, sinceMs));
  const known = await stripe.customers.retrieve(reference);
  if (!known.deleted) return ofMode(customer, known);
  return ofMode(customer, await createCustomer(stripe, customer, `${key}-${reference}`, sinceMs));
}

function ofMode(customer: CustomerAtProvider, known: Stripe.Customer): string {
  requireModeOf(customer, modeOf(known).livemode);
  return known.id;
}

async function createCustomer(
  stripe: Stripe,
  { name, email }: CustomerAtProvider,
  key: string,
  sinceMs: number,
): Promise<Stripe.Customer> {
  try {
    const metadata = { [keyField]: key };
    return await stripe.customers.create(
      { name: [...name].slice(0, maxNameCharacters).join(''), ...(email !== null && { email }), metadata },
      { idempotencyKey: key },
    );
  } catch (error) {
    // The name has changed since a request whose answer was lost, or that request ended with an error of Stripe's,
    // which is repeated to every later one.
    if (!isStripeApiError(error) || !isAnsweredBefore(error)) throw error;
    const found = await findCustomer(stripe, key, sinceMs);
    if (found === undefined) throw error;
    return found;
  }
}

/** https://docs.stripe.com/api/customers/create */
const maxNameCharacters = 256;

function isAnsweredBefore({ rawType, statusCode }: Stripe.errors.StripeError): boolean {
  return rawType === 'idempotency_error' || (statusCode ?? 0) >= 500;
}

function findCustomer(stripe: Stripe, key: string, sinceMs: number): Promise<Stripe.Customer | undefined> {
  const created = createdBetween(sinceMs - searchedMs, sinceMs + searchedMs);
  return findFirst(stripe.customers.list({ created, limit: 100 }), ({ metadata }) => metadata?.[keyField] === key);
}
