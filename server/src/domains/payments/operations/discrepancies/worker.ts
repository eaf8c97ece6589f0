import { type Clock, dayMs, secondMs } from '../../../../core/clock.ts';
import type { GenerateUuid } from '../../../../core/id.ts';
import { claimBy, leasesOf } from '../../../../platform/jobs/lease-statements.ts';
import { type FailureReports, type Leased, Worker } from '../../../../platform/jobs/worker.ts';
import type { Transactional } from '../../../../platform/postgres/database.ts';
import { lookUpAt } from '../../operation-queue/rules.ts';
import type { Absent, Outcome } from '../../providers/outcome.ts';
import type { Payments } from '../../transactions/payments.ts';
import { addTimelineMessage } from '../../transactions/timeline-message-statements.ts';
import { isFinalOutcome } from '../effect.ts';
import { type LookUpDeps, lookUpNow } from '../look-up.ts';
import type { Settler } from '../settle.ts';
import { reverses } from '../settlement.ts';
import { findOfPayment, type OperationRow } from '../statements.ts';
import { isFinished } from '../states.ts';
import { reviewOverdrawn } from './overdrawn.ts';
import { appendDiscrepancyEvent } from './record.ts';
import { type Verdict, verdictOf } from './rules.ts';
import {
  claimDiscrepancies,
  type DueDiscrepancy,
  discrepanciesDue,
  discrepancyDue,
  discrepancyTable,
  postponeOverdrawn,
  recordDiscrepancy,
} from './statements.ts';
import type { DiscrepancyState } from './states.ts';

export interface DiscrepancyWorkerDeps extends LookUpDeps, FailureReports {
  database: Transactional;
  settler: Settler;
  payments: Pick<Payments, 'lock'>;
  clock: Clock;
  generateUuid: GenerateUuid;
  /** Called when a look-up decides a discrepancy, and again only when the verdict changes. */
  onVerdict: (row: OperationRow, answer: Outcome | Absent, verdict: 'agrees' | 'disagrees') => void;
}

/** Discrepancies are rare, and few look-ups at a time do not load a provider. */
const maximumInFlight = 5;
/** A lease lasts longer than its look-up, by the time to settle and to record the result. */
const leaseBeyondCallMs = 10 * secondMs;

/**
 * Looks operations with a discrepancy up at their provider.
 *
 * An operation that is still open is settled with the answer, and a refund that has failed after it had succeeded is
 * reversed. Otherwise the answer changes no payment: if the provider agrees with what is settled, the discrepancy is
 * closed; if it disagrees, the discrepancy says so, and the look-up is repeated every day.
 */
export function discrepancyWorker(deps: DiscrepancyWorkerDeps): Worker<DueDiscrepancy> {
  const { timeoutMs, onError, onRecovered } = deps;
  const leasing = { ...deps, leaseMs: timeoutMs + leaseBeyondCallMs };
  return new Worker<DueDiscrepancy>({
    name: 'discrepancies',
    dueWork: { topic: discrepanciesDue, due: discrepancyDue },
    claim: claimBy(claimDiscrepancies, leasing),
    leases: leasesOf(discrepancyTable, leasing),
    perform: (discrepancy) => perform(discrepancy, deps),
    slots: maximumInFlight,
    onError,
    onRecovered,
  });
}

async function perform(discrepancy: Leased<DueDiscrepancy>, deps: DiscrepancyWorkerDeps): Promise<void> {
  if (discrepancy.kind === 'OVERDRAWN') return reviewAgain(discrepancy, deps);
  const row = await read(discrepancy, deps);
  if (row === undefined) return;
  const answer = await lookUp(row, discrepancy, deps);
  const { current, isUndecided } = await settle(discrepancy, row, answer, deps);
  await record(discrepancy, current, answer, isUndecided ? undefined : verdictOf(current, answer), deps);
}

/** A refund may have failed since, or a dispute been won. */
async function reviewAgain(discrepancy: Leased<DueDiscrepancy>, deps: DiscrepancyWorkerDeps): Promise<void> {
  const { database, payments, clock } = deps;
  const { tenant_id, id, transaction_id, lease } = discrepancy;
  await database.transaction(async (transaction) => {
    const payment = await payments.lock(transaction, { tenant_id, id: transaction_id });
    await reviewOverdrawn(transaction, payment, null, { ...deps, onOverdrawn: () => {} });
    await transaction.run(postponeOverdrawn, [tenant_id, id, lease, clock() + dayMs]);
  });
}

