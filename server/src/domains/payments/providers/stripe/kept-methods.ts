import type Stripe from 'stripe';
import { failure } from '../failures.ts';
import type { KeptMethod, ProviderMethod } from '../kept-method.ts';
import type { MethodState, NamedMode, Outcome, SetupOutcome } from '../outcome.ts';
import type { DetachOperation, SetupOperation } from '../provider.ts';
import { isStripeApiError } from './declines.ts';
import { modeOf } from './outcomes.ts';
import { idIn, type Reference } from './references.ts';
import { mandateStatuses, methodTypes } from './vocabulary.ts';

/**
 * What Stripe tells of a payment method: the method itself, and the details of a charge or an attempt to set one up,
 * have the same shape.
 */
interface Details {
  type: string;
  [type: string]: unknown;
}

interface Facts {
  brand?: string | null;
  last4?: string | null;
  iban_last4?: string | null;
  exp_month?: number | null;
  exp_year?: number | null;
  bank_name?: string | null;
  bank?: string | null;
  country?: string | null;
  fingerprint?: string | null;
  network_transaction_id?: string | null;
  mandate?: Reference;
  /** iDEAL, Bancontact and Sofort keep a SEPA debit of the same account. */
  generated_sepa_debit?: Reference;
  generated_sepa_debit_mandate?: Reference;
}

/** What a successful charge has kept. Undefined if its customer is gone, or Stripe names no method. */
export async function keptByCharge(stripe: Stripe, intent: Stripe.PaymentIntent): Promise<ProviderMethod | undefined> {
  const { latest_charge: charge, customer, payment_method: method } = intent;
  const [customerId, methodId] = [idIn(customer), idIn(method)];
  if (charge === null || typeof charge !== 'object' || customerId === undefined || methodId === undefined) {
    return undefined;
  }
  const details = (charge.payment_method_details ?? null) as Details | null;
  return afterSuccess(keptMethod(stripe, { customer: customerId, method: methodId, details }));
}

/** What a successful setup has kept. Undefined if Stripe names no method. */
export async function keptBySetup(stripe: Stripe, intent: Stripe.SetupIntent): Promise<ProviderMethod | undefined> {
  const { customer, payment_method: method, latest_attempt: attempt, mandate } = intent;
  const [customerId, methodId] = [idIn(customer), idIn(method)];
  if (customerId === undefined || methodId === undefined) return undefined;
  const attempted = typeof attempt === 'object' ? (attempt?.payment_method_details as unknown as Details) : undefined;
  const hasGenerated = attempted !== undefined && idIn(factsOf(attempted).generated_sepa_debit) !== undefined;
  const details = hasGenerated ? attempted : typeof method === 'object' ? (method as unknown as Details) : null;
  return afterSuccess(keptMethod(stripe, { customer: customerId, method: methodId, details, mandate: idIn(mandate) }));
}

/** That Stripe does not show what a success has kept says nothing about the success: the result is unknown. */
function afterSuccess<Result>(read: Promise<Result>): Promise<Result> {
  return read.catch((cause: unknown) => {
    throw new Error('What was kept cannot be read.', { cause });
  });
}

interface Kept {
  customer: string;
  method: string;
  /** Null if Stripe has not shown them. */
  details: Details | null;
  mandate?: string | undefined;
}

async function keptMethod(stripe: Stripe, { customer, method, mandate, details }: Kept): Promise<ProviderMethod> {
  const facts = details === null ? {} : factsOf(details);
  const generated = idIn(facts.generated_sepa_debit);
  const mandateId = idIn(facts.generated_sepa_debit_mandate) ?? idIn(facts.mandate) ?? mandate;
  const agreed = mandateId === undefined ? undefined : await shown(stripe.mandates.retrieve(mandateId));
  const isWhole = details !== null && generated === undefined;
  const reference = generated ?? method;
  const read = isWhole ? details : await shown(stripe.paymentMethods.retrieve(reference));
  const known = read ?? { type: 'sepa_debit', sepa_debit: { last4: facts.iban_last4, bank_name: facts.bank } };
  return methodOf(reference, customer, known as unknown as Details, agreed);
}

function methodOf(
  reference: string,
  customerReference: string,
  details: Details,
  mandate: Stripe.Mandate | undefined,
): ProviderMethod {
  const facts = factsOf(details);
  const agreed = mandateDetailsOf(mandate);
  return {
    customerReference,
    reference,
    type: methodTypes[details.type] ?? 'other',
    providerType: details.type,
    networkTransactionId: facts.network_transaction_id ?? null,
    brand: facts.brand ?? null,
    last4: facts.last4 ?? null,
    expiryMonth: facts.exp_month ?? null,
    expiryYear: facts.exp_year ?? null,
    bankName: facts.bank_name ?? null,
    country: facts.country ?? null,
    fingerprint: facts.fingerprint ?? null,
    mandateReference: agreed.reference || null,
    mandateUrl: agreed.url || null,
  };
}

