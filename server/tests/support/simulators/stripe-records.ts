import type { Params } from './stripe-params.ts';

/** A payment intent with all members that Stripe answers (https://docs.stripe.com/api/payment_intents/object). */
export interface SimulatedIntent {
  id: string;
  object: 'payment_intent';
  amount: number;
  amount_capturable: number;
  amount_details: { tip: object };
  amount_received: number;
  allowed_payment_method_types: string[] | null;
  application: null;
  application_fee_amount: null;
  automatic_payment_methods: { enabled: boolean; allow_redirects?: string } | null;
  canceled_at: number | null;
  cancellation_reason: string | null;
  capture_method: string;
  client_secret: string;
  confirmation_method: 'automatic';
  created: number;
  currency: string;
  customer: string | null;
  customer_account: null;
  description: string | null;
  excluded_payment_method_types: null;
  last_payment_error: Record<string, unknown> | null;
  latest_charge: string | null;
  livemode: boolean;
  managed_payments: { enabled: boolean };
  metadata: Record<string, string>;
  next_action: Record<string, unknown> | null;
  on_behalf_of: null;
  payment_method: string | null;
  payment_method_configuration_details: null;
  payment_method_options: Record<string, unknown>;
  payment_method_types: string[];
  processing: null;
  receipt_email: null;
  review: null;
  setup_future_usage: string | null;
  shipping: null;
  statement_descriptor: string | null;
  statement_descriptor_suffix: string | null;
  status: string;
  transfer_data: null;
  transfer_group: null;
}

/** An attempt to pay. The successful ones are the money taken, which tests compare with Florin's books. */
export interface SimulatedCharge {
  id: string;
  object: 'charge';
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  application: null;
  application_fee: null;
  application_fee_amount: null;
  balance_transaction: string | null;
  billing_details: Record<string, unknown>;
  calculated_statement_descriptor: string | null;
  captured: boolean;
  created: number;
  currency: string;
  customer: string | null;
  description: string | null;
  disputed: boolean;
  failure_balance_transaction: string | null;
  failure_code: string | null;
  failure_message: string | null;
  fraud_details: object;
  livemode: boolean;
  /** Those of the intent when it was confirmed. */
  metadata: Record<string, string>;
  on_behalf_of: null;
  outcome: Record<string, unknown>;
  paid: boolean;
  payment_intent: string;
  payment_method: string;
  payment_method_details: Record<string, unknown>;
  receipt_email: null;
  receipt_number: null;
  receipt_url: string | null;
  refunded: boolean;
  review: null;
  shipping: null;
  source_transfer: null;
  statement_descriptor: string | null;
  statement_descriptor_suffix: string | null;
  status: 'succeeded' | 'pending' | 'failed';
  transfer_data: null;
  transfer_group: null;
}

export interface SimulatedRefund {
  id: string;
  object: 'refund';
  amount: number;
  balance_transaction: string | null;
  charge: string;
  created: number;
  currency: string;
  customer: string | null;
  customer_account: null;
  destination_details?: Record<string, unknown>;
  failure_reason?: string;
  metadata: Record<string, string>;
  payment_intent: string;
  payment_method: string | null;
  pending_reason?: string;
  reason: string | null;
  receipt_number: null;
  source_transfer_reversal: null;
  status: 'succeeded' | 'pending' | 'failed' | 'canceled' | 'requires_action';
  transfer_reversal: null;
}

/** What a payer pays with. */
export interface SimulatedMethod {
  id: string;
  /** The test token that it was made from, which decides what happens: `pm_card_visa`. */
  token: string;
  type: 'card' | 'us_bank_account' | 'sepa_debit' | 'bacs_debit' | 'ideal';
  /** Brand, last digits, expiry and the like; networks change them. */
  facts: Record<string, unknown>;
  customer: string | null;
  /** It was confirmed without a customer, or detached from one, and Stripe takes it no more. */
  isUsedUp: boolean;
  /** The payer has authenticated for later charges. */
  isAuthenticated: boolean;
  /** The mandate of a debit. */
  mandate: string | null;
  created: number;
  livemode: boolean;
}

export interface SimulatedMandate {
  id: string;
  method: SimulatedMethod;
  created: number;
  status: 'active' | 'inactive' | 'pending';
}

export interface SimulatedCustomer {
  id: string;
  object: 'customer';
  created: number;
  email: string | null;
  livemode: boolean;
  metadata: Record<string, string>;
  name: string | null;
  isDeleted: boolean;
}

/** https://docs.stripe.com/api/setup_intents/object */
export interface SimulatedSetup {
  id: string;
  object: 'setup_intent';
  application: null;
  automatic_payment_methods: SimulatedIntent['automatic_payment_methods'];
  cancellation_reason: string | null;
  client_secret: string;
  created: number;
  customer: string | null;
  customer_account: null;
  description: string | null;
  excluded_payment_method_types: null;
  flow_directions: null;
  last_setup_error: Record<string, unknown> | null;
  latest_attempt: string | null;
  livemode: boolean;
  mandate: string | null;
  metadata: Record<string, string>;
  next_action: Record<string, unknown> | null;
  on_behalf_of: null;
  payment_method: string | null;
  payment_method_configuration_details: null;
  payment_method_options: Record<string, unknown>;
  payment_method_types: string[];
  single_use_mandate: null;
  status: string;
  usage: string;
}

/** https://docs.stripe.com/api/checkout/sessions/object */
export interface SimulatedSession {
  id: string;
  object: 'checkout.session';
  cancel_url: string | null;
  client_reference_id: string | null;
  created: number;
  currency: string | null;
  customer: string | null;
  expires_at: number;
  livemode: boolean;
  metadata: Record<string, string>;
  mode: 'payment' | 'setup';
  amount_subtotal: number | null;
  amount_total: number | null;
  payment_intent: string | null;
  payment_method_types: string[];
  setup_intent: string | null;
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  status: 'open' | 'complete' | 'expired';
  success_url: string | null;
  url: string | null;
  [member: string]: unknown;
}

/** An object of a list: newest first, by pages. */
export interface Listed {
  id: string;
  object: string;
  created: number;
}

export interface SimulatedEvent {
  id: string;
  object: 'event';
  api_version: string;
  created: number;
  data: { object: unknown };
  livemode: boolean;
  pending_webhooks: number;
  request: { id: string | null; idempotency_key: string | null };
  type: string;
}

export interface StripeRequest {
  method: string;
  path: string;
  key: string | undefined;
  params: Params;
  /** What is uploaded. */
  file?: { name: string; type: string; size: number } | undefined;
}

export interface SignedCallback {
  headers: { 'content-type': string; 'stripe-signature': string };
  body: Buffer;
}
