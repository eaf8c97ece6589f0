import {
  type Mandate,
  MandateMethod,
  type MollieClient,
  type Payment,
  PaymentMethod,
  SequenceType,
} from '@mollie/api-client';
import { utcDay } from '../../../../core/clock.ts';
import { failure } from '../failures.ts';
import type { CustomerAtProvider, MethodType } from '../kept-method.ts';
import { otherModeOf } from '../other-mode.ts';
import type { Absent, SetupOutcome } from '../outcome.ts';
import type { SetupOperation, SetupSource } from '../provider.ts';
import { mollieAmount } from './amounts.ts';
import { isGone } from './customers.ts';
import { findCustomer, findMandate, findPayment } from './find.ts';
import { keptBy, stateOf } from './mandates.ts';
import { paymentOutcome } from './outcomes.ts';

/** What Mollie is asked to make for a setup. */
export type Setup =
  | { makes: 'MANDATE'; facts: MandateFacts }
  | { makes: 'FIRST_PAYMENT'; methods: PaymentMethod[]; cardToken?: string };

interface MandateFacts {
  method: MandateMethod;
  consumerName: string;
  consumerAccount?: string;
  consumerEmail?: string;
  paypalBillingAgreementId?: string;
  payPalVaultId?: string;
}

/**
 * Without moving money Mollie keeps methods in two ways: it makes a mandate at once, for an IBAN or a PayPal agreement;
 * or the payer makes a first payment of 0.00 on its page, with a card or PayPal. Undefined if neither fits: then only a
 * payment keeps the method.
 */
export function setupOf(
  { bankAccount, token, type }: SetupSource,
  customer: Pick<CustomerAtProvider, 'name' | 'email'>,
): Setup | undefined {
  const { name: consumerName, email } = customer;
  if (bankAccount !== null) {
    const { holder } = bankAccount;
    const iban = bankAccount.iban.replace(/\s+/g, '').toUpperCase();
    return {
      makes: 'MANDATE',
      facts: { method: MandateMethod.directdebit, consumerName: holder, consumerAccount: iban },
    };
  }
  if (token !== null && type === 'paypal') {
    const agreement = token.startsWith('B-') ? { paypalBillingAgreementId: token } : { payPalVaultId: token };
    const facts = { method: MandateMethod.paypal, consumerName, ...(email !== null && { consumerEmail: email }) };
    return { makes: 'MANDATE', facts: { ...facts, ...agreement } };
  }
  if (token !== null) return isCardToken(token) ? firstPayment([PaymentMethod.creditcard], token) : undefined;
  const methods = methodsOf(type);
  return methods.length === 0 ? undefined : firstPayment(methods);
}

function firstPayment(methods: PaymentMethod[], cardToken?: string): Setup {
  return { makes: 'FIRST_PAYMENT', methods, ...(cardToken !== undefined && { cardToken }) };
}

/** Made by Mollie Components, the form for cards in the merchant's page. */
function isCardToken(token: string): boolean {
  return token.startsWith('tkn_');
}

/** The methods that take a first payment of 0.00: https://help.mollie.com/hc/en-us/articles/214072489 */
function methodsOf(type: MethodType | null): PaymentMethod[] {
  if (type === null) return [PaymentMethod.creditcard, PaymentMethod.paypal];
  if (type === 'card') return [PaymentMethod.creditcard];
  return type === 'paypal' ? [PaymentMethod.paypal] : [];
}

/** Those of the methods with which the account takes a first payment of 0.00 in a currency. */
export async function methodsWithoutMoney(
  mollie: MollieClient,
  methods: readonly PaymentMethod[],
  currency: string,
): Promise<PaymentMethod[]> {
  const amount = mollieAmount(0, currency);
  if (amount === undefined) return [];
  const taken = await mollie.methods.list({ sequenceType: SequenceType.first, amount });
  const ids: string[] = taken.map(({ id }) => id);
  return methods.filter((method) => ids.includes(method));
}

/** The mandate's reference at the payer's bank: the method's id without its prefix, for SEPA takes 35 characters. */
function mandateReferenceOf({ methodId }: SetupOperation): string {
  return methodId.replace(/^mtd_/, '').slice(0, 35);
}