/** Stripe has the details of a method, a charge or a mandate under a field that is named like its type. */
function factsOf(details: Details): Facts {
  return (details[details.type] ?? {}) as Facts;
}

function mandateDetailsOf(mandate: Stripe.Mandate | undefined): { reference?: string; url?: string } {
  const details = mandate?.payment_method_details as unknown as Details | undefined;
  return details === undefined ? {} : ((details[details.type] ?? {}) as { reference?: string; url?: string });
}

/** Reads a method as it is now. */
export async function readMethod(stripe: Stripe, method: KeptMethod): Promise<MethodState> {
  const { reference, customerReference } = method;
  const read = await found(stripe.paymentMethods.retrieve(reference));
  if (read === undefined) return ended('Stripe has no such payment method.');
  const customer = idIn(read.customer);
  const mode = modeOf(read);
  if (customer === undefined) return ended('It was detached, or its customer was deleted.', mode);
  if (customerReference !== null && customer !== customerReference) {
    return ended('It belongs to another customer.', mode);
  }
  const mandate = await mandateOf(stripe, reference, customer, read.type);
  if (mandate && mandateStatuses[mandate.status] === 'ended') return ended('Its mandate is inactive.', mode);
  const details = read as unknown as Details;
  const { networkTransactionId } = method;
  const current = { ...methodOf(reference, customer, details, mandate), networkTransactionId };
  return { kind: 'usable', method: current, ...mode };
}

/** Takes over a method that Stripe keeps for its customer already. */
export async function adoptMethod(stripe: Stripe, operation: SetupOperation): Promise<SetupOutcome> {
  const { token, customerReference, customer, agreement } = operation;
  const reference = token as string;
  const unread = { type: 'other', providerType: '', networkTransactionId: null } as const;
  const state = await readMethod(stripe, { ...unread, reference, customerReference, agreement });
  if (state.kind === 'ended') {
    const failed = failure('payment_method_missing', null, state.failure.message);
    return { kind: 'failed', failure: failed, ...modeOf(state) };
  }
  if (state.kind !== 'usable') return state;
  // The customer whom Stripe knows from earlier operations stays the one of new methods.
  const isFirst = customer.reference === null && customerReference !== null;
  return { ...state, kind: 'attached', reference, ...(isFirst && { customerReference }) };
}

function ended(message: string, mode: NamedMode = {}): MethodState {
  return { kind: 'ended', failure: failure('mandate_revoked', null, message), ...mode };
}

/**
 * Stripe's methods do not name their mandates, and mandates cannot be listed. The setup or the latest charge with the
 * method names it.
 */
async function mandateOf(
  stripe: Stripe,
  method: string,
  customer: string,
  type: string,
): Promise<Stripe.Mandate | undefined> {
  if (type === 'card') return undefined;
  const setups = await stripe.setupIntents.list({ payment_method: method, limit: 10 });
  const ofSetup = setups.data.map(({ mandate }) => idIn(mandate)).find((id) => id !== undefined);
  const id = ofSetup ?? (await mandateOfCharges(stripe, method, customer));
  return id === undefined ? undefined : shown(stripe.mandates.retrieve(id));
}

async function mandateOfCharges(stripe: Stripe, method: string, customer: string): Promise<string | undefined> {
  const charges = await stripe.charges.list({ customer, limit: 100 });
  for (const { payment_method, payment_method_details } of charges.data) {
    if (!payment_method_details) continue;
    const facts = factsOf(payment_method_details as unknown as Details);
    const mandate =
      payment_method === method
        ? facts.mandate
        : idIn(facts.generated_sepa_debit) === method
          ? facts.generated_sepa_debit_mandate
          : undefined;
    if (mandate) return idIn(mandate);
  }
  return undefined;
}

/** Detaches a method from its customer, which ends it for good. */
export async function detachMethod(stripe: Stripe, { key, method }: DetachOperation): Promise<Outcome> {
  const { reference } = method;
  try {
    await stripe.paymentMethods.detach(reference, {}, { idempotencyKey: key });
  } catch (error) {
    if (!isStripeApiError(error) || ![400, 404].includes(error.statusCode ?? 0)) throw error;
    const state = await readMethod(stripe, method);
    if (state.kind !== 'ended') throw error;
  }
  return { kind: 'succeeded', reference };
}

/** Undefined if there is no such object. */
function found<Result>(request: Promise<Result>, statuses = [404]): Promise<Result | undefined> {
  return request.catch((error: unknown) => {
    if (isStripeApiError(error) && statuses.includes(error.statusCode ?? 0)) return undefined;
    throw error;
  });
}

/** Undefined also if the key may not read it. */
function shown<Result>(request: Promise<Result>): Promise<Result | undefined> {
  return found(request, [403, 404]);
}