async function lookUp(
  row: OperationRow,
  { reference, said }: DueDiscrepancy,
  deps: DiscrepancyWorkerDeps,
): Promise<Outcome | Absent> {
  // Without a reference, some providers can be looked up only by sending the request again, unless they have forgotten
  // it.
  if (reference === null && said !== null)
    return { kind: 'unknown', cause: new Error('The provider has given no reference for the operation.') };
  try {
    return await lookUpNow({ ...row, operation_reference: reference }, deps);
  } catch (cause) {
    return { kind: 'unknown', cause };
  }
}

/**
 * Settles an open operation or reverses a refund, and returns the operation as it is then. Undecided: while a capture
 * is under way, the answer about its charge proves nothing.
 */
async function settle(
  discrepancy: Leased<DueDiscrepancy>,
  row: OperationRow,
  answer: Outcome | Absent,
  deps: DiscrepancyWorkerDeps,
): Promise<{ current: OperationRow; isUndecided: boolean }> {
  const unchanged = { current: row, isUndecided: false };
  if (answer.kind === 'absent' || !isFinalOutcome(answer)) return unchanged;
  if (isFinished(row.state) && !reverses(row, answer)) return unchanged;
  const settled = await deps.settler.settle(row, answer, 'look_up', { lookUps: 1 });
  if (settled === 'mismatch') return unchanged;
  return { current: (await read(discrepancy, deps)) ?? row, isUndecided: settled === 'undecided' };
}

async function record(
  discrepancy: Leased<DueDiscrepancy>,
  row: OperationRow,
  answer: Outcome | Absent,
  verdict: Verdict,
  deps: DiscrepancyWorkerDeps,
): Promise<void> {
  const { database, clock, generateUuid, onVerdict } = deps;
  const state = stateAfter(discrepancy, verdict);
  const isNewVerdict = verdict !== undefined && state !== discrepancy.state;
  if (isNewVerdict) await addVerdictMessage(row, answer, verdict, deps);
  const lookUps = Math.min(discrepancy.look_ups + 1, 32_767);
  // After a verdict the longest wait applies.
  const dueMs = lookUpAt(verdict === undefined ? discrepancy.look_ups : Number.POSITIVE_INFINITY, clock());
  const { tenant_id, id, lease } = discrepancy;
  const recorded = await database.transaction(async (transaction) => {
    const values = [tenant_id, id, lease, state, lookUps, dueMs, clock()];
    const [written] = await transaction.run(recordDiscrepancy, values);
    const isEnded = written?.state === 'AGREES' && discrepancy.state !== 'AGREES';
    if (isEnded) await appendDiscrepancyEvent(transaction, 'discrepancy.closed', written, generateUuid);
    return written;
  });
  if (isNewVerdict && recorded !== undefined) onVerdict(row, answer, verdict);
}

function addVerdictMessage(
  row: OperationRow,
  answer: Outcome | Absent,
  verdict: Verdict,
  deps: DiscrepancyWorkerDeps,
): Promise<void> {
  const { database, clock, generateUuid } = deps;
  const said = answer.kind === 'unknown' ? (answer.mismatch?.kind ?? answer.kind) : answer.kind;
  const detail = { said, agrees: verdict === 'agrees', stands: row.state, payment: row.status };
  return addTimelineMessage(database, row, { id: generateUuid(), atMs: clock(), kind: 'looked_up', detail });
}

async function read(
  { tenant_id, transaction_id, number }: DueDiscrepancy,
  deps: DiscrepancyWorkerDeps,
): Promise<OperationRow | undefined> {
  const rows = await deps.database.run(findOfPayment, [tenant_id, transaction_id]);
  return rows.find((row) => row.number === number);
}

function stateAfter({ state }: DueDiscrepancy, verdict: Verdict): DiscrepancyState {
  if (verdict === undefined) return state;
  return verdict === 'agrees' ? 'AGREES' : 'DISAGREES';
}
