import type { SimulatedCustomer, SimulatedMandate, SimulatedMethod, SimulatedSetup } from './stripe-records.ts';
import { randomId } from './stripe-rules.ts';

/** Payment methods and what belongs to them, with all members that Stripe answers. */

const address = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };
export const billingDetails = { address, email: null, name: null, phone: null, tax_id: null };
const noChecks = { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' };

/** What Stripe tells of each type of method, in the method and in its charges. */
export const methodFacts = {
  card: {
    brand: 'visa',
    country: 'US',
    exp_month: 12,
    exp_year: 2034,
    fingerprint: 'AOB934RVNwzk6xtn',
    funding: 'credit',
    last4: '4242',
  },
  us_bank_account: {
    account_holder_type: 'individual',
    account_type: 'checking',
    bank_name: 'STRIPE TEST BANK',
    fingerprint: 'FFDMA0xfhBjWSZLu',
    last4: '6789',
    routing_number: '110000000',
  },
  sepa_debit: {
    bank_code: '37040044',
    branch_code: '',
    country: 'DE',
    fingerprint: 'xgdrxL3DTqvVWhfY',
    last4: '3000',
  },
  bacs_debit: { fingerprint: 'UVpPRgtHiaJMuzLQ', last4: '2345', sort_code: '108800' },
  ideal: { bank: 'rabobank', bic: 'RABONL2U' },
} satisfies Record<SimulatedMethod['type'], object>;

/** A payment method as Stripe answers it (https://docs.stripe.com/api/payment_methods/object). */
export function methodBody(method: SimulatedMethod): Record<string, unknown> {
  const { id, type, customer, created, livemode, facts } = method;
  return {
    id,
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: billingDetails,
    created,
    customer,
    customer_account: null,
    livemode,
    metadata: {},
    type,
    [type]: { ...facts, ...storedDetails[type] },
  };
}

const storedDetails = {
  card: {
    checks: noChecks,
    display_brand: 'visa',
    generated_from: null,
    networks: { available: ['visa'], preferred: null },
    regulated_status: 'unregulated',
    three_d_secure_usage: { supported: true },
    wallet: null,
  },
  us_bank_account: {
    financial_connections_account: null,
    networks: { preferred: 'ach', supported: ['ach'] },
    status_details: {},
  },
  sepa_debit: { generated_from: { charge: null, setup_attempt: null } },
  bacs_debit: {},
  ideal: {},
} satisfies Record<SimulatedMethod['type'], object>;

/** The details of a charge with this method. `generated`: the debit that it has kept. */
export function chargedDetails(
  method: SimulatedMethod,
  generated?: SimulatedMethod,
  captureBefore?: number,
): Record<string, unknown> {
  const { type, facts, mandate } = method;
  const before = captureBefore !== undefined && type === 'card' ? { capture_before: captureBefore } : {};
  return { type, [type]: { ...facts, ...detailsOfCharge(type, mandate, generated), ...before } };
}

function detailsOfCharge(type: SimulatedMethod['type'], mandate: string | null, generated?: SimulatedMethod): object {
  switch (type) {
    case 'card':
      return {
        amount_authorized: null,
        authorization_code: null,
        checks: noChecks,
        extended_authorization: { status: 'disabled' },
        incremental_authorization: { status: 'unavailable' },
        installments: null,
        mandate: null,
        multicapture: { status: 'unavailable' },
        network: 'visa',
        network_token: { used: false },
        network_transaction_id: '104557651805572',
        overcapture: { maximum_amount_capturable: 0, status: 'unavailable' },
        regulated_status: 'unregulated',
        three_d_secure: null,
        wallet: null,
      };
    case 'us_bank_account':
      return { ...(mandate !== null && { mandate }), payment_reference: null };
    case 'ideal':
      return { ...generatedDebit(generated), transaction_id: null };
    default:
      return { mandate };
  }
}

function generatedDebit(generated: SimulatedMethod | undefined): object {
  return {
    generated_sepa_debit: generated?.id ?? null,
    generated_sepa_debit_mandate: generated?.mandate ?? null,
    iban_last4: methodFacts.sepa_debit.last4,
    verified_name: 'Jenny Rosen',
  };
}

export function customerBody(customer: SimulatedCustomer): Record<string, unknown> {
  const { id, created, email, livemode, metadata, name, isDeleted } = customer;
  if (isDeleted) return { id, object: 'customer', deleted: true };
  return {
    id,
    object: 'customer',
    address: null,
    balance: 0,
    created,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email,
    invoice_prefix: '7FE1103',
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode,
    metadata,
    name,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
  };
}

/** https://docs.stripe.com/api/mandates/object */
export function mandateBody({ id, method, created, status }: SimulatedMandate): Record<string, unknown> {
  const { livemode, type } = method;
  const reference = id.slice(-12).toUpperCase();
  const url = `https://mandates.example.org/${id}`;
  const details = {
    sepa_debit: { reference, url },
    bacs_debit: {
      display_name: null,
      network_status: status === 'inactive' ? 'revoked' : 'accepted',
      reference,
      revocation_reason: status === 'inactive' ? 'debit_not_authorized' : null,
      service_user_number: null,
      url,
    },
  };
  return {
    id,
    object: 'mandate',
    customer_acceptance: {
      accepted_at: created,
      online: { ip_address: '192.0.2.1', user_agent: 'Browser' },
      type: 'online',
    },
    livemode,
    multi_use: {},
    payment_method: method.id,
    payment_method_details: { type, [type]: details[type as keyof typeof details] ?? {} },
    status,
    type: 'multi_use',
  };
}

export function newSetup(facts: Partial<SimulatedSetup>): SimulatedSetup {
  const id = `seti_${randomId()}`;
  return {
    id,
    object: 'setup_intent',
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${randomId()}`,
    created: 0,
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'us_bank_account'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: 'off_session',
    ...facts,
  };
}

/** https://docs.stripe.com/api/setup_attempts/object */
export function attemptBody(
  setup: SimulatedSetup,
  method: SimulatedMethod,
  { created, generated }: { created: number; generated?: SimulatedMethod | undefined },
): Record<string, unknown> {
  const { type, facts } = method;
  const { customer, id: setup_intent, livemode, status } = setup;
  const ofCard = { checks: noChecks, network: 'visa', three_d_secure: null, wallet: null };
  const details = { card: { ...facts, ...ofCard }, ideal: { ...facts, ...generatedDebit(generated) } };
  return {
    id: `setatt_${randomId()}`,
    object: 'setup_attempt',
    application: null,
    created,
    customer,
    customer_account: null,
    flow_directions: null,
    livemode,
    on_behalf_of: null,
    payment_method: method.id,
    payment_method_details: { type, [type]: details[type as keyof typeof details] ?? {} },
    setup_error: null,
    setup_intent,
    status,
    usage: 'off_session',
  };
}
