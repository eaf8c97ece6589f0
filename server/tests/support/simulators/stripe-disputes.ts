import {
  evidenceFiles,
  newBooking,
  newDispute,
  newFile,
  newWarning,
  plainEvidence,
  type SimulatedBooking,
  type SimulatedDispute,
  type SimulatedFile,
  type SimulatedWarning,
} from './stripe-dispute-objects.ts';
import { type Params, required, requireKnown, StripeProblem, text, tree } from './stripe-params.ts';
import type { SimulatedCharge } from './stripe-records.ts';
import { problem } from './stripe-rules.ts';
import type { StripeWorld } from './stripe-world.ts';

/** What is said of a dispute that arrives. */
export interface DisputeFacts {
  reason?: string;
  /** In Stripe's unit; absent: what was not refunded, or all of it where nothing is left. */
  amount?: number;
  /** The bank asks before it takes the money. */
  isInquiry?: boolean;
  /** Null: the bank takes no answer. */
  dueInDays?: number | null;
  /** What Stripe takes for a dispute. */
  fee?: number;
  /** The account settles in another currency. */
  settledIn?: { currency: string; amount: number };
}

const disputeFee = 1_500;
const daySeconds = 86_400;
/** https://docs.stripe.com/file-upload, purpose `dispute_evidence`. */
const fileTypes = ['application/pdf', 'image/jpeg', 'image/png'];
const maxFileBytes = 5_000_000;

/**
 * The disputes, evidence files and fraud warnings of an account (https://docs.stripe.com/disputes/api), and debits that
 * fail after they have succeeded.
 */
export class StripeDisputes {
  readonly all: SimulatedDispute[] = [];
  readonly files = new Map<string, SimulatedFile>();
  readonly warnings: SimulatedWarning[] = [];
  /** The bookings of failed debits. */
  readonly failures: SimulatedBooking[] = [];
  readonly #world: StripeWorld;
  readonly #charges: () => readonly SimulatedCharge[];
  readonly #refund: (intentId: string, amount: number) => void;

  constructor(
    world: StripeWorld,
    charges: () => readonly SimulatedCharge[],
    refund: (intentId: string, amount: number) => void,
  ) {
    this.#world = world;
    this.#charges = charges;
    this.#refund = refund;
  }

  get(id: string): SimulatedDispute {
    const dispute = this.all.find((one) => one.id === id);
    if (dispute !== undefined) return dispute;
    throw new StripeProblem(404, { code: 'resource_missing', param: 'dispute', message: `No such dispute: '${id}'` });
  }

  /** A dispute arrives, for the charge of an intent. Unless it is an inquiry, it takes the money at once. */
  open(intentId: string, facts: DisputeFacts = {}): SimulatedDispute {
    const charge = this.#chargeOf(intentId);
    const { reason = 'fraudulent', isInquiry = false, dueInDays = 7 } = facts;
    // The bank may ignore a refund.
    const { amount = charge.amount_captured - charge.amount_refunded || charge.amount_captured } = facts;
    const created = this.#world.seconds();
    const dispute = newDispute(charge, {
      amount,
      created,
      reason,
      caseType: isInquiry ? 'inquiry' : 'chargeback',
      status: isInquiry ? 'warning_needs_response' : 'needs_response',
      dueBy: dueInDays === null ? null : created + dueInDays * daySeconds,
    });
    this.all.push(dispute);
    charge.disputed = true;
    this.#world.onEvent('charge.dispute.created', dispute);
    if (!isInquiry) this.#withdraw(dispute, facts);
    return dispute;
  }

  /** A bank sends a debit back for good: the dispute is lost when it arrives. */
  returnDebit(intentId: string, reason: string): SimulatedDispute {
    const dispute = this.open(intentId, { reason, dueInDays: null, fee: 0 });
    this.decide(dispute.id, 'lost');
    return dispute;
  }

