import type Stripe from 'stripe';
import type { AcceptDisputeOperation, EvidenceFile, SubmitEvidenceOperation } from '../dispute.ts';
import { failure } from '../failures.ts';
import type { Outcome } from '../outcome.ts';
import { isStripeApiError } from './declines.ts';
import { disputeStatuses } from './dispute-vocabulary.ts';
import { modeOf } from './outcomes.ts';

/**
 * Answers to disputes. They are sent without an idempotency key: Stripe replays a stored 500 to a key for a day, in
 * which the deadline may pass, and whether a dispute was answered is read from the dispute.
 */

/** Uploads the files, and submits the evidence. `succeeded` also if the dispute was answered before. */
export async function submitEvidence(stripe: Stripe, operation: SubmitEvidenceOperation): Promise<Outcome> {
  const dispute = await stripe.disputes.retrieve(operation.reference);
  if (statusOf(dispute) !== 'OPEN') return outcomeOfAnswered(dispute);
  const files = await Promise.all(operation.files.map((file) => upload(stripe, file)));
  const sent = Object.fromEntries([...operation.texts.map(({ name, text }) => [name, text] as const), ...files]);
  const isAppeal = dispute.status === 'appeal_needs_response';
  try {
    const evidence = isAppeal ? { appeal: { card: appealOf(sent) } } : sent;
    return done(await stripe.disputes.update(dispute.id, { evidence, submit: true }));
  } catch (error) {
    return afterRefusal(stripe, dispute.id, error, (now) => statusOf(now) === 'SUBMITTED');
  }
}

async function upload(stripe: Stripe, { name, fileName, type, content }: EvidenceFile): Promise<[string, string]> {
  const file = { data: new Uint8Array(content), name: fileName, type };
  const { id } = await stripe.files.create({ purpose: 'dispute_evidence', file });
  return [name, id];
}

function appealOf({ supporting_files: file, ...texts }: Record<string, string>) {
  return { ...texts, ...(file !== undefined && { supporting_files: [file] }) };
}

/** Accepts a dispute as lost. `succeeded` also if it is lost already. */
export async function acceptDispute(stripe: Stripe, { reference }: AcceptDisputeOperation): Promise<Outcome> {
  try {
    return acceptanceOutcome(await stripe.disputes.close(reference));
  } catch (error) {
    return afterRefusal(stripe, reference, error, (now) => statusOf(now) === 'LOST');
  }
}

/** Stripe refuses what it has done before: then the dispute says so. */
async function afterRefusal(
  stripe: Stripe,
  id: string,
  error: unknown,
  isDone: (dispute: Stripe.Dispute) => boolean,
): Promise<Outcome> {
  if (!isStripeApiError(error) || error.statusCode !== 400) throw error;
  const dispute = await stripe.disputes.retrieve(id);
  if (!isDone(dispute)) throw error;
  return done(dispute);
}

/** The outcome of a dispute that waits for no answer: it has one, or was decided without. */
function outcomeOfAnswered(dispute: Stripe.Dispute): Outcome {
  const { id, status, evidence_details: details } = dispute;
  if (statusOf(dispute) === 'SUBMITTED' || details.submission_count > 0) return done(dispute);
  const message = `The dispute can no longer be answered: at Stripe it is ${status}.`;
  return { kind: 'failed', reference: id, failure: failure('invalid_operation', status, message) };
}

function acceptanceOutcome(dispute: Stripe.Dispute): Outcome {
  const cause = new Error(`The dispute is still ${dispute.status}.`);
  return statusOf(dispute) === 'LOST' ? done(dispute) : { kind: 'unknown', cause };
}

function done(dispute: Stripe.Dispute): Outcome {
  return { kind: 'succeeded', reference: dispute.id, ...modeOf(dispute) };
}

function statusOf({ status }: Stripe.Dispute) {
  return disputeStatuses[status]?.status;
}
