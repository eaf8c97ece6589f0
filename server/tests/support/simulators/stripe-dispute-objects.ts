import type { SimulatedCharge } from './stripe-records.ts';
import { randomId } from './stripe-rules.ts';

/** https://docs.stripe.com/api/disputes/object */
export interface SimulatedDispute {
  id: string;
  object: 'dispute';
  amount: number;
  balance_transactions: SimulatedBooking[];
  charge: string;
  created: number;
  currency: string;
  enhanced_eligibility_types: string[];
  evidence: Record<string, unknown>;
  evidence_details: {
    due_by: number | null;
    enhanced_eligibility: object;
    has_evidence: boolean;
    past_due: boolean;
    submission_count: number;
  };
  is_charge_refundable: boolean;
  livemode: boolean;
  metadata: Record<string, string>;
  payment_intent: string;
  payment_method_details?: Record<string, unknown>;
  reason: string;
  status: string;
}

/** A booking of a dispute or of a failed debit: https://docs.stripe.com/api/balance_transactions/object. */
export interface SimulatedBooking {
  id: string;
  object: 'balance_transaction';
  amount: number;
  created: number;
  currency: string;
  fee: number;
  source: string;
  type: string;
  [member: string]: unknown;
}

export interface SimulatedFile {
  id: string;
  object: 'file';
  created: number;
  expires_at: number | null;
  filename: string;
  links: object;
  purpose: string;
  size: number;
  title: null;
  type: string;
  url: string;
}

export interface SimulatedWarning {
  id: string;
  object: 'radar.early_fraud_warning';
  actionable: boolean;
  charge: string;
  created: number;
  fraud_type: string;
  livemode: boolean;
  payment_intent: string;
}

export function newDispute(
  charge: SimulatedCharge,
  facts: Pick<SimulatedDispute, 'amount' | 'created' | 'reason' | 'status'> & {
    dueBy: number | null;
    caseType: string;
  },
): SimulatedDispute {
  const { dueBy, caseType, ...shown } = facts;
  const { card } = charge.payment_method_details as { card?: { brand: string; network: string } };
  const network = { brand: card?.brand, case_type: caseType, network: card?.network, network_reason_code: '10.4' };
  return {
    id: `dp_${randomId()}`,
    object: 'dispute',
    balance_transactions: [],
    charge: charge.id,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: { ...Object.fromEntries(plainEvidence.map((name) => [name, null])), enhanced_evidence: {} },
    evidence_details: {
      due_by: dueBy,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: caseType === 'inquiry',
    livemode: charge.livemode,
    metadata: {},
    payment_intent: charge.payment_intent,
    ...(card !== undefined && { payment_method_details: { card: network, type: 'card' } }),
    ...shown,
  };
}

/** The members of evidence that are files, and all that are taken before an appeal. */
export const evidenceFiles: readonly string[] = (
  'cancellation_policy customer_communication customer_signature duplicate_charge_documentation receipt ' +
  'refund_policy service_documentation shipping_documentation uncategorized_file'
).split(' ');
export const plainEvidence: readonly string[] = [
  ...evidenceFiles,
  ...(
    'access_activity_log billing_address cancellation_policy_disclosure cancellation_rebuttal ' +
    'customer_email_address customer_name customer_purchase_ip duplicate_charge_explanation duplicate_charge_id ' +
    'product_description refund_policy_disclosure refund_refusal_explanation service_date shipping_address ' +
    'shipping_carrier shipping_date shipping_tracking_number uncategorized_text'
  ).split(' '),
];

/** A booking in the currency of the account. */
export function newBooking(
  facts: Pick<SimulatedBooking, 'amount' | 'created' | 'currency' | 'fee' | 'source' | 'type'> & { category: string },
): SimulatedBooking {
  const { category, ...shown } = facts;
  const { amount, created, currency, fee } = facts;
  const description = 'Dispute fee';
  return {
    id: `txn_${randomId()}`,
    object: 'balance_transaction',
    available_on: created,
    balance_type: 'payments',
    description: null,
    exchange_rate: null,
    fee_details: fee === 0 ? [] : [{ amount: fee, application: null, currency, description, type: 'stripe_fee' }],
    net: amount - fee,
    reporting_category: category,
    status: 'available',
    ...shown,
  };
}

export function newWarning(charge: SimulatedCharge, created: number, fraudType: string): SimulatedWarning {
  const { id, livemode, payment_intent } = charge;
  return {
    id: `issfr_${randomId()}`,
    object: 'radar.early_fraud_warning',
    actionable: true,
    charge: id,
    created,
    fraud_type: fraudType,
    livemode,
    payment_intent,
  };
}

/** How long Stripe keeps evidence: https://docs.stripe.com/file-upload. */
const nineMonthsSeconds = 274 * 86_400;

export function newFile(
  facts: Pick<SimulatedFile, 'created' | 'filename' | 'purpose' | 'size' | 'type'>,
): SimulatedFile {
  const id = `file_${randomId()}`;
  return {
    id,
    object: 'file',
    expires_at: facts.created + nineMonthsSeconds,
    links: { object: 'list', data: [], has_more: false, url: `/v1/file_links?file=${id}` },
    title: null,
    url: `https://files.stripe.com/v1/files/${id}/contents`,
    ...facts,
  };
}