  /** A dispute that a refund by Stripe has settled before it was filed. */
  prevent(intentId: string): SimulatedDispute {
    const charge = this.#chargeOf(intentId);
    const amount = charge.amount_captured - charge.amount_refunded;
    const facts = { amount, created: this.#world.seconds(), reason: 'fraudulent', caseType: 'resolution' };
    const dispute = newDispute(charge, { ...facts, status: 'prevented', dueBy: null });
    this.#refund(intentId, amount);
    this.all.push(dispute);
    this.#world.onEvent('charge.dispute.created', dispute);
    return dispute;
  }

  /** The bank goes on after an inquiry, and takes the money. */
  escalate(id: string): void {
    const dispute = this.#in(id, ['warning_needs_response', 'warning_under_review', 'warning_closed']);
    dispute.status = 'needs_response';
    dispute.is_charge_refundable = false;
    dispute.evidence_details.due_by = this.#world.seconds() + 7 * daySeconds;
    dispute.evidence_details.submission_count = 0;
    this.#world.onEvent('charge.dispute.updated', dispute);
    this.#withdraw(dispute, {});
  }

  /** An inquiry ends without a dispute. */
  closeInquiry(id: string): void {
    this.#in(id, ['warning_needs_response', 'warning_under_review']).status = 'warning_closed';
    this.#world.onEvent('charge.dispute.closed', this.get(id));
  }

  /** The bank decides. The money comes back after a win. */
  decide(id: string, status: 'won' | 'lost', { feeGivenBack = 0 } = {}): void {
    const dispute = this.get(id);
    dispute.status = status;
    this.#world.onEvent('charge.dispute.closed', dispute);
    const [withdrawn] = dispute.balance_transactions;
    if (status === 'lost' || withdrawn === undefined) return;
    this.#book(dispute, { ...withdrawn, amount: -withdrawn.amount, fee: -feeGivenBack }, 'dispute_reversal');
    dispute.is_charge_refundable = true;
    this.#world.onEvent('charge.dispute.funds_reinstated', dispute);
  }

  /** A decision can be appealed. Only 2026-10-28.endive and later versions have these statuses. */
  offerAppeal(id: string): void {
    const dispute = this.#in(id, ['lost']);
    dispute.status = 'appeal_needs_response';
    dispute.evidence_details.due_by = this.#world.seconds() + 7 * daySeconds;
    this.#world.onEvent('charge.dispute.updated', dispute);
  }

  warn(intentId: string, fraudType = 'made_with_stolen_card'): SimulatedWarning {
    const warning = newWarning(this.#chargeOf(intentId), this.#world.seconds(), fraudType);
    this.warnings.push(warning);
    this.#world.onEvent('radar.early_fraud_warning.created', warning);
    return warning;
  }

  /** A debit fails after it has succeeded. */
  failDebit(intentId: string, code: string): void {
    const charge = this.#chargeOf(intentId);
    const { amount, currency, id: source } = charge;
    const facts = { amount: -amount, currency, source, fee: 0, created: this.#world.seconds() };
    const booking = newBooking({ ...facts, type: 'payment_failure_refund', category: 'charge_failure' });
    this.failures.push(booking);
    charge.status = 'failed';
    charge.paid = false;
    charge.failure_code = code;
    charge.failure_message = 'The bank returned the payment.';
    charge.failure_balance_transaction = booking.id;
    this.#world.onEvent('charge.failed', charge);
  }

  /** Test cards that are disputed or warned of at once: https://docs.stripe.com/testing#disputes. */
  afterCharge(intentId: string, token: string): void {
    if (token === 'pm_card_createDispute') this.open(intentId);
    if (token === 'pm_card_createDisputeProductNotReceived') this.open(intentId, { reason: 'product_not_received' });
    if (token === 'pm_card_createDisputeInquiry') this.open(intentId, { isInquiry: true });
    if (token === 'pm_card_createIssuerFraudRecord') this.warn(intentId);
    if (token === 'pm_card_createMultipleDisputes') {
      const half = Math.floor(this.#chargeOf(intentId).amount_captured / 2);
      for (const reason of ['fraudulent', 'product_not_received']) this.open(intentId, { reason, amount: half });
    }
  }

  /** https://docs.stripe.com/api/disputes/update */
  update(id: string, params: Params): SimulatedDispute {
    requireKnown(params, ['evidence', 'expand', 'metadata', 'submit']);
    const dispute = this.get(id);
    const { evidence_details: details } = dispute;
    const waiting = ['warning_needs_response', 'needs_response', 'appeal_needs_response'];
    if (!waiting.includes(dispute.status)) throw closed(dispute);
    if (details.due_by === null) throw problem('dispute', 'This dispute does not accept evidence.');
    if (this.#world.seconds() > details.due_by) throw problem('dispute', 'The deadline for evidence has passed.');
    this.#stage(dispute, tree(params, 'evidence'));
    details.has_evidence = true;
    if (text(params, 'submit') !== 'false') this.#submit(dispute);
    this.#world.onEvent('charge.dispute.updated', dispute);
    this.#decideByTestWord(dispute);
    return dispute;
  }

  #stage(dispute: SimulatedDispute, { appeal, ...given }: Params): void {
    const isAppeal = dispute.status === 'appeal_needs_response';
    if (isAppeal && Object.keys(given).length > 0) {
      throw problem('evidence', 'Evidence cannot be updated during the appeal stage.');
    }
    if (!isAppeal && appeal !== undefined) throw problem('evidence[appeal]', 'This dispute cannot be appealed.');
    requireKnown(given, plainEvidence);
    const files = Object.keys(given).filter((name) => evidenceFiles.includes(name));
    for (const name of files) this.#requireFile(text(given, name) ?? '', name);
    if (isAppeal) dispute.evidence.appeal = this.#appealOf(tree({ appeal: appeal ?? {} }, 'appeal'));
    Object.assign(dispute.evidence, given);
    requireLengths(dispute.evidence);
  }

  #appealOf(appeal: Params): unknown {
    const { supporting_files: files, ...texts } = tree(appeal, 'card');
    requireKnown(texts, ['reason_for_filing']);
    const ids = Object.values(tree({ files: files ?? {} }, 'files')).map(String);
    for (const id of ids) this.#requireFile(id, 'appeal');
    return { card: { ...texts, supporting_files: ids } };
  }

  #requireFile(id: string, name: string): void {
    if (this.files.get(id)?.purpose === 'dispute_evidence') return;
    const param = `evidence[${name}]`;
    throw new StripeProblem(400, { code: 'resource_missing', param, message: `No such file upload: '${id}'` });
  }

  #submit(dispute: SimulatedDispute): void {
    if (dispute.evidence_details.submission_count > 0 && dispute.status !== 'appeal_needs_response') {
      throw problem('submit', 'Evidence for this dispute has already been submitted.');
    }
    dispute.evidence_details.submission_count += 1;
    dispute.status = dispute.status.replace('needs_response', 'under_review');
  }

  /** https://docs.stripe.com/testing#disputes, Evidence */
  #decideByTestWord({ id, status, evidence: { uncategorized_text: word } }: SimulatedDispute): void {
    if (!status.endsWith('under_review')) return;
    if (word === 'escalate_inquiry_evidence' && status === 'warning_under_review') this.escalate(id);
    if (word === 'winning_evidence' || word === 'losing_evidence') {
      if (status === 'warning_under_review') this.closeInquiry(id);
      else this.decide(id, word === 'winning_evidence' ? 'won' : 'lost');
    }
  }