export async function createMandate(
  mollie: MollieClient,
  operation: SetupOperation,
  customerId: string,
  facts: MandateFacts,
): Promise<SetupOutcome> {
  const { key, consent } = operation;
  const mandate = await mollie.customerMandates.create({
    customerId,
    ...facts,
    ...(consent !== null && { signatureDate: utcDay(Date.parse(consent.acceptedTime)) }),
    mandateReference: mandateReferenceOf(operation),
    idempotencyKey: key,
  });
  return outcomeOfMandate(mandate, customerId);
}

/** A mandate has no metadata: it is found by its reference. */
export async function findMandateOf(mollie: MollieClient, operation: SetupOperation): Promise<SetupOutcome | Absent> {
  const { customer, createdMs } = operation;
  const customerId = customer.reference ?? (await findCustomer(mollie, customer.key, createdMs))?.id;
  if (customerId === undefined) return absent;
  try {
    const mandate = await findMandate(mollie, customerId, mandateReferenceOf(operation));
    return mandate === undefined ? absent : outcomeOfMandate(mandate, customerId);
  } catch (cause) {
    if (isGone(cause)) return absent;
    throw cause;
  }
}

function outcomeOfMandate(mandate: Mandate, customerReference: string): SetupOutcome {
  const state = stateOf(mandate, customerReference);
  const named = { customerReference, ...(state.livemode !== undefined && { livemode: state.livemode }) };
  return state.kind === 'ended'
    ? { kind: 'failed', failure: state.failure, ...named }
    : { kind: 'attached', reference: state.method.reference, method: state.method, ...named };
}

export interface FirstPayment {
  customerId: string;
  methods: PaymentMethod[];
  cardToken?: string | undefined;
  webhookUrl?: string | undefined;
}

export async function createFirstPayment(
  mollie: MollieClient,
  operation: SetupOperation,
  { customerId, methods, cardToken, webhookUrl }: FirstPayment,
): Promise<SetupOutcome> {
  const { key, methodId, currency, returnUrl } = operation;
  const [method] = methods;
  const payment = await mollie.payments.create({
    amount: mollieAmount(0, currency) as { currency: string; value: string },
    description: methodId,
    redirectUrl: returnUrl,
    metadata: { florin_key: key, florin_method: methodId },
    customerId,
    sequenceType: SequenceType.first,
    method: methods.length === 1 ? (method as PaymentMethod) : methods,
    idempotencyKey: key,
    ...(cardToken !== undefined && { cardToken }),
    ...(webhookUrl !== undefined && { webhookUrl }),
  });
  // The payment exists: a refusal of what is asked about it does not make it fail.
  return outcomeOfFirstPayment(mollie, payment, operation).catch((cause) => ({ kind: 'unknown', cause }));
}

export async function findFirstPayment(
  mollie: MollieClient,
  operation: SetupOperation,
): Promise<SetupOutcome | Absent> {
  const { key, reference, createdMs } = operation;
  const payment = reference === null ? await findPayment(mollie, key, createdMs) : await mollie.payments.get(reference);
  return payment === undefined ? absent : outcomeOfFirstPayment(mollie, payment, operation);
}

/** As of any payment, but for what it has kept: a payer who leaves the page has kept nothing. */
async function outcomeOfFirstPayment(
  mollie: MollieClient,
  payment: Payment,
  { key, currency, customer }: SetupOperation,
): Promise<SetupOutcome> {
  const outcome = paymentOutcome(payment, { key, amount: 0, currency, captureMethod: 'AUTOMATIC' });
  if (outcome.kind === 'cancelled') {
    return { ...outcome, kind: 'failed', failure: failure('payment_expired', 'canceled', 'The payer did not finish.') };
  }
  if (outcome.kind === 'authorized') return { kind: 'pending', reference: outcome.reference };
  if (outcome.kind !== 'succeeded') return outcome;
  const kept = await keptBy(mollie, payment);
  const { reference, livemode, customerReference } = outcome;
  const named = {
    reference,
    ...(livemode !== undefined && { livemode }),
    ...(customerReference && { customerReference }),
    ...(kept && otherModeOf(customer, kept)),
  };
  return kept === undefined
    ? { kind: 'failed', failure: failure('mandate_revoked', payment.status), ...named }
    : { kind: 'attached', method: kept.method, ...named };
}

const absent: Absent = { kind: 'absent' };
