import type { Fee, NamedMode, Outcome } from './outcome.ts';

export interface DisputeReference {
  dispute: string;
  /** What the CHARGE operation's reference is at this provider; null: not known. */
  charge: string | null;
}

export interface RefundReference {
  refund: string;
  charge: string;
}

interface AnyDisputeOperation {
  /** The idempotency key sent to the provider: `dsp_…-1`, at most 64 characters of [a-z0-9_-]. */
  key: string;
  /** The dispute's public id: `dsp_…`. */
  disputeId: string;
  /** The provider's id of the dispute. */
  reference: string;
  chargeReference: string;
  /** When it was first sent, or was about to be; null: never. */
  calledMs: number | null;
}

export interface SubmitEvidenceOperation extends AnyDisputeOperation {
  kind: 'SUBMIT';
  texts: readonly EvidenceText[];
  files: readonly EvidenceFile[];
  /** One of `defenseReasons`, where one must be chosen. */
  defenseReason: string | null;
}

export interface AcceptDisputeOperation extends AnyDisputeOperation {
  kind: 'ACCEPT';
}

export type DisputeOperation = SubmitEvidenceOperation | AcceptDisputeOperation;

export interface EvidenceText {
  /** Of a field of the dispute's `evidenceFields`. */
  name: string;
  text: string;
}

export interface EvidenceFile {
  /** Of a field of the dispute's `evidenceFields`. */
  name: string;
  /** Our id of the file, `fil_…`: the upload of it is idempotent under it. */
  id: string;
  fileName: string;
  type: EvidenceFileType;
  /** At most 10 MB. */
  content: Buffer;
}

export type DisputeReading =
  | { kind: 'read'; dispute: ProviderDispute }
  /** The provider has no such dispute. */
  | { kind: 'absent' }
  | Unanswered;

export type RefundReading = { kind: 'read'; refund: ProviderRefund } | { kind: 'absent' } | Unanswered;

/** No answer: a rate limit, or it is not known. */
export type Unanswered = Extract<Outcome, { kind: 'rate_limited' | 'unknown' }>;

export interface DisputePage {
  kind: 'page';
  disputes: readonly ProviderDispute[];
  refunds: readonly ProviderRefund[];
  /** Warnings of fraud, where the provider lists them. */
  warnings?: readonly FraudWarning[];
  /** Disputes of which the provider says only that something has changed: known ones are read. */
  changed?: readonly { reference: string; atMs: number }[];
  /** The cursor of the next page; null: this was the last one. */
  next: string | null;
}

/** A dispute as it is at its provider. */
export interface ProviderDispute extends NamedMode {
  reference: string;
  /** What the CHARGE operation's reference is at this provider. */
  chargeReference: string;
  stage: DisputeStage;
  /** What the provider says. EXPIRED is Florin's own, so no provider says it. */
  status: ProviderDisputeStatus;
  /** What is at stake, in minor units. */
  amount: number;
  currency: string;
  /** What the provider charges for the dispute, as far as it tells. */
  fee: Fee | null;
  reason: DisputeReason;
  /** The provider's own word. */
  providerReason: string | null;
  /** ISO 8601; null: it cannot be answered. */
  respondBy: string | null;
  /** What the provider takes now. */
  actions: readonly DisputeAction[];
  evidenceFields: readonly EvidenceField[];
  /** Reasons of which one must be chosen with the evidence; empty: none. */
  defenseReasons: readonly string[];
  /** All of its funds so far. Each is known by its reference, and booked once. */
  movements: readonly DisputeMovement[];
  /** The payment method cannot be charged any more: the debit was not authorized, or its account is closed. */
  methodFailure?: 'mandate_revoked' | 'account_closed';
}

export interface DisputeMovement {
  /** The provider's id of it, or one that the connector makes of what never changes of it. */
  reference: string;
  direction: 'WITHDRAWN' | 'REINSTATED';
  /** In minor units, above 0. */
  amount: number;
  currency: string;
}

/** A refund as it is at its provider, made through Florin or elsewhere. */
export interface ProviderRefund extends NamedMode {
  reference: string;
  /** What the CHARGE operation's reference is at this provider. */
  chargeReference: string;
  amount: number;
  currency: string;
  status: 'PROCESSING' | 'SUCCESS' | 'FAILED';
  /** Our key of the refund, if Florin has sent it. */
  key?: string;
}

export const disputeStages = ['INQUIRY', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'] as const;
export type DisputeStage = (typeof disputeStages)[number];

/**
 * EXPIRED: nothing was sent in time, and the provider has not decided. CLOSED: an inquiry that ended, or a dispute that
 * was withdrawn or settled by a refund.
 */
export const disputeStatuses = ['OPEN', 'SUBMITTED', 'ACCEPTED', 'EXPIRED', 'WON', 'LOST', 'CLOSED'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];
export type ProviderDisputeStatus = Exclude<DisputeStatus, 'EXPIRED'>;

export const disputeReasons = [
  'fraudulent',
  'not_received',
  'not_as_described',
  'duplicate',
  'credit_not_processed',
  'subscription_cancelled',
  'unrecognized',
  // A debit.
  'not_authorized',
  // Money that came back without a dispute.
  'returned',
  'other',
] as const;
export type DisputeReason = (typeof disputeReasons)[number];

export const disputeActions = ['SUBMIT', 'ACCEPT'] as const;
export type DisputeAction = (typeof disputeActions)[number];

export const evidenceFileTypes = ['application/pdf', 'image/png', 'image/jpeg', 'image/tiff'] as const;
export type EvidenceFileType = (typeof evidenceFileTypes)[number];

/** What the provider takes as evidence under a name. */
export interface EvidenceField {
  name: string;
  kind: 'TEXT' | 'FILE';
  required: boolean;
  /** Of a TEXT. */
  maxCharacters?: number;
  /** Of a FILE. */
  fileTypes?: readonly EvidenceFileType[];
  maxBytes?: number;
  /** Of a PDF. */
  maxPages?: number;
}

/** A dispute of which a callback says that it began or has changed. Florin then reads it. */
export interface DisputeNotice extends NamedMode {
  /** The provider's id of the dispute. */
  reference: string;
  /** What the CHARGE operation's reference is at this provider, if the message names it. */
  chargeReference?: string;
}

/** A refund of which a callback says that it began or has changed, and that Florin may not have sent. */
export interface RefundNotice extends NamedMode {
  /** The provider's id of the refund. */
  reference: string;
  /** What the CHARGE operation's reference is at this provider. */
  chargeReference: string;
}

/** A charge of which a callback says that its money has changed: a dispute or a refund, without naming it. */
export interface ChargeNotice extends NamedMode {
  /** What the CHARGE operation's reference is at this provider. */
  reference: string;
}

/** A warning of the card network that a payment is likely to be disputed as fraud. */
export interface FraudWarning extends NamedMode {
  /** The provider's id of the warning. */
  reference: string;
  /** What the CHARGE operation's reference is at this provider. */
  chargeReference: string;
  /** When the provider was warned. */
  atMs: number;
}
