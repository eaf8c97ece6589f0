import type {
  DisputeReason,
  DisputeStage,
  EvidenceFileType,
  ProviderDispute,
  ProviderDisputeStatus,
} from '../dispute.ts';
import type { Ignored } from '../failures.ts';

/**
 * What becomes of Stripe's words about disputes. `server/tests/conformance` compares these tables with Stripe's
 * published document and with the pinned library: a word that they add breaks the test.
 */

interface StatusMeaning {
  stage: DisputeStage;
  status: ProviderDisputeStatus;
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-status. The appeals are new in 2026-10-28.endive. */
export const disputeStatuses: Readonly<Record<string, StatusMeaning>> = {
  warning_needs_response: { stage: 'INQUIRY', status: 'OPEN' },
  warning_under_review: { stage: 'INQUIRY', status: 'SUBMITTED' },
  warning_closed: { stage: 'INQUIRY', status: 'CLOSED' },
  needs_response: { stage: 'CHARGEBACK', status: 'OPEN' },
  under_review: { stage: 'CHARGEBACK', status: 'SUBMITTED' },
  won: { stage: 'CHARGEBACK', status: 'WON' },
  lost: { stage: 'CHARGEBACK', status: 'LOST' },
  // Settled by a refund before it became a chargeback; the refund is reported as one.
  prevented: { stage: 'INQUIRY', status: 'CLOSED' },
  appeal_needs_response: { stage: 'PRE_ARBITRATION', status: 'OPEN' },
  appeal_under_review: { stage: 'PRE_ARBITRATION', status: 'SUBMITTED' },
};

interface ReasonMeaning extends Pick<ProviderDispute, 'methodFailure'> {
  reason: DisputeReason;
}

/**
 * https://docs.stripe.com/disputes/categories. Those of debits are also how a debit comes back after it succeeded.
 * `customer_initiated` is the payer's right to get an authorized debit back, and no statement about the mandate.
 */
export const disputeReasons: Readonly<Record<string, ReasonMeaning>> = {
  bank_cannot_process: { reason: 'returned' },
  check_returned: { reason: 'returned' },
  credit_not_processed: { reason: 'credit_not_processed' },
  customer_initiated: { reason: 'other' },
  debit_not_authorized: { reason: 'not_authorized', methodFailure: 'mandate_revoked' },
  duplicate: { reason: 'duplicate' },
  fraudulent: { reason: 'fraudulent' },
  general: { reason: 'other' },
  incorrect_account_details: { reason: 'returned', methodFailure: 'account_closed' },
  insufficient_funds: { reason: 'returned' },
  noncompliant: { reason: 'other' },
  product_not_received: { reason: 'not_received' },
  product_unacceptable: { reason: 'not_as_described' },
  subscription_canceled: { reason: 'subscription_cancelled' },
  unrecognized: { reason: 'unrecognized' },
};

const line = { kind: 'TEXT', maxCharacters: 5_000 } as const;
const text = { kind: 'TEXT', maxCharacters: 20_000 } as const;
const file = { kind: 'FILE' } as const;

/** What is taken as evidence, by the member of `evidence` (https://docs.stripe.com/api/disputes/update). */
export const evidence: Readonly<Record<string, typeof line | typeof text | typeof file | Ignored>> = {
  access_activity_log: text,
  billing_address: line,
  cancellation_policy: file,
  cancellation_policy_disclosure: text,
  cancellation_rebuttal: text,
  customer_communication: file,
  customer_email_address: line,
  customer_name: line,
  customer_purchase_ip: line,
  customer_signature: file,
  duplicate_charge_documentation: file,
  duplicate_charge_explanation: text,
  duplicate_charge_id: line,
  product_description: text,
  receipt: file,
  refund_policy: file,
  refund_policy_disclosure: text,
  refund_refusal_explanation: text,
  service_date: line,
  service_documentation: file,
  shipping_address: line,
  shipping_carrier: line,
  shipping_date: line,
  shipping_documentation: file,
  shipping_tracking_number: line,
  uncategorized_file: file,
  uncategorized_text: text,
  appeal: { ignored: 'only in the stage of an appeal, where nothing else is taken' },
  enhanced_evidence: { ignored: 'it names earlier payments and the fees of networks, which Florin does not know' },
};

/** The evidence of an appeal, by the member of `evidence.appeal.card`. */
export const appealEvidence: Readonly<Record<string, typeof text | typeof file>> = {
  reason_for_filing: text,
  supporting_files: file,
};

/** https://docs.stripe.com/file-upload, purpose `dispute_evidence`. */
export const evidenceFileTypes: readonly EvidenceFileType[] = ['application/pdf', 'image/jpeg', 'image/png'];
export const maxEvidenceFileBytes = 5_000_000;
