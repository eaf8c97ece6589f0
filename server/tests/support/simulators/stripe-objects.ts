import { billingDetails, chargedDetails } from './stripe-method-objects.ts';
import type { SimulatedCharge, SimulatedIntent, SimulatedMethod, SimulatedRefund } from './stripe-records.ts';
import { randomId } from './stripe-rules.ts';

/** Objects with all members that Stripe answers, most of them empty. */

export function newIntent(facts: Partial<SimulatedIntent>): SimulatedIntent {
  const id = `pi_${randomId()}`;
  return {
    id,
    object: 'payment_intent',
    amount: 0,
    amount_capturable: 0,
    amount_details: { tip: {} },
    amount_received: 0,
    allowed_payment_method_types: null,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${randomId()}`,
    confirmation_method: 'automatic',
    created: 0,
    currency: '',
    customer: null,
    customer_account: null,
    description: null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: { enabled: false },
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'us_bank_account'],
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
    ...facts,
  };
}

/** How long an authorization lasts. */
const authorizedSeconds = 7 * 86_400;

/** The charge of an attempt to pay an intent; a declined one has the code and message of the decline. */
export function newCharge(
  intent: SimulatedIntent,
  method: SimulatedMethod,
  created: number,
  {
    declined,
    generated,
  }: {
    declined?: { code: string; declineCode: string | undefined; message: string };
    generated?: SimulatedMethod | undefined;
  } = {},
): SimulatedCharge {
  const { amount, currency, customer, description, livemode, metadata } = intent;
  const { statement_descriptor, statement_descriptor_suffix } = intent;
  const isPaid = declined === undefined;
  const isCaptured = isPaid && intent.capture_method !== 'manual';
  const captureBefore = isPaid && !isCaptured ? created + authorizedSeconds : undefined;
  return {
    id: `ch_${randomId()}`,
    object: 'charge',
    amount,
    amount_captured: isCaptured ? amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    // Unknown while the capture is asynchronous.
    balance_transaction: isCaptured && intent.capture_method === 'automatic' ? `txn_${randomId()}` : null,
    billing_details: billingDetails,
    calculated_statement_descriptor: null,
    captured: isCaptured,
    created,
    currency,
    customer,
    description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: declined?.code ?? null,
    failure_message: declined?.message ?? null,
    fraud_details: {},
    livemode,
    metadata: { ...metadata },
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: isPaid ? 'approved_by_network' : 'declined_by_network',
      reason: declined?.declineCode ?? declined?.code ?? null,
      risk_level: 'normal',
      seller_message: isPaid ? 'Payment complete.' : 'The bank did not return any further details.',
      type: isPaid ? 'authorized' : 'issuer_declined',
    },
    paid: isPaid,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: chargedDetails(method, generated, captureBefore),
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source_transfer: null,
    statement_descriptor,
    statement_descriptor_suffix,
    status: isPaid ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  };
}

/** The booking of a charge. The fee is 2.9 % plus 30. */
export function balanceTransactionOf(charge: SimulatedCharge): Record<string, unknown> {
  const { amount, created, currency, description, id: source } = charge;
  const fee = Math.round(amount * 0.029) + 30;
  return {
    id: charge.balance_transaction,
    object: 'balance_transaction',
    amount,
    available_on: created + 2 * 86_400,
    balance_type: 'payments',
    created,
    currency,
    description,
    exchange_rate: null,
    fee,
    fee_details: [{ amount: fee, application: null, currency, description: 'Processing fees', type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: 'charge',
    source,
    status: 'pending',
    type: 'charge',
  };
}

export function newRefund(
  facts: Pick<SimulatedRefund, 'charge' | 'payment_intent'> & Partial<SimulatedRefund>,
): SimulatedRefund {
  return {
    id: `re_${randomId()}`,
    object: 'refund',
    amount: 0,
    balance_transaction: null,
    created: 0,
    currency: '',
    customer: null,
    customer_account: null,
    destination_details: { card: { type: 'refund' }, type: 'card' },
    metadata: {},
    payment_method: null,
    reason: null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
    ...facts,
  };
}
