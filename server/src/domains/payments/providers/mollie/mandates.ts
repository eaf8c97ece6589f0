import { hash } from 'node:crypto';
import type { Mandate, MollieClient, Payment } from '@mollie/api-client';
import { failure } from '../failures.ts';
import type { KeptMethod, ProviderMethod } from '../kept-method.ts';
import type { MethodState } from '../outcome.ts';
import { textOf } from './client.ts';
import { isGone } from './customers.ts';
import { isMollieId, livemodeIn } from './outcomes.ts';
import { mandateMethods, mandateStatuses } from './vocabulary.ts';

/**
 * Reads a mandate by its id. Mollie sends no event when one is revoked: it is then `invalid`, and not found once its
 * customer was deleted. A `pending` mandate can be charged already.
 */
export async function readMandate(
  mollie: MollieClient,
  { customerReference, reference }: Pick<KeptMethod, 'customerReference' | 'reference'>,
): Promise<Extract<MethodState, { kind: 'usable' | 'ended' }>> {
  if (!isMollieId(customerReference, 'cst_') || !isMollieId(reference, 'mdt_')) {
    throw new Error('The method has no customer and mandate of Mollie.');
  }
  try {
    return stateOf(await mollie.customerMandates.get(reference, { customerId: customerReference }), customerReference);
  } catch (cause) {
    if (isGone(cause)) return ended('not_found');
    throw cause;
  }
}

/** A mandate as Mollie answers it. Throws if it is malformed: the library's types are not checked at run time. */
export function stateOf(
  mandate: Mandate,
  customerReference: string,
): Extract<MethodState, { kind: 'usable' | 'ended' }> {
  const { status } = mandate;
  const meaning = Object.hasOwn(mandateStatuses, status) ? mandateStatuses[status] : undefined;
  if (meaning === undefined) throw new Error('The mandate has a status that is not known here.');
  const livemode = livemodeIn(mandate);
  const mode = livemode === undefined ? {} : { livemode };
  return meaning === 'ended'
    ? { ...ended(status), ...mode }
    : { kind: 'usable', method: methodOf(mandate, customerReference), ...mode };
}

function ended(status: string): Extract<MethodState, { kind: 'ended' }> {
  return { kind: 'ended', failure: failure('mandate_revoked', status) };
}

/**
 * What a first payment has kept: the mandate that this payment made, never the newest one of the customer. Undefined if
 * it has made none, or the mandate has ended since.
 */
export async function keptBy(
  mollie: MollieClient,
  payment: Payment,
): Promise<Extract<MethodState, { kind: 'usable' }> | undefined> {
  const { customerId, mandateId } = payment;
  if (!isMollieId(customerId, 'cst_') || !isMollieId(mandateId, 'mdt_')) return undefined;
  const state = await readMandate(mollie, { customerReference: customerId, reference: mandateId });
  return state.kind === 'ended' ? undefined : state;
}

function methodOf(mandate: Mandate, customerReference: string): ProviderMethod {
  const { id, method, mandateReference } = mandate;
  if (!isMollieId(id, 'mdt_')) throw new Error('Mollie answered with a mandate that has no valid id.');
  const type = Object.hasOwn(mandateMethods, method) ? mandateMethods[method] : undefined;
  const details: Partial<Record<string, unknown>> = { ...mandate.details };
  return {
    customerReference,
    reference: id,
    type: type ?? 'other',
    providerType: method,
    networkTransactionId: null,
    bankName: null,
    mandateReference: textOf(mandateReference) ?? null,
    mandateUrl: null,
    ...(type === 'card' ? cardOf(details) : accountOf(details, type === 'sepa_debit')),
  };
}

type Shown = Pick<ProviderMethod, 'brand' | 'last4' | 'expiryMonth' | 'expiryYear' | 'country' | 'fingerprint'>;

function cardOf({ cardLabel, cardNumber, cardExpiryDate, cardFingerprint }: Partial<Record<string, unknown>>): Shown {
  const [, year, month] = /^(\d{4})-(\d\d)-\d\d/.exec(textOf(cardExpiryDate) ?? '') ?? [];
  return {
    brand: textOf(cardLabel) ?? null,
    last4: lastFour(cardNumber),
    expiryMonth: month === undefined ? null : Number(month),
    expiryYear: year === undefined ? null : Number(year),
    country: null,
    fingerprint: textOf(cardFingerprint) ?? null,
  };
}

/** An account has no fingerprint at Mollie, so one is made of its IBAN, or of the address of a PayPal account. */
function accountOf({ consumerAccount }: Partial<Record<string, unknown>>, isIban: boolean): Shown {
  const account = textOf(consumerAccount)?.replace(/\s+/g, '') ?? '';
  return {
    brand: null,
    last4: isIban ? lastFour(account) : null,
    expiryMonth: null,
    expiryYear: null,
    country: isIban ? countryIn(account.slice(0, 2)) : null,
    fingerprint: account === '' ? null : hash('sha256', account),
  };
}

function lastFour(number: unknown): string | null {
  return /\w{4}$/.exec(textOf(number) ?? '')?.[0] ?? null;
}

function countryIn(code: unknown): string | null {
  return /^[A-Z]{2}$/.exec(textOf(code) ?? '')?.[0] ?? null;
}