  /** https://docs.stripe.com/api/disputes/close */
  close(id: string, params: Params): SimulatedDispute {
    requireKnown(params, ['expand']);
    const dispute = this.get(id);
    if (dispute.status !== 'needs_response') throw closed(dispute);
    this.decide(id, 'lost');
    return dispute;
  }

  /** https://docs.stripe.com/file-upload */
  upload(params: Params, file: { name: string; type: string; size: number } | undefined): SimulatedFile {
    requireKnown(params, ['expand', 'file', 'purpose']);
    const purpose = required(params, 'purpose');
    if (file === undefined || file.size === 0) throw problem('file', 'Missing required param: file.');
    if (!fileTypes.includes(file.type)) {
      throw problem('file', `This purpose takes PDF, JPEG and PNG, and not ${file.type}.`);
    }
    if (file.size > maxFileBytes) throw problem('file', 'The file is larger than 5 MB.');
    const [, extension = ''] = file.type.split('/');
    const type = extension.replace('jpeg', 'jpg');
    const made = newFile({ created: this.#world.seconds(), filename: file.name, purpose, size: file.size, type });
    this.files.set(made.id, made);
    return made;
  }

  /** A charge whose money a dispute has taken cannot be refunded; after an inquiry it can. */
  requireRefundable(charge: SimulatedCharge): void {
    const isTaken = this.all.some((one) => one.charge === charge.id && !one.is_charge_refundable);
    if (!isTaken) return;
    const message = `Charge ${charge.id} has been charged back; cannot issue a refund.`;
    throw new StripeProblem(400, { code: 'charge_disputed', message });
  }

  #withdraw(dispute: SimulatedDispute, { fee = disputeFee, settledIn }: DisputeFacts): void {
    const { amount, currency } = settledIn ?? dispute;
    this.#book(dispute, { amount: -amount, currency, fee }, 'dispute');
    this.#world.onEvent('charge.dispute.funds_withdrawn', dispute);
  }

  #book(
    dispute: SimulatedDispute,
    { amount, currency, fee }: Pick<SimulatedBooking, 'amount' | 'currency' | 'fee'>,
    category: string,
  ): void {
    const facts = { amount, currency, fee, created: this.#world.seconds(), source: dispute.id };
    dispute.balance_transactions.push(newBooking({ ...facts, type: 'adjustment', category }));
  }

  #in(id: string, statuses: readonly string[]): SimulatedDispute {
    const dispute = this.get(id);
    if (!statuses.includes(dispute.status)) throw new Error(`${id} is ${dispute.status}.`);
    return dispute;
  }

  #chargeOf(intentId: string): SimulatedCharge {
    const charge = this.#charges().findLast(({ payment_intent }) => payment_intent === intentId);
    if (charge === undefined) throw new Error(`${intentId} has no charge.`);
    return charge;
  }
}

/** The document gives each its length; all texts together have at most 150,000: https://docs.stripe.com/disputes/api. */
function requireLengths(evidence: Record<string, unknown>): void {
  const texts = Object.values(evidence).filter((value) => typeof value === 'string');
  if (texts.some((one) => one.length > 20_000)) throw problem('evidence', 'A text of the evidence is too long.');
  const all = texts.reduce((sum, { length }) => sum + length, 0);
  if (all > 150_000) throw problem('evidence', 'The texts of the evidence are too long together.');
}

function closed({ id, status }: SimulatedDispute): StripeProblem {
  return new StripeProblem(400, { message: `The dispute ${id} is ${status} and cannot be updated.` });
}
