import { isoTime, secondMs } from '../../../core/clock.ts';
import { publicId } from '../../../core/id.ts';
import { retryAfterMs } from '../../../core/retry-after.ts';
import { claimBy, leasesOf } from '../../../platform/jobs/lease-statements.ts';
import { type FailureReports, type Leased, Worker } from '../../../platform/jobs/worker.ts';
import type { FailPoint } from '../../../platform/process/fail-point.ts';
import type { OperatorWarnings } from '../channels/operator-warnings.ts';
import { lookUpAt, maximumLimitWaitMs } from '../operation-queue/rules.ts';
import {
  type AcceptDisputeOperation,
  disputeStages,
  type EvidenceFile,
  type SubmitEvidenceOperation,
} from '../providers/dispute.ts';
import { type Failure, failure } from '../providers/failures.ts';
import type { Outcome } from '../providers/outcome.ts';
import type { Call, DisputeProvider } from '../providers/provider.ts';
import type { RawBodies } from '../raw-bodies/raw-bodies.ts';
import {
  type AnswerRow,
  type AnswerState,
  answerTable,
  claimAnswers,
  deferAnswer,
  disputeAnswerDue,
  disputeAnswersDue,
  finishAnswer,
  markAnswerCalling,
} from './answer-statements.ts';
import { writeDispute } from './apply.ts';
import { eventsOf } from './change.ts';
import { filesOf } from './evidence.ts';
import { readFiles } from './file-statements.ts';
import { chargeReferenceOf, type DisputeNotices, type DisputeNoticesDeps } from './notices.ts';
import { lockedDispute } from './read.ts';
import type { DisputeRow } from './record.ts';
import { findDispute } from './statements.ts';

export interface AnswerWorkerDeps extends DisputeNoticesDeps, FailureReports {
  notices: DisputeNotices;
  rawBodies: Pick<RawBodies, 'readWhole'>;
  operatorWarnings: Pick<OperatorWarnings, 'failed'>;
  failPoint: FailPoint;
}

/** Answers are rare, and each may upload several files. */
const maximumInFlight = 5;
/** A lease lasts longer than its two calls (a reading, then the answer), by the time to settle. */
const leaseBeyondCallsMs = 10 * secondMs;

/**
 * Takes answers to disputes from READY to their final state: marks them as sent, sends them, and settles the dispute.
 * If the answer of the provider is lost, the dispute is read first: only if it is still OPEN there, the answer is sent
 * again, under the same idempotency key.
 */
export function answerWorker(deps: AnswerWorkerDeps): Worker<AnswerRow> {
  const { timeoutMs, onError, onRecovered } = deps;
  const leasing = { ...deps, leaseMs: 2 * timeoutMs + leaseBeyondCallsMs };
  return new Worker<AnswerRow>({
    name: 'dispute answers',
    dueWork: { topic: disputeAnswersDue, due: disputeAnswerDue },
    claim: claimBy(claimAnswers, leasing),
    leases: leasesOf(answerTable, leasing),
    keyOf: ({ tenant_id, dispute_id, number }) => `${tenant_id} ${dispute_id} ${number}`,
    perform: (answer) => perform(answer, deps),
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}

type Answer = Leased<AnswerRow>;

/** `sent`: whether the provider was called, and not only asked what it has. */
interface Asked {
  outcome: Outcome;
  sent: boolean;
}

async function perform(answer: Answer, deps: AnswerWorkerDeps): Promise<void> {
  const { database, clock, failPoint } = deps;
  const [row] = await database.run(findDispute, [[answer.tenant_id], answer.dispute_id]);
  if (row === undefined) throw new Error(`There is no dispute ${answer.dispute_id}.`);
  const isNew = answer.state === 'READY';
  if (isNew) {
    const marked = await database.run(markAnswerCalling, [...leaseKeyOf(answer), clock()]);
    if (marked.length === 0) return;
  }
  failPoint('dispute_answer_calling');
  const asked = await ask(answer, row, deps);
  failPoint('dispute_answer_answered');
  const { outcome } = asked;
  if (outcome.kind === 'succeeded') return settle(answer, 'SUCCEEDED', null, deps);
  if (outcome.kind === 'cancelled') return settle(answer, 'CANCELLED', null, deps);
  if (outcome.kind !== 'failed') return defer(answer, asked, deps);
  await settle(answer, 'FAILED', outcome.failure, deps);
  const facts = { disputeId: publicId('dsp', row.id), operation: answer.kind };
  const { channel_id: channelId, provider } = answer;
  await deps.operatorWarnings.failed({ channelId, provider, failure: outcome.failure, facts });
}

/** Sends an answer, unless an earlier call may have carried it out. */
async function ask(answer: Answer, row: DisputeRow, deps: AnswerWorkerDeps): Promise<Asked> {
  const chargeReference = await chargeReferenceOf(deps.database, row);
  if (answer.state !== 'READY') {
    const known = await lookUp(answer, row, chargeReference, deps);
    if (known !== 'open') return { outcome: known, sent: false };
  }
  const request = await requestOf(answer, row, chargeReference ?? '', deps);
  const outcome = await deps.notices.ask<Outcome>(answer.channel_id, (disputes, call) => send(disputes, request, call));
  if (outcome === 'busy') return { outcome: notCalled('The API key of the channel is lost.'), sent: false };
  return { outcome: outcome ?? cannotAnswer, sent: true };
}

/** What became of an answer that was sent before: the dispute says so. `open`: it was not carried out. */
async function lookUp(
  answer: Answer,
  row: DisputeRow,
  charge: string | null,
  { notices }: AnswerWorkerDeps,
): Promise<Outcome | 'open'> {
  const reference = { dispute: row.provider_reference, charge };
  const reading = await notices.ask(answer.channel_id, (disputes, call) => disputes.read(reference, call));
  if (reading === 'busy') return notCalled('The API key of the channel is lost.');
  if (reading === undefined || reading.kind === 'absent') return cannotAnswer;
  if (reading.kind !== 'read') return reading;
  const { stage, status } = reading.dispute;
  if (stage === answer.stage) return status === 'OPEN' ? 'open' : { kind: 'succeeded', reference: reference.dispute };
  // It went on meanwhile, with this answer or without it.
  return disputeStages.indexOf(stage) > disputeStages.indexOf(answer.stage) ? { kind: 'cancelled' } : 'open';
}

type AnswerRequest = SubmitEvidenceOperation | AcceptDisputeOperation;

async function requestOf(
  { kind, number, evidence, defense_reason: defenseReason, called_at }: Answer,
  row: DisputeRow,
  chargeReference: string,
  { database, rawBodies }: AnswerWorkerDeps,
): Promise<AnswerRequest> {
  const disputeId = publicId('dsp', row.id);
  const calledMs = called_at === null ? null : Date.parse(called_at);
  const common = {
    key: `${disputeId}-${number}`,
    disputeId,
    reference: row.provider_reference,
    chargeReference,
    calledMs,
  };
  if (kind === 'ACCEPT') return { ...common, kind };
  const rows = await database.run(readFiles, [row.tenant_id, filesOf(evidence)]);
  const files: EvidenceFile[] = [];
  for (const { id, name, type } of rows) {
    const fileName = `${name}.${type.slice(type.indexOf('/') + 1)}`;
    const content = await rawBodies.readWhole({ tenantId: row.tenant_id, id });
    files.push({ name, id: publicId('fil', id), fileName, type, content });
  }
  return {
    ...common,
    kind,
    texts: Object.entries(evidence).flatMap(([name, text]) => (typeof text === 'string' ? [{ name, text }] : [])),
    files,
    defenseReason,
  };
}

function send({ answers }: DisputeProvider, request: AnswerRequest, call: Call): Promise<Outcome> {
  if (answers === undefined) return Promise.resolve(cannotAnswer);
  return request.kind === 'SUBMIT' ? answers.submit(request, call) : answers.accept(request, call);
}

/** Ends an answer, with what follows for its dispute. */
async function settle(
  answer: Answer,
  state: AnswerState,
  reason: Failure | null,
  deps: AnswerWorkerDeps,
): Promise<void> {
  const { database, clock, failPoint } = deps;
  await database.transaction(async (transaction) => {
    const before = await lockedDispute(transaction, { tenant_id: answer.tenant_id, id: answer.dispute_id });
    const facts = [reason?.code ?? null, reason?.providerCode ?? null, reason?.message ?? null];
    const key = [answer.tenant_id, answer.dispute_id, answer.number];
    const finished = await transaction.run(finishAnswer, [...key, state, clock(), ...facts]);
    if (finished.length === 0 || state === 'CANCELLED' || before.stage !== answer.stage) return;
    const after =
      state === 'FAILED' ? { ...before, failure_code: reason?.code ?? null } : answered(before, answer, clock());
    const events = state === 'FAILED' ? (['dispute.updated'] as const) : eventsOf(before, after);
    await writeDispute(transaction, before, after, events, deps);
  });
  failPoint('dispute_answer_settled');
}

/** The provider may have told of the answer, or have decided, before it was settled. */
function answered(before: DisputeRow, { kind }: Answer, nowMs: number): DisputeRow {
  const submitted = kind === 'SUBMIT' ? { submitted_at: before.submitted_at ?? isoTime(nowMs) } : {};
  if (before.status !== 'OPEN') return { ...before, ...submitted, failure_code: null };
  const status = kind === 'SUBMIT' ? 'SUBMITTED' : 'ACCEPTED';
  return { ...before, ...submitted, status, failure_code: null, due_at: null };
}

/** Records an answer that stays open, and when it is looked up or sent again. */
async function defer(answer: Answer, { outcome, sent }: Asked, { database, clock }: AnswerWorkerDeps): Promise<void> {
  const nowMs = clock();
  const isLimited = outcome.kind === 'rate_limited';
  const lookUps = sent || isLimited ? 0 : 1;
  const askedMs = isLimited ? (retryAfterMs(outcome.retryAfter, nowMs) ?? secondMs) : 0;
  const dueMs = isLimited ? nowMs + Math.min(askedMs, maximumLimitWaitMs) : lookUpAt(answer.look_ups + lookUps, nowMs);
  const state: AnswerState = isLimited && sent ? 'READY' : 'UNKNOWN';
  await database.run(deferAnswer, [...leaseKeyOf(answer), state, dueMs, sent ? 1 : 0, lookUps]);
}

const leaseKeyOf = ({ tenant_id, dispute_id, number, lease }: Answer) => [tenant_id, dispute_id, number, lease];

const notCalled = (message: string) => ({ kind: 'unknown', cause: new Error(message) }) as const;

const cannotAnswer = {
  kind: 'failed',
  failure: failure('not_supported', null, 'The provider of the channel takes no answer to this dispute.'),
} as const;
